// Sorting that can pause: a bottom-up merge sort, stable, in short steps. It sorts the indexes of
// items that are stored elsewhere.

/** Negative if the left one is first. */
export type Order = (left: number, right: number) => number;

/** Numbers of indexes between two yield points; powers of two. */
export interface SortSteps {
  readonly sortedPerStep: number;
  readonly mergedPerStep: number;
}

/** The indexes of `count` items, sorted. */
export function* mergeSort(
  count: number,
  order: Order,
  { mergedPerStep, sortedPerStep }: SortSteps,
): Generator<void, Uint32Array> {
  let sorted: Uint32Array<ArrayBuffer> = new Uint32Array(count);
  for (let start = 0; start < count; start += sortedPerStep) {
    const part = sorted.subarray(start, start + sortedPerStep);
    numberFrom(start, part);
    // Input is often sorted already, and then one pass is enough.
    if (!isSorted(part, order)) part.set(Array.from(part).sort(order));
    yield;
  }
  let merged: Uint32Array<ArrayBuffer> = new Uint32Array(count);
  for (let width = sortedPerStep; width < count; width *= 2) {
    for (let start = 0; start < count; start += width * 2) {
      yield* merge({ from: sorted, to: merged, start, width, mergedPerStep }, order);
    }
    [sorted, merged] = [merged, sorted];
  }
  return sorted;
}

/** 0 to `count` - 1. */
export function indexesBelow(count: number): Uint32Array {
  const indexes = new Uint32Array(count);
  numberFrom(0, indexes);
  return indexes;
}

function numberFrom(first: number, indexes: Uint32Array): void {
  for (let at = 0; at < indexes.length; at += 1) indexes[at] = first + at;
}

function isSorted(indexes: Uint32Array, order: Order): boolean {
  for (let at = 1; at < indexes.length; at += 1) {
    if (order(indexes[at - 1] ?? 0, indexes[at] ?? 0) > 0) return false;
  }
  return true;
}

interface Merge {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /**
   * The start of the left of two sorted parts of `width`; the right one may be shorter, or absent.
   */
  readonly start: number;
  readonly width: number;
  readonly mergedPerStep: number;
}

function* merge({ from, to, start, mergedPerStep, width }: Merge, order: Order): Generator<void> {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(middle + width, from.length);
  const last = mergedPerStep - 1;
  let left = start;
  let right = middle;
  for (let at = start; at < end; at += 1) {
    const takesLeft =
      right === end || (left < middle && order(from[left] ?? 0, from[right] ?? 0) <= 0);
    to[at] = from[takesLeft ? left : right] ?? 0;
    if (takesLeft) left += 1;
    else right += 1;
    if ((at & last) === last) yield;
  }
}
