// Sorting that can pause: a bottom-up merge sort, stable, in short steps.

import type { Run } from './run.ts';
import { PAUSE, type Task } from './steps.ts';

type Order<Item> = (left: Item, right: Item) => number;

/** Items sorted or merged in one step; long strings take a microsecond to compare. */
const STEP = 128;

/** Sorts places of things that are held elsewhere. Each step ends at a yield point. */
export function* mergeSort(
  places: Uint32Array,
  order: Order<number>,
): Generator<void, Uint32Array> {
  let sorted = places.slice();
  for (let start = 0; start < sorted.length; start += STEP) {
    const part = sorted.subarray(start, start + STEP);
    // Often things come in order, and then a look at them is enough.
    if (!isSorted(part, order)) part.set(Array.from(part).sort(order));
    yield;
  }
  let merged: Uint32Array<ArrayBuffer> = new Uint32Array(sorted.length);
  for (let width = STEP; width < sorted.length; width *= 2) {
    for (let start = 0; start < sorted.length; start += width * 2) {
      yield* merge({ from: sorted, to: merged, start, width }, order);
    }
    [sorted, merged] = [merged, sorted];
  }
  return sorted;
}

function isSorted(places: Uint32Array, order: Order<number>): boolean {
  for (let at = 1; at < places.length; at += 1) {
    if (order(places[at - 1] ?? 0, places[at] ?? 0) > 0) return false;
  }
  return true;
}

interface Merge {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** Where the left of two sorted parts of `width` begins; the right one may be shorter, or absent. */
  readonly start: number;
  readonly width: number;
}

function* merge({ from, to, start, width }: Merge, order: Order<number>): Generator<void> {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(middle + width, from.length);
  let left = start;
  let right = middle;
  for (let at = start; at < end; at += 1) {
    const takesLeft =
      right === end || (left < middle && order(from[left] ?? 0, from[right] ?? 0) <= 0);
    to[at] = from[takesLeft ? left : right] ?? 0;
    if (takesLeft) left += 1;
    else right += 1;
    if (at % STEP === STEP - 1) yield;
  }
}

/** The numbers below `count` in order: a sort of things that are held in arrays elsewhere. */
export function* sortPlaces(count: number, order: Order<number>, run: Run): Task<Uint32Array> {
  const places = new Uint32Array(count);
  for (let place = 0; place < count; place += 1) places[place] = place;
  const sorting = mergeSort(places, order);
  for (;;) {
    const step = sorting.next();
    if (step.done === true) return step.value;
    if (run.pacer.isSliceOver()) yield PAUSE;
  }
}

/** Sorts stably into a new array. */
export function* sortItems<Item>(
  items: readonly Item[],
  order: Order<Item>,
  run: Run,
): Task<Item[]> {
  // Places come from the bounds of the array itself.
  const itemAt = (place: number): Item => items[place] as Item;
  const places = yield* sortPlaces(items.length, (a, b) => order(itemAt(a), itemAt(b)), run);
  return Array.from(places, itemAt);
}
