// Sorting that can pause: a bottom-up merge sort, stable, in short steps.

import { sortOrder } from '../../value/compare.ts';
import { describeValue } from '../../value/describe-value.ts';
import { isAbsent, type Value } from '../../value/value.ts';
import { valuesNotComparable } from '../errors.ts';
import type { CompiledSelect, CompiledSortKey } from './compile-query.ts';
import type { Row, Run } from './run.ts';
import { type Flow, isWait, PAUSE, type Task } from './steps.ts';

type Order<Item> = (left: Item, right: Item) => number;

/** Items sorted between two looks at the clock; long strings take a microsecond to compare. */
const FIRST_RUN = 128;

/** Sorts stably into a new array. */
export function* sortItems<Item>(
  items: readonly Item[],
  order: Order<Item>,
  run: Run,
): Task<Item[]> {
  let sorted: Item[] = [];
  for (let start = 0; start < items.length; start += FIRST_RUN) {
    sorted.push(...items.slice(start, start + FIRST_RUN).sort(order));
    if (run.pacer.isSliceOver()) yield PAUSE;
  }
  for (let width = FIRST_RUN; width < sorted.length; width *= 2) {
    sorted = yield* mergeRuns(sorted, width, order, run);
  }
  return sorted;
}

/** Merges neighbours of sorted runs of `width` items each. */
function* mergeRuns<Item>(
  items: readonly Item[],
  width: number,
  order: Order<Item>,
  run: Run,
): Task<Item[]> {
  const merged: Item[] = [];
  for (let start = 0; start < items.length; start += width * 2) {
    const middle = Math.min(start + width, items.length);
    const end = Math.min(middle + width, items.length);
    let left = start;
    let right = middle;
    while (left < middle || right < end) {
      const takesLeft =
        right === end || (left < middle && order(at(items, left), at(items, right)) <= 0);
      merged.push(at(items, takesLeft ? left : right));
      if (takesLeft) left += 1;
      else right += 1;
      if (run.pacer.isDue()) yield PAUSE;
    }
  }
  return merged;
}

/** The numbers below `count` in order, stably: a sort of things that are held in arrays elsewhere. */
export function* sortPlaces(count: number, order: Order<number>, run: Run): Task<Uint32Array> {
  let sorted = new Uint32Array(count);
  for (let start = 0; start < count; start += FIRST_RUN) {
    const places: number[] = [];
    const end = Math.min(start + FIRST_RUN, count);
    for (let place = start; place < end; place += 1) places.push(place);
    sorted.set(places.sort(order), start);
    if (run.pacer.isSliceOver()) yield PAUSE;
  }
  let merged = new Uint32Array(count);
  for (let width = FIRST_RUN; width < count; width *= 2) {
    for (let start = 0; start < count; start += width * 2) {
      yield* mergePlaces({ from: sorted, to: merged, start, width }, order, run);
    }
    [sorted, merged] = [merged, sorted];
  }
  return sorted;
}

interface PlaceMerge {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** Where the left of two runs of `width` begins; the right one may be shorter, or absent. */
  readonly start: number;
  readonly width: number;
}

function* mergePlaces(
  { from, to, start, width }: PlaceMerge,
  order: Order<number>,
  run: Run,
): Task<void> {
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
    if (run.pacer.isDue()) yield PAUSE;
  }
}

function at<Item>(items: readonly Item[], index: number): Item {
  // Indexes come from the bounds of the array itself.
  return items[index] as Item;
}

/** Beyond so many rows more than asked for, the surplus is sorted out. */
const SURPLUS = 4096;

/** ORDER BY. When only the first rows are wanted, not many more are kept. */
export function* sortRows(
  rows: Flow<Row>,
  select: CompiledSelect,
  wanted: number,
  run: Run,
): Flow<Row> {
  const order = rowOrder(select.sortKeys);
  const columns = new SortColumns(select);
  let kept: Row[] = [];
  try {
    for (const step of rows) {
      if (isWait(step)) {
        yield step;
        continue;
      }
      columns.check(step);
      run.budget.keep(1, select.place);
      kept.push(step);
      if (kept.length > 2 * wanted + SURPLUS) {
        const first = (yield* sortItems(kept, order, run)).slice(0, wanted);
        run.budget.release(kept.length - first.length);
        kept = first;
      }
    }
    for (const row of yield* sortItems(kept, order, run)) {
      yield row;
      if (run.pacer.isDue()) yield PAUSE;
    }
  } finally {
    run.budget.release(kept.length);
  }
}

function rowOrder(keys: readonly CompiledSortKey[]): Order<Row> {
  const signs = keys.map(({ direction }) => (direction === 'asc' ? 1 : -1));
  return (left, right) => {
    for (const [index, sign] of signs.entries()) {
      const order = sortOrder(at(left.sortValues, index), at(right.sortValues, index)) ?? 0;
      if (order !== 0) return order * sign;
    }
    return 0;
  };
}

/**
 * Every two values of a sort column must have an order. Checked row by row and not by the sort,
 * so that no way of sorting can miss a clash.
 */
class SortColumns {
  readonly #select: CompiledSelect;
  readonly #firstValues: (Value | undefined)[];

  constructor(select: CompiledSelect) {
    this.#select = select;
    this.#firstValues = select.sortKeys.map(() => undefined);
  }

  check(row: Row): void {
    for (const [index, value] of row.sortValues.entries()) {
      if (isAbsent(value)) continue;
      const first = this.#firstValues[index];
      if (first === undefined) this.#firstValues[index] = value;
      else if (sortOrder(first, value) === undefined) this.#fail(index, first, value);
    }
  }

  #fail(index: number, first: Value, other: Value): never {
    const place = this.#select.sortKeys[index]?.expression.place ?? this.#select.place;
    const values = `${describeValue(first)} and ${describeValue(other)}`;
    throw valuesNotComparable(place, `ORDER BY meets ${values}, which have no common order`);
  }
}
