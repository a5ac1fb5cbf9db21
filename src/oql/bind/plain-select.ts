// Builds selects with few clauses, and tests for them.

import type { Expression, Iterator, SelectExpression } from '../syntax/ast.ts';
import type { BoundExpression, BoundSelect } from './bound-query.ts';
import { referencesOf } from './references.ts';

/** `SELECT * FROM iterator WHERE condition`, as if it were parsed. */
export function selectFrom(iterator: Iterator, where: Expression): SelectExpression {
  return {
    kind: 'select',
    hints: [],
    distinct: false,
    projections: [],
    from: [iterator],
    where,
    groupBy: [],
    having: undefined,
    orderBy: [],
    limit: undefined,
    offset: undefined,
    span: iterator.span,
  };
}

/** `SELECT * FROM (rows)`, bound. */
export function selectRowsOf(source: BoundExpression, depth: number): BoundSelect {
  const { span } = source;
  const row = { kind: 'path', depth, iterator: 0, members: [], span } as const;
  const select: BoundSelect = {
    kind: 'select',
    depth,
    hints: [],
    distinct: false,
    iterators: [{ name: 'rows', source, span }],
    where: undefined,
    grouping: undefined,
    projections: [{ name: 'rows', expression: row }],
    shape: 'bare',
    orderBy: [],
    limit: undefined,
    offset: undefined,
    outerDepths: [],
    regions: [],
    span,
  };
  return { ...select, ...referencesOf(select) };
}

/** Whether a select returns rows as they are found: without GROUP BY, ORDER BY, LIMIT and COUNT. */
export function givesRowsAsFound(select: BoundSelect): boolean {
  const { grouping, limit, offset, orderBy, shape } = select;
  const isCut = limit !== undefined || offset !== undefined;
  return grouping === undefined && orderBy.length === 0 && !isCut && shape !== 'count';
}
