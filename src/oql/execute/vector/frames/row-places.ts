// Where rows of one column are, by numbers that are counted up: values that live as long as a query
// would be copied about by the garbage collector, for tens of milliseconds at a time.

import type { Value } from '../../../../value/value.ts';
import type { SourceColumn } from '../../../columnar/column-source.ts';
import { PagedWords } from '../codes/pages.ts';
import type { ColumnSlot, Frame } from './frame.ts';
import { readValue } from './read-value.ts';

export class RowPlaces {
  readonly column: SourceColumn;
  readonly #iterator: number;
  readonly #chunks = new PagedWords();
  readonly #places = new PagedWords();

  constructor({ iterator, column }: ColumnSlot) {
    this.#iterator = iterator;
    this.column = column;
  }

  /** Remembers where a row of a frame is. */
  set(number: number, frame: Frame, row: number): void {
    this.#chunks.set(number, frame.chunkAt(this.#iterator, row));
    this.#places.set(number, frame.placeAt(this.#iterator, row));
  }

  chunk(number: number): ReturnType<SourceColumn['chunk']> {
    return this.column.chunk(this.#chunks.at(number));
  }

  place(number: number): number {
    return this.#places.at(number);
  }

  /** The value of the row, made anew. */
  value(number: number): Value {
    const chunk = this.chunk(number);
    const place = this.place(number);
    chunk.ensure(place + 1);
    return readValue(chunk, place, this.column);
  }
}
