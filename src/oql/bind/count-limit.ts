// Whether LIMIT bounds the rows that `COUNT(*)` alone counts.

import type { BoundSelect } from './bound-query.ts';

/** It does, except for a plain count of one iterator. */
export function countsWithoutLimit({ shape, where, iterators }: BoundSelect): boolean {
  return shape === 'count' && where === undefined && iterators.length === 1;
}
