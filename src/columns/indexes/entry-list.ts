// The entries of an index that is being built, and their sorting.

import { indexesBelow, mergeSort, type SortSteps } from '../../value/merge-sort.ts';
import { extend } from '../arrays.ts';

/** Entries in order of arrival. */
export class EntryList {
  keys: Float64Array = new Float64Array(1024);
  rows: Uint32Array = new Uint32Array(1024);
  size = 0;

  push(key: number, row: number): void {
    if (this.size === this.keys.length) {
      this.keys = extend(new Float64Array(this.size * 2), this.keys);
      this.rows = extend(new Uint32Array(this.size * 2), this.rows);
    }
    this.keys[this.size] = key;
    this.rows[this.size] = row;
    this.size += 1;
  }

  sizeBytes(): number {
    return this.keys.byteLength + this.rows.byteLength;
  }
}

/** Strings take ten times as long to sort as numbers; in a merge each is compared once. */
const STEPS: SortSteps = { sortedPerStep: 512, mergedPerStep: 2048 };

/** The indexes 0 to `size` - 1 in order; the sort is stable. */
export function sortEntries(
  size: number,
  order: (left: number, right: number) => number,
): Generator<void, Uint32Array> {
  return mergeSort(indexesBelow(size), order, STEPS);
}
