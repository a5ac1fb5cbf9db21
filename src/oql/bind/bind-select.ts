// SELECT: opens a scope, binds the clauses in the order of their visibility, and determines the
// shape of a result row.

import { groupingInvalid } from '../errors.ts';
import type {
  Expression,
  Iterator,
  Literal,
  RowCount,
  SelectExpression,
  SortKey,
} from '../syntax/ast.ts';
import { bindExpression } from './bind-expression.ts';
import { bindIterators } from './bind-from.ts';
import { joinOperands } from './bind-logic.ts';
import type { Binder, QueryBinding } from './binder.ts';
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
import { findProjection, NO_MEMBERS } from './resolve-name.ts';
import { Scope } from './scope.ts';

export function bindSelect(
  binder: Binder,
  node: SelectExpression,
  outer: Scope | undefined,
): QueryBinding {
  const scope = new Scope(outer);
  const iterators = bindIterators(binder, node.from, scope);
  scope.clause = 'where';
  const where = bindWhere(binder, node, scope);
  const output = bindOutput(binder, node, scope, iterators);
  const { shape, countName, grouping, projections, orderBy } = output;
  const { depth } = scope;
  const parts = { depth, iterators, where, grouping, projections, orderBy };
  const { outerDepths, regions } = referencesOf(parts);
  const select: BoundSelect = {
    kind: 'select',
    depth,
    hints: node.hints,
    distinct: node.distinct,
    iterators,
    where,
    grouping,
    projections,
    shape,
    ...(countName === undefined ? {} : { countName }),
    orderBy,
    limit: bindRowCount(binder, node.limit),
    offset: bindRowCount(binder, node.offset),
    outerDepths,
    regions,
    span: node.span,
  };
  const columns = shape === 'struct' ? projections : undefined;
  return { query: select, elementType: elementTypeOf(select, scope), columns };
}

/** WHERE, and the conditions of joins that keep no other rows. */
function bindWhere(
  binder: Binder,
  node: SelectExpression,
  scope: Scope,
): BoundExpression | undefined {
  if (node.from.length === 1) return node.where && bindExpression(binder, node.where, scope);
  const joined = node.from.flatMap(({ join }) => (join?.kind === 'inner' ? [join.on] : []));
  const conditions = node.where === undefined ? joined : [...joined, node.where];
  const bound = conditions.map((condition) => bindExpression(binder, condition, scope));
  const [only] = bound;
  return bound.length <= 1 ? only : joinOperands('and', bound, node.span);
}

type Output = Pick<BoundSelect, 'shape' | 'countName' | 'grouping' | 'projections' | 'orderBy'>;

/** Projections, GROUP BY, HAVING and ORDER BY: the clauses after the rows. */
function bindOutput(
  binder: Binder,
  node: SelectExpression,
  scope: Scope,
  iterators: readonly BoundIterator[],
): Output {
  scope.clause = 'projection';
  const projections = bindProjections(binder, node, scope, iterators);
  scope.clause = 'group-by';
  const groupBy = node.groupBy.map((key) => bindKey(binder, key, scope, projections));
  scope.clause = 'having';
  const having = node.having && bindExpression(binder, node.having, scope);
  scope.clause = 'order-by';
  const orderBy = node.orderBy.flatMap((key) => bindSortKey(binder, key, scope, projections));
  const { identities } = binder;
  if (isCountAlone(node)) {
    // One row has no order, and COUNT counts the rows of `*`.
    return {
      shape: 'count',
      countName: projections[0]?.name,
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
  const only = node.projections.length === 1 ? node.projections[0]?.expression : undefined;
  return only?.kind === 'aggregate' && only.argument === undefined && node.groupBy.length === 0;
}

function shapeOf(node: SelectExpression): ResultShape {
  if (node.projections.length === 0) return node.from.length === 1 ? 'bare' : 'struct';
  const isNamed = node.projections[0]?.alias !== undefined;
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
  return node.projections.map(({ expression: written, alias }, index) => {
    const expression = bindExpression(binder, written, scope);
    // Later clauses refer to these names; no projection sees another.
    if (alias !== undefined) scope.nameProjection(alias, expression);
    return { name: names[index] ?? '', expression };
  });
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
    expression: { kind: 'path', depth, iterator, members: NO_MEMBERS, span },
  }));
}

