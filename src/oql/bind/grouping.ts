// GROUP BY and aggregates: a stage between rows and projections. Later clauses can refer only to
// group keys and aggregate results, so their expressions are rewritten in terms of these.

import { aggregateMisplaced, groupingInvalid, PROJECT_IT } from '../errors.ts';
import type { SelectExpression } from '../syntax/ast.ts';
import type { Binder } from './binder.ts';
import { forEachChild, mapChanged, someChild } from './bound-children.ts';
import type {
  BoundExpression,
  BoundGrouping,
  BoundPath,
  BoundProjection,
  BoundSortKey,
} from './bound-query.ts';
import type { Identities } from './identities.ts';
import type { Scope } from './scope.ts';

interface BoundClauses {
  readonly projections: readonly BoundProjection[];
  readonly groupBy: readonly BoundExpression[];
  readonly having: BoundExpression | undefined;
  readonly orderBy: readonly BoundSortKey[];
}

interface GroupedClauses extends Pick<BoundClauses, 'projections' | 'orderBy'> {
  readonly grouping: BoundGrouping;
}

/** Checks a grouped SELECT, and rewrites the clauses after the grouping. */
export function bindGrouping(
  binder: Binder,
  node: SelectExpression,
  scope: Scope,
  clauses: BoundClauses,
): GroupedClauses {
  const keys = new GroupByExpressions(clauses.groupBy, scope, binder.identities);
  requireProjections(binder, node);
  const columns = clauses.projections.map(({ expression }) => keys.columnOf(expression));
  requireProjectedKeys(binder, node, keys, clauses.groupBy, columns);
  const projections = clauses.projections.map(({ name, expression: ungrouped }, at) => {
    const expression = keys.replaceAt(columns[at], ungrouped);
    requireGrouped(binder, node, at, expression, keys);
    return { name, expression };
  });
  requireSameColumns(binder, node, scope, clauses);
  const having = clauses.having && keys.replaceIn(clauses.having);
  if (having !== undefined) requireNoRow(binder, having, keys, 'HAVING');
  const orderBy = clauses.orderBy.map((key) => ({
    ...key,
    expression: keys.replaceIn(key.expression),
  }));
  requireSortable(binder, orderBy, projections, keys);
  const grouping = { keys: clauses.groupBy, aggregates: scope.aggregates, having };
  return { grouping, projections, orderBy };
}

/** The GROUP BY expressions of a SELECT, found by meaning. */
class GroupByExpressions {
  readonly depth: number;
  readonly #identities: Identities;
  readonly #columns = new Map<number, number>();
  readonly #outlines = new Set<string>();
  /** Whether the SELECT has aggregates; if not, nothing needs to be searched for them. */
  readonly #hasAggregates: boolean;

