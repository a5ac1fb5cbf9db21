// Parts of a table that are written together: columns, lists, and the indexes on them.

import type { ValueIndex } from './indexes/value-index.ts';
import type { EncodedValue, RowWriter } from './row-writer.ts';

export class WrittenParts {
  readonly #writer: RowWriter;
  readonly #indexes: readonly ValueIndex[];

  constructor(writer: RowWriter, indexes: readonly ValueIndex[]) {
    this.#writer = writer;
    this.#indexes = indexes;
  }

  /** Writes a document into a row that has no values. */
  write(row: number, value: EncodedValue): void {
    this.#writer.write(row, value);
    for (const index of this.#indexes) index.add(row);
  }

  overwrite(row: number, value: EncodedValue): void {
    for (const index of this.#indexes) index.beginOverwrite(row);
    this.#writer.overwrite(row, value);
    for (const index of this.#indexes) index.endOverwrite(row);
  }

  /** See `RowWriter`. */
  prefetch(row: number): number {
    return this.#writer.prefetch(row);
  }

  /** See `RowWriter`. */
  begin(): void {
    this.#writer.begin();
  }

  end(): void {
    this.#writer.end();
  }
}
