// Names the entry whose value made a row fail. Of a joined row, it is the entry of the iterator to
// which the failing part of the query refers.

import type { BoundPath, BoundSelect } from '../bind/bound-query.ts';
import { pathsIn } from '../bind/references.ts';
import { regionSourceOf } from '../bind/region-source.ts';
import type { OqlError } from '../errors.ts';
import { type Environment, isRowFailure } from './environment.ts';

/** Names the current entry of the environment, if an error means that a row failed. */
export function blameRow(error: unknown, select: BoundSelect, { keys }: Environment): void {
  if (isRowFailure(error)) blameEntry(error, select, (each) => keys[select.depth]?.[each]);
}

/**
 * `keyOf` returns the key of the current entry of an iterator over a region. If the select does not
 * have the failing part, as after a rewrite, an entry is named only if there is one iterator.
 */
export function blameEntry(
  error: OqlError,
  select: BoundSelect,
  keyOf: (iterator: number) => string | undefined,
): void {
  const only = select.iterators.length === 1 ? [0] : [];
  for (const iterator of [...iteratorsWithin(error, select), ...only]) {
    const root = rootOf(iterator, select);
    const region = regionSourceOf(select.iterators[root]?.source)?.name;
    const key = keyOf(root);
    // The first entry that is named stays.
    if (region !== undefined && key !== undefined) error.blame({ region, key });
  }
}

/** Iterators of the paths within the span of the error, in order of appearance. */
function iteratorsWithin({ span }: OqlError, select: BoundSelect): readonly number[] {
  const isWithin = (path: BoundPath): boolean =>
    path.depth === select.depth && path.span.start >= span.start && path.span.end <= span.end;
  return pathsIn(select).flatMap((path) => (isWithin(path) ? [path.iterator] : []));
}

/** The iterator over a region whose documents have the lists of an iterator. */
function rootOf(iterator: number, select: BoundSelect): number {
  const source = select.iterators[iterator]?.source;
  const isInner = source?.kind === 'path' && source.depth === select.depth;
  return isInner ? rootOf(source.iterator, select) : iterator;
}
