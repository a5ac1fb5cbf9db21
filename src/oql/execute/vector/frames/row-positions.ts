// Positions of rows of one column, by consecutive numbers. They replace values, which the garbage
// collector would copy for tens of milliseconds if they lived as long as a query.

import type { SourceColumn } from '../../../../value/column-data.ts';
import type { Value } from '../../../../value/value.ts';
import { PagedWords } from '../codes/pages.ts';
import type { Frame, QueryColumn } from './frame.ts';
import { readValue } from './vector.ts';

export class RowPositions {
  readonly column: SourceColumn;
  readonly #iterator: number;
  readonly #chunks = new PagedWords();
  readonly #positions = new PagedWords();

  constructor({ iterator, column }: QueryColumn) {
    this.#iterator = iterator;
    this.column = column;
  }

  /** Stores the position of a row of a frame. */
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
