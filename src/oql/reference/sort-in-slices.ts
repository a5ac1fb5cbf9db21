// Sorts that yield when a slice is over.

import { mergeSort, type SortSteps } from '../../value/merge-sort.ts';
import type { QueryRun } from './query-run.ts';
import { PAUSE, type Task } from './steps.ts';

/** Long strings take a microsecond to compare. */
export const QUERY_STEPS: SortSteps = { sortedPerStep: 128, mergedPerStep: 128 };

/** Sorts the numbers below `count`, which are indexes of arrays of the caller. */
export function* sortIndexes(
  count: number,
  order: (left: number, right: number) => number,
  run: QueryRun,
): Task<Uint32Array> {
  const sorting = mergeSort(count, order, QUERY_STEPS);
  for (;;) {
    const step = sorting.next();
    if (step.done === true) return step.value;
    if (run.pacer.isSliceOver()) yield PAUSE;
  }
}

/** Sorts stably into a new array. */
export function* sortItems<Item>(
  items: readonly Item[],
  order: (left: Item, right: Item) => number,
  run: QueryRun,
): Task<Item[]> {
  // Every index is within the array.
  const itemAt = (index: number): Item => items[index] as Item;
  const indexes = yield* sortIndexes(items.length, (a, b) => order(itemAt(a), itemAt(b)), run);
  return Array.from(indexes, itemAt);
}
