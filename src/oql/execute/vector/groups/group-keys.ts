// The keys of groups. Where a key is a column, a group remembers where its first row is and not the
// value: a million values that live as long as the query would be copied about by the garbage
// collector, for tens of milliseconds at a time.

import { totalOrder } from '../../../../value/compare.ts';
import type { Value } from '../../../../value/value.ts';
import {
  INTEGER,
  type SourceColumn,
  SPELLED_DOUBLE,
  STRING,
} from '../../../columnar/column-source.ts';
import { compareEntries } from '../conditions/utf8.ts';
import type { Frame, Slot } from '../frames/frame.ts';
import { readValue } from '../frames/read-value.ts';

/** One key of all groups, by their numbers. */
export interface GroupKeys {
  /** Opens the next group, with the key of a row. */
  open(frame: Frame, row: number): void;
  value(group: number): Value;
  /** The order of two groups by this key, as of their values. */
  order(left: number, right: number): number;
}

/** A key that is read from a column. */
export class ColumnKeys implements GroupKeys {
  readonly #iterator: number;
  readonly #column: SourceColumn;
  #chunks: Uint32Array = new Uint32Array(64);
  #places: Uint32Array = new Uint32Array(64);
  #size = 0;

  constructor({ iterator, column }: Slot) {
    this.#iterator = iterator;
    this.#column = column;
  }

  open(frame: Frame, row: number): void {
    if (this.#size === this.#chunks.length) {
      this.#chunks = double(this.#chunks);
      this.#places = double(this.#places);
    }
    this.#chunks[this.#size] = frame.chunkAt(this.#iterator, row);
    this.#places[this.#size] = frame.placeAt(this.#iterator, row);
    this.#size += 1;
  }

  value(group: number): Value {
    const chunk = this.#column.chunk(this.#chunks[group] ?? 0);
    chunk.ensure((this.#places[group] ?? 0) + 1);
    return readValue(chunk, this.#places[group] ?? 0, this.#column);
  }

  order(left: number, right: number): number {
    const a = this.#column.chunk(this.#chunks[left] ?? 0);
    const b = this.#column.chunk(this.#chunks[right] ?? 0);
    const leftPlace = this.#places[left] ?? 0;
    const rightPlace = this.#places[right] ?? 0;
    const leftTag = a.tags[leftPlace] ?? 0;
    const rightTag = b.tags[rightPlace] ?? 0;
    if (isNumber(leftTag) && isNumber(rightTag)) {
      return (a.numbers[leftPlace] ?? 0) - (b.numbers[rightPlace] ?? 0);
    }
    if (leftTag === STRING && rightTag === STRING) {
      const { strings } = this.#column;
      return compareEntries(strings, a.ids[leftPlace] ?? 0, strings, b.ids[rightPlace] ?? 0);
    }
    return totalOrder(this.value(left), this.value(right));
  }
}

function isNumber(tag: number): boolean {
  return tag >= INTEGER && tag <= SPELLED_DOUBLE;
}

function double(array: Uint32Array): Uint32Array {
  const grown = new Uint32Array(array.length * 2);
  grown.set(array);
  return grown;
}

/** A key that is computed. */
export class ComputedKeys implements GroupKeys {
  readonly #compute: (frame: Frame, row: number) => Value;
  readonly #values: Value[] = [];

  constructor(compute: (frame: Frame, row: number) => Value) {
    this.#compute = compute;
  }

  open(frame: Frame, row: number): void {
    this.#values.push(this.#compute(frame, row));
  }

  value(group: number): Value {
    return this.#values[group] ?? null;
  }

  order(left: number, right: number): number {
    return totalOrder(this.value(left), this.value(right));
  }
}
