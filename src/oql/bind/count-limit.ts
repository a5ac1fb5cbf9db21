// Whether LIMIT bounds the rows that `COUNT(*)` alone counts.

import type { BoundSelect } from './bound-query.ts';

/** True for the rows of one iterator without WHERE: LIMIT does not reduce their count. */
export function countsWithoutLimit({ shape, where, iterators }: BoundSelect): boolean {
  return shape === 'count' && where === undefined && iterators.length === 1;
}
