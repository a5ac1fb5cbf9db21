// SELECT: opens a scope, binds the clauses in the order in which they come to know each other, and
// settles what a row of the result looks like.

import type { Expression, Iterator, RowCount, SelectExpression, SortKey } from '../syntax/ast.ts';
import { bindExpression } from './bind-expression.ts';
import { bindIterators } from './bind-from.ts';
import type { Binder, SelectBinding } from './binder.ts';
import type {
  BoundExpression,
  BoundIterator,
  BoundProjection,
  BoundRowCount,
  BoundSelect,
  BoundSortKey,
  ResultShape,
} from './bound-query.ts';
import { type ElementType, UNTYPED } from './element-type.ts';
import { projectionNames, uniqueNames } from './field-names.ts';
import { bindGrouping } from './grouping.ts';
import type { Identities } from './identities.ts';
import { referencesOf } from './references.ts';
import { findProjection } from './resolve-name.ts';
import { Scope } from './scope.ts';

export function bindSelect(
  binder: Binder,
  node: SelectExpression,
  outer: Scope | undefined,
): SelectBinding {
  const scope = new Scope(outer);
  const iterators = bindIterators(binder, node.from, scope);
  scope.clause = 'where';
  const where = node.where && bindExpression(binder, node.where, scope);
  const output = bindOutput(binder, node, scope, iterators);
  const { shape, grouping, projections, orderBy } = output;
  const select: BoundSelect = {
    kind: 'select',
    depth: scope.depth,
    hints: node.hints,
    distinct: node.distinct,
    iterators,
    where,
    grouping,
    projections,
    shape,
    orderBy,
    limit: bindRowCount(binder, node.limit),
    offset: bindRowCount(binder, node.offset),
    outerDepths: [],
    regions: [],
    span: node.span,
  };
  return {
    select: { ...select, ...referencesOf(select) },
    elementType: elementTypeOf(select, scope),
  };
}

type Output = Pick<BoundSelect, 'shape' | 'grouping' | 'projections' | 'orderBy'>;

/** Projections, GROUP BY, HAVING and ORDER BY: the clauses behind the rows. */
function bindOutput(
  binder: Binder,
  node: SelectExpression,
  scope: Scope,
  iterators: readonly BoundIterator[],
): Output {
  scope.clause = 'projection';
  const projections = bindProjections(binder, node, scope, iterators);
  scope.clause = 'group-by';
  const groupBy = node.groupBy.map((key) => bindKey(binder, key, scope));
  scope.clause = 'having';
  const having = node.having && bindExpression(binder, node.having, scope);
  scope.clause = 'order-by';
  const orderBy = node.orderBy.map((key) => bindSortKey(binder, key, scope));
  const { identities } = binder;
  if (isCountAlone(node)) {
    // One row has no order, and what is counted are the rows of `*`.
    return {
      shape: 'count',
      grouping: undefined,
      projections: projectRows(node.from, iterators, scope.depth),
      orderBy: [],
    };
  }
  if (groupBy.length === 0 && scope.aggregates.length === 0) {
    return {
      shape: shapeOf(node),
      grouping: undefined,
      ...matchKeys({ projections, orderBy }, identities),
    };
  }
  const grouped = bindGrouping(binder, node, scope, { projections, groupBy, having, orderBy });
  return { shape: shapeOf(node), grouping: grouped.grouping, ...matchKeys(grouped, identities) };
}

/** `SELECT COUNT(*)`, whose alias does not count. */
function isCountAlone(node: SelectExpression): boolean {
  const [projection, ...others] = node.projections;
  return (
    projection?.expression.kind === 'aggregate' &&
    projection.expression.argument === undefined &&
    others.length === 0 &&
    node.groupBy.length === 0
  );
}

function shapeOf(node: SelectExpression): ResultShape {
  if (node.projections.length === 0) return node.from.length === 1 ? 'bare' : 'struct';
  const isNamed = node.projections.some(({ alias }) => alias !== undefined);
  return node.projections.length === 1 && !isNamed ? 'bare' : 'struct';
}

function bindProjections(
  binder: Binder,
  node: SelectExpression,
  scope: Scope,
  iterators: readonly BoundIterator[],
): readonly BoundProjection[] {
  if (node.projections.length === 0) return projectRows(node.from, iterators, scope.depth);
  const names = projectionNames(node.projections);
  const bound = node.projections.map(({ expression }, index) => ({
    name: names[index] ?? '',
    expression: bindExpression(binder, expression, scope),
  }));
  for (const [index, { alias }] of node.projections.entries()) {
    const expression = bound[index]?.expression;
    if (alias !== undefined && expression !== undefined && !scope.projections.has(alias)) {
      scope.projections.set(alias, expression);
    }
  }
  return bound;
}

/** The projections of `*`: the row of each iterator. */
function projectRows(
  from: readonly Iterator[],
  iterators: readonly BoundIterator[],
  depth: number,
): readonly BoundProjection[] {
  const names = uniqueNames(iterators.map(({ name }) => name));
  return from.map(({ span }, iterator) => ({
    name: names[iterator] ?? '',
    expression: { kind: 'path', depth, iterator, members: [], span },
  }));
}

/** GROUP BY and ORDER BY by a single name mean the projection of that name, if there is one. */
function bindKey(binder: Binder, node: Expression, scope: Scope): BoundExpression {
  const projection = node.kind === 'name' ? findProjection(scope, node.name) : undefined;
  return projection === undefined
    ? bindExpression(binder, node, scope)
    : binder.copy(projection, 1, node.span);
}

function bindSortKey(binder: Binder, node: SortKey, scope: Scope): BoundSortKey {
  const expression = bindKey(binder, node.expression, scope);
  return { expression, direction: node.direction, projection: undefined };
}

type Ordered = Pick<BoundSelect, 'projections' | 'orderBy'>;

/** Tells each sort key which projection computes the same. */
function matchKeys({ projections, orderBy }: Ordered, identities: Identities): Ordered {
  if (orderBy.length === 0) return { projections, orderBy };
  const places = new Map<number, number>();
  for (const [place, { expression }] of projections.entries()) {
    const identity = identities.of(expression);
    if (!places.has(identity)) places.set(identity, place);
  }
  return {
    projections,
    orderBy: orderBy.map((key) => ({
      ...key,
      projection: places.get(identities.of(key.expression)),
    })),
  };
}

function bindRowCount(binder: Binder, node: RowCount | undefined): BoundRowCount | undefined {
  if (node === undefined) return undefined;
  const { span } = node;
  return node.kind === 'literal'
    ? { kind: 'rows', rows: Number(node.text), span }
    : { kind: 'parameter', slot: binder.slotOf(node), span };
}

/** What is known about the rows of the result, for a SELECT that iterates over them. */
function elementTypeOf(select: BoundSelect, scope: Scope): ElementType {
  if (select.shape === 'struct') {
    let members: ReadonlySet<string> | undefined;
    // Of most selects nobody asks.
    return {
      kind: 'struct',
      get members() {
        members ??= new Set(select.projections.map(({ name }) => name));
        return members;
      },
    };
  }
  const only = select.projections[0]?.expression;
  const isRow = select.shape === 'bare' && only?.kind === 'path' && only.members.length === 0;
  return isRow ? scope.typeOf(only.depth, only.iterator) : UNTYPED;
}
