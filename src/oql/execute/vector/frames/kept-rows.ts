// Rows that a query keeps until it has read all of them. They are numbered in the order in which
// they are added, and stored as positions in the columns.

import { CHUNK_ROWS } from '../../../../value/column-data.ts';
import { PagedWords } from '../codes/pages.ts';
import { Frame, type Locator, type QueryColumn } from './frame.ts';

export class KeptRows {
  readonly #columns: readonly QueryColumn[];
  /** By iterator. */
  #chunks: readonly PagedWords[];
  #positions: readonly PagedWords[];
  size = 0;

  constructor(iterators: number, columns: readonly QueryColumn[]) {
    this.#columns = columns;
    this.#chunks = Array.from({ length: iterators }, () => new PagedWords());
    this.#positions = Array.from({ length: iterators }, () => new PagedWords());
  }

  add(frame: Frame, row: number): void {
    for (let iterator = 0; iterator < this.#chunks.length; iterator += 1) {
      this.#chunks[iterator]?.set(this.size, frame.chunkAt(iterator, row));
      this.#positions[iterator]?.set(this.size, frame.positionAt(iterator, row));
    }
    this.size += 1;
  }

  /** A number that orders rows by their positions in an iterator. */
  rank(iterator: number, number: number): number {
    const chunk = this.#chunks[iterator]?.at(number) ?? 0;
    return chunk * CHUNK_ROWS + (this.#positions[iterator]?.at(number) ?? 0);
  }

  /** Drops all rows but these, which get new numbers in the given order. */
  reduceTo(numbers: Uint32Array): void {
    this.#chunks = this.#chunks.map((chunks) => chunks.pick(numbers));
    this.#positions = this.#positions.map((positions) => positions.pick(numbers));
    this.size = numbers.length;
  }

  /** The rows with the given numbers. */
  frame(numbers: Uint32Array): Frame {
    const locators = this.#chunks.map((chunks, iterator): Locator => {
      const positions = this.#positions[iterator] ?? chunks;
      return {
        kind: 'scattered',
        chunks: numbers.map((number) => chunks.at(number)),
        positions: numbers.map((number) => positions.at(number)),
      };
    });
    return new Frame(numbers.length, locators, this.#columns);
  }
}