  constructor(keys: readonly BoundExpression[], scope: Scope, identities: Identities) {
    this.depth = scope.depth;
    this.#identities = identities;
    this.#hasAggregates = scope.aggregates.length > 0;
    keys.forEach((key, at) => {
      this.#outlines.add(outlineOf(key));
      const identity = identities.of(key);
      if (!this.#columns.has(identity)) this.#columns.set(identity, at);
    });
  }

  /** The number of the group column that an expression equals. */
  columnOf(node: BoundExpression): number | undefined {
    return this.#outlines.has(outlineOf(node))
      ? this.#columns.get(this.#identities.of(node))
      : undefined;
  }

  /** Replaces each part that equals a group column by a reference to it. */
  readonly replaceIn = (node: BoundExpression): BoundExpression =>
    this.#columns.size === 0 ? node : this.replaceAt(this.columnOf(node), node);

  /** As above for an expression that equals the group column at `key`, if there is one. */
  replaceAt(key: number | undefined, node: BoundExpression): BoundExpression {
    if (this.#columns.size === 0) return node;
    if (key !== undefined) {
      return { kind: 'group-key', depth: this.depth, key, span: node.span };
    }
    if (node.kind === 'path' || node.kind === 'literal') return node;
    // Unchanged expressions keep their identity, so they are not visited again.
    return mapChanged(node, this.replaceIn);
  }

  /** A reference to a row of the SELECT, which no longer exists once rows are grouped. */
  findRow(expression: BoundExpression): BoundPath | undefined {
    if (expression.kind === 'aggregate-result') return undefined;
    let found: BoundPath | undefined;
    const visit = (node: BoundExpression): void => {
      if (found !== undefined) return;
      if (node.kind !== 'path') forEachChild(node, visit);
      else if (node.depth === this.depth) found = node;
    };
    visit(expression);
    return found;
  }

  /** Whether the value depends on an aggregate of the SELECT. */
  hasAggregate(expression: BoundExpression): boolean {
    if (!this.#hasAggregates || expression.kind === 'group-key') return false;
    const isFound = (node: BoundExpression): boolean =>
      node.kind === 'aggregate-result' ? node.depth === this.depth : someChild(node, isFound);
    return isFound(expression);
  }
}

/** A quick hash: expressions with the same meaning have the same one. */
function outlineOf(node: BoundExpression): string {
  return node.kind === 'path' ? (node.members.at(-1) ?? node.kind) : node.kind;
}

function requireProjections(binder: Binder, node: SelectExpression): void {
  if (node.projections.length > 0) return;
  const span = node.groupBy[0]?.span ?? node.span;
  throw groupingInvalid(binder.locate(span), 'SELECT * cannot be grouped', 'Name the columns');
}

/** Every GROUP BY expression must be a column of the result; `columns` are those that are. */
function requireProjectedKeys(
  binder: Binder,
  node: SelectExpression,
  keys: GroupByExpressions,
  groupBy: readonly BoundExpression[],
  columns: readonly (number | undefined)[],
): void {
  const projected = new Set(columns);
  groupBy.forEach((key, at) => {
    const written = node.groupBy[at] ?? node;
    if (keys.hasAggregate(key)) {
      const location = binder.locate(written.span);
      throw aggregateMisplaced(location, 'GROUP BY cannot group by an aggregate');
    }
    if (projected.has(at) || projected.has(keys.columnOf(key))) return;
    const reason = `${binder.textOf(written)} is in GROUP BY but not among the projections`;
    throw groupingInvalid(binder.locate(written.span), reason, PROJECT_IT);
  });
}

/** A projection without an aggregate must be a group column; one with it may use nothing else. */
function requireGrouped(
  binder: Binder,
  node: SelectExpression,
  at: number,
  expression: BoundExpression,
  keys: GroupByExpressions,
): void {
  const written = node.projections[at]?.expression ?? node;
  if (keys.hasAggregate(expression)) {
    requireNoRow(binder, expression, keys, 'a projection with an aggregate');
  } else if (expression.kind !== 'group-key') {
    const reason = `${binder.textOf(written)} is neither an aggregate nor in GROUP BY`;
    throw groupingInvalid(binder.locate(written.span), reason, 'Add it to GROUP BY');
  }
}

function requireNoRow(
  binder: Binder,
  expression: BoundExpression,
  keys: GroupByExpressions,
  where: string,
): void {
  const row = keys.findRow(expression);
  if (row === undefined) return;
  const reason = `${binder.textOf(row)} is not in GROUP BY, so ${where} cannot use it outside of an aggregate`;
  throw groupingInvalid(binder.locate(row.span), reason);
}

/** Without aggregates and ORDER BY, GROUP BY repeats the projections in their order. */
function requireSameColumns(
  binder: Binder,
  node: SelectExpression,
  scope: Scope,
  { projections, groupBy, orderBy }: BoundClauses,
): void {
  if (scope.aggregates.length > 0 || orderBy.length > 0) return;
  const { identities } = binder;
  const isSame = projections.every(({ expression }, at) => {
    const key = groupBy[at];
    return key !== undefined && identities.of(expression) === identities.of(key);
  });
  if (isSame && projections.length === groupBy.length) return;
  const span = node.groupBy[0]?.span ?? node.span;
  const reason = 'Without aggregates, GROUP BY must list the projections in the same order';
  throw groupingInvalid(binder.locate(span), reason);
}

/** ORDER BY of a grouped SELECT: projected columns, and expressions over aggregates. */
function requireSortable(
  binder: Binder,
  orderBy: readonly BoundSortKey[],
  projections: readonly BoundProjection[],
  keys: GroupByExpressions,
): void {
  if (orderBy.length === 0) return;
  const projected = new Set(projections.map(({ expression }) => binder.identities.of(expression)));
  for (const { expression } of orderBy) {
    // NULLS FIRST and LAST sort by whether there is a value of a column.
    const column = expression.kind === 'is-null' ? expression.operand : expression;
    if (projected.has(binder.identities.of(column))) continue;
    if (!keys.hasAggregate(expression)) {
      const reason = `ORDER BY ${binder.textOf(expression)} is neither projected nor an aggregate`;
      throw groupingInvalid(binder.locate(expression.span), reason);
    }
    requireNoRow(binder, expression, keys, 'ORDER BY');
  }
}
