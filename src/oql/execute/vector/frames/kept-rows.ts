// Rows of frames that a query keeps until it has seen all of them. They are numbered in the order in
// which they come, and remembered by their places in the columns.

import { CHUNK_ROWS } from '../../../columnar/column-source.ts';
import { PagedWords } from '../codes/pages.ts';
import { type ColumnSlot, Frame, type Locator } from './frame.ts';

export class KeptRows {
  readonly #slots: readonly ColumnSlot[];
  /** By iterator. */
  #chunks: readonly PagedWords[];
  #places: readonly PagedWords[];
  size = 0;

  constructor(iterators: number, slots: readonly ColumnSlot[]) {
    this.#slots = slots;
    this.#chunks = Array.from({ length: iterators }, () => new PagedWords());
    this.#places = Array.from({ length: iterators }, () => new PagedWords());
  }

  add(frame: Frame, row: number): void {
    for (let iterator = 0; iterator < this.#chunks.length; iterator += 1) {
      this.#chunks[iterator]?.set(this.size, frame.chunkAt(iterator, row));
      this.#places[iterator]?.set(this.size, frame.placeAt(iterator, row));
    }
    this.size += 1;
  }

  /** A number that grows with the places of rows in an iterator. */
  rank(iterator: number, number: number): number {
    const chunk = this.#chunks[iterator]?.at(number) ?? 0;
    return chunk * CHUNK_ROWS + (this.#places[iterator]?.at(number) ?? 0);
  }

  /** Drops all rows but these, which get new numbers in the given order. */
  reduceTo(numbers: Uint32Array): void {
    this.#chunks = this.#chunks.map((chunks) => pick(chunks, numbers, new PagedWords()));
    this.#places = this.#places.map((places) => pick(places, numbers, new PagedWords()));
    this.size = numbers.length;
  }

  /** The rows with the given numbers. */
  frame(numbers: Uint32Array): Frame {
    const locators = this.#chunks.map((chunks, iterator): Locator => {
      const places = this.#places[iterator] ?? chunks;
      return {
        kind: 'scattered',
        chunks: numbers.map((number) => chunks.at(number)),
        places: numbers.map((number) => places.at(number)),
      };
    });
    return new Frame(numbers.length, locators, this.#slots);
  }
}

interface Paged {
  at(place: number): number;
  set(place: number, value: number): void;
}

/** The numbers at the given places, as the first of an empty list. */
export function pick<List extends Paged>(source: List, places: Uint32Array, picked: List): List {
  for (let index = 0; index < places.length; index += 1) {
    picked.set(index, source.at(places[index] ?? 0));
  }
  return picked;
}
