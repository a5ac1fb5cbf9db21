// Rows that a query keeps until it has read all of them, as positions in the columns. They replace
// values, which the garbage collector would copy for tens of milliseconds if they lived as long as a
// query.

import { CHUNK_ROWS, type SourceColumn } from '../../../../value/column-data.ts';
import type { Value } from '../../../../value/value.ts';
import { PagedWords } from '../codes/pages.ts';
import type { Matches } from '../predicates/row-filter.ts';
import { Frame, type Locator, type QueryColumn } from './frame.ts';
import { firstRows } from './scan-frames.ts';
import { readValue } from './vector.ts';

/** Rows per batch: they are scattered over the columns, which takes longer. */
const BATCH = 1024;

/** Rows of all iterators, numbered in the order in which they are added. */
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

  /** The rows with these numbers, in this order, in batches. */
  *inOrder(numbers: Uint32Array): Generator<Matches> {
    for (let start = 0; start < numbers.length; start += BATCH) {
      const frame = this.#frame(numbers.subarray(start, start + BATCH));
      yield { frame, count: frame.size, rows: firstRows(frame.size) };
    }
  }

  #frame(numbers: Uint32Array): Frame {
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

/** Rows of one column, by consecutive numbers. */
export class RowPositions {
  readonly column: SourceColumn;
  readonly #iterator: number;
  readonly #chunks = new PagedWords();
  readonly #positions = new PagedWords();

  constructor({ iterator, column }: QueryColumn) {
    this.#iterator = iterator;
    this.column = column;
  }

  set(number: number, frame: Frame, row: number): void {
    this.#chunks.set(number, frame.chunkAt(this.#iterator, row));
    this.#positions.set(number, frame.positionAt(this.#iterator, row));
  }

  chunk(number: number): ReturnType<SourceColumn['chunk']> {
    return this.column.chunk(this.#chunks.at(number));
  }

  position(number: number): number {
    return this.#positions.at(number);
  }

  /** The value of the row, created for each call. */
  value(number: number): Value {
    const chunk = this.chunk(number);
    const position = this.position(number);
    chunk.ensure(position + 1);
    return readValue(chunk, position, this.column);
  }
}