/**
 * GROUP BY and ORDER BY by a single name mean the projection of that name, if there is one, and by
 * a number the projection of that number.
 */
function bindKey(
  binder: Binder,
  node: Expression,
  scope: Scope,
  projections: readonly BoundProjection[],
): BoundExpression {
  const projection =
    node.kind === 'literal' && node.type === 'int'
      ? requireColumn(binder, node, projections)
      : node.kind === 'name'
        ? findProjection(scope, node.name)
        : undefined;
  return projection === undefined
    ? bindExpression(binder, node, scope)
    : binder.copy(projection, 1, node.span);
}

function requireColumn(
  binder: Binder,
  { text, span }: Literal,
  projections: readonly BoundProjection[],
): BoundExpression {
  const projection = projections[Number(text) - 1];
  if (projection !== undefined) return projection.expression;
  const count = projections.length;
  const known = count === 1 ? 'the only column is 1' : `the columns are 1 to ${count}`;
  throw groupingInvalid(binder.locate(span), `There is no column ${text}: ${known}`);
}

/** `ORDER BY 'id'` would sort by a text that is the same for all rows. */
function refuseConstantKey(binder: Binder, node: Expression): void {
  if (node.kind !== 'literal' || node.type === 'int' || node.type === 'null') return;
  const isName = node.type === 'string' && /^\w+$/.test(node.text);
  const column = isName ? `without quotes, ${node.text},` : 'by its name';
  throw groupingInvalid(
    binder.locate(node.span),
    'ORDER BY a constant puts no row before another',
    `Name the column ${column} or by its number: ORDER BY 1`,
  );
}

function bindSortKey(
  binder: Binder,
  node: SortKey,
  scope: Scope,
  projections: readonly BoundProjection[],
): readonly BoundSortKey[] {
  refuseConstantKey(binder, node.expression);
  const expression = bindKey(binder, node.expression, scope, projections);
  const key = { expression, direction: node.direction, projection: undefined };
  return orderNulls(key, node.nulls);
}

/** NULLS FIRST and NULLS LAST sort by whether there is a value before they sort by it. */
export function orderNulls(key: BoundSortKey, nulls: SortKey['nulls']): readonly BoundSortKey[] {
  if (nulls === undefined) return [key];
  const { expression } = key;
  const isNull = {
    kind: 'is-null',
    operand: expression,
    negated: false,
    span: expression.span,
  } as const;
  const direction = nulls === 'last' ? 'asc' : 'desc';
  return [{ expression: isNull, direction, projection: undefined }, key];
}

type Ordered = Pick<BoundSelect, 'projections' | 'orderBy'>;

/** Links each sort key to the projection that computes the same value. */
function matchKeys({ projections, orderBy }: Ordered, identities: Identities): Ordered {
  if (orderBy.length === 0) return { projections, orderBy };
  const columns = new Map<number, number>();
  projections.forEach(({ expression }, column) => {
    const identity = identities.of(expression);
    if (!columns.has(identity)) columns.set(identity, column);
  });
  return {
    projections,
    orderBy: orderBy.map((key) => ({
      ...key,
      projection: columns.get(identities.of(key.expression)),
    })),
  };
}

export function bindRowCount(
  binder: Binder,
  node: RowCount | undefined,
): BoundRowCount | undefined {
  if (node === undefined) return undefined;
  const { span } = node;
  return node.kind === 'literal'
    ? { kind: 'rows', rows: Number(node.text), span }
    : { kind: 'parameter', slot: binder.slotOf(node), span };
}

/** The known type of the result rows, for a SELECT that iterates over them. */
function elementTypeOf(select: BoundSelect, scope: Scope): ElementType {
  if (select.shape === 'struct') {
    let members: ReadonlySet<string> | undefined;
    // Rarely needed, so computed on demand.
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
