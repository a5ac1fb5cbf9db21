// The delta of a table: rows that were added out of key order, inserted into a sorted list. A
// reader in key order merges them with the sorted rows, without sorting.

import { type Probe, SortedBlocks } from './indexes/sorted-blocks.ts';

const FROM_FIRST: Probe = () => 1;
const TO_LAST: Probe = () => -1;

/** In key order; `before[i]` is the sorted row that `rows[i]` comes before. */
export interface DeltaRowList {
  readonly rows: Uint32Array;
  readonly before: Uint32Array;
}

export class DeltaRows {
  readonly #orderOf: (row: number) => number;
  readonly #sorted: SortedBlocks;
  /** Undefined after rows were added or removed. */
  #list: DeltaRowList | undefined;

  /**
   * `orderOf` is the sorted row that a delta row comes before; `compareKeys` orders two that come
   * before the same one.
   */
  constructor(
    orderOf: (row: number) => number,
    compareKeys: (left: number, right: number) => number,
  ) {
    this.#orderOf = orderOf;
    this.#sorted = new SortedBlocks((a, b) => orderOf(a) - orderOf(b) || compareKeys(a, b));
  }

  add(row: number): void {
    this.#sorted.insert(row, row);
    this.#list = undefined;
  }

  remove(row: number): void {
    this.#sorted.remove(row, row);
    this.#list = undefined;
  }

  /** The same object until a row is added or removed. */
  list(): DeltaRowList {
    if (this.#list !== undefined) return this.#list;
    const { size } = this.#sorted;
    const rows = new Uint32Array(size);
    const before = new Uint32Array(size);
    let at = 0;
    this.#sorted.forEach(FROM_FIRST, TO_LAST, (row) => {
      rows[at] = row;
      before[at] = this.#orderOf(row);
      at += 1;
    });
    this.#list = { rows, before };
    return this.#list;
  }

  sizeBytes(): number {
    return this.#sorted.sizeBytes() + (this.#list?.rows.byteLength ?? 0) * 2;
  }
}
