// The values of some rows at a path, as arrays; and such arrays made from parts.

import { RESERVED_IDS } from '../../../../value/row-tags.ts';

/**
 * Values of `size` rows; arrays may be longer. Bit t of `mask` is set if some row may have tag t, and
 * no number lies outside of `lowest` and `highest`.
 */
export interface Vector {
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  readonly ids: Uint32Array;
  readonly texts: Uint32Array;
  readonly mask: number;
  readonly lowest: number;
  readonly highest: number;
}

export const NO_NUMBERS: Float64Array = new Float64Array(0);
export const NO_IDS: Uint32Array = new Uint32Array(0);

/**
 * A vector of many rows that is put together part by part, with yield points between.
 * Arrays that no part has are left out. It is not to be read before all rows are there.
 */
export class VectorLayout implements Vector {
  readonly tags: Uint8Array;
  numbers: Float64Array = NO_NUMBERS;
  ids: Uint32Array = NO_IDS;
  texts: Uint32Array = NO_IDS;
  /** Of the tags that occur, and no others. */
  mask = 0;
  lowest: number = Number.POSITIVE_INFINITY;
  highest: number = Number.NEGATIVE_INFINITY;
  /** Rows that are there. */
  size = 0;

  constructor(rows: number) {
    this.tags = new Uint8Array(rows);
  }

  /** Adds the first `count` rows of a vector after those that are there. */
  add(part: Vector, count: number): void {
    const from = this.size;
    this.size += count;
    this.tags.set(part.tags.subarray(0, count), from);
    for (let row = from; row < this.size; row += 1) this.mask |= 1 << (this.tags[row] ?? 0);
    this.#addNumbers(part.numbers, from);
    this.#addIds(part.ids, from);
    if (part.texts.length > 0 && this.texts === NO_IDS) {
      this.texts = new Uint32Array(this.tags.length);
    }
    if (part.texts.length > 0) this.texts.set(part.texts.subarray(0, count), from);
    this.lowest = Math.min(this.lowest, part.lowest);
    this.highest = Math.max(this.highest, part.highest);
  }

  #addNumbers(numbers: Float64Array, from: number): void {
    if (numbers.length === 0) {
      if (this.numbers !== NO_NUMBERS) this.numbers.fill(Number.NaN, from, this.size);
      return;
    }
    if (this.numbers === NO_NUMBERS) {
      this.numbers = new Float64Array(this.tags.length).fill(Number.NaN, 0, from);
    }
    this.numbers.set(numbers.subarray(0, this.size - from), from);
  }

  #addIds(ids: Uint32Array, from: number): void {
    if (ids.length === 0) {
      if (this.ids !== NO_IDS) this.#reserveIds(from, this.size);
      return;
    }
    if (this.ids === NO_IDS) {
      this.ids = new Uint32Array(this.tags.length);
      this.#reserveIds(0, from);
    }
    this.ids.set(ids.subarray(0, this.size - from), from);
  }

  /** Rows of parts without ids are no strings, so that their tags say which id they have. */
  #reserveIds(from: number, to: number): void {
    for (let row = from; row < to; row += 1) {
      this.ids[row] = RESERVED_IDS[this.tags[row] ?? 0] ?? 0;
    }
  }
}
