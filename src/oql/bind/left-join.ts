// LEFT JOIN as the binder writes it: an iterator over the matching rows of a region, or one null.

import { ROWS_OR_NULL } from '../functions/operator-functions.ts';
import type { BoundExpression, BoundSelect } from './bound-query.ts';
import { regionSourceOf } from './region-source.ts';

/** The select of the matching rows; undefined unless LEFT JOIN reads one region. */
export function leftJoinedRows(source: BoundExpression): BoundSelect | undefined {
  if (source.kind !== 'function' || source.definition !== ROWS_OR_NULL) return undefined;
  const [rows] = source.arguments;
  if (rows?.kind !== 'select') return undefined;
  const [only, ...others] = rows.iterators;
  return regionSourceOf(only?.source) !== undefined && others.length === 0 ? rows : undefined;
}

/** The same for each LEFT JOIN of a query. */
export function leftJoinsOf(body: BoundExpression): readonly BoundSelect[] {
  if (body.kind !== 'select') return [];
  return body.iterators.flatMap(({ source }) => leftJoinedRows(source) ?? []);
}
