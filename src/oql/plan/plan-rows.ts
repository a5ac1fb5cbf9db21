// The plan of a query that runs row by row: which entries it reads, and whether it sorts them.

import type { Value } from '../../value/value.ts';
import type { BoundQuery, BoundSelect } from '../bind/bound-query.ts';
import { regionSourceOf } from '../bind/region-source.ts';
import { neverFails } from '../columnar/conjuncts.ts';
import type { ReferenceNode } from './plan-node.ts';
import { findSoughtKeys, keyTest } from './sought-keys.ts';

export function planRows(query: BoundQuery, parameters: readonly Value[]): ReferenceNode {
  const sought = findSoughtKeys(query, parameters);
  const input = sought && ({ kind: 'sought', sought } as const);
  return { kind: 'reference', query: dropKeyOrder(query), input };
}

/**
 * `SELECT * FROM /orders.entries e ORDER BY e.key LIMIT 5`: entries are already in key order.
 * Without the sort, a query with LIMIT reads only the rows of its result. The same query if its
 * ORDER BY changes something.
 */
export function dropKeyOrder(query: BoundQuery): BoundQuery {
  const { body } = query;
  if (body.kind !== 'select' || !isInKeyOrder(body)) return query;
  return { ...query, body: { ...body, orderBy: [] } };
}

function isInKeyOrder(select: BoundSelect): boolean {
  const { iterators, orderBy, grouping, where, projections, distinct, shape } = select;
  const [key, second] = orderBy;
  const source = regionSourceOf(iterators[0]?.source);
  if (iterators.length !== 1 || source === undefined || source.view === 'values') return false;
  if (key?.direction !== 'asc' || second !== undefined || grouping !== undefined) return false;
  if (distinct || shape === 'count' || !keyTest(select, source.view)(key.expression)) return false;
  // Rows after the last one needed are not read, so none of them may fail.
  const isSafe = where === undefined || neverFails(where);
  return isSafe && projections.every(({ expression }) => neverFails(expression));
}
