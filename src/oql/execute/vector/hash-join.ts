// The inner side of an equi-join: rows by the code of their key, in key order of the region, so that
// matches come in the order nested loops would find them.

import type { SourceColumn } from '../../columnar/column-source.ts';
import { type Frame, JoinedRows, type Vector } from './frame.ts';
import { KeyEncoder } from './key-encoder.ts';

export class JoinTable {
  readonly #encoder: KeyEncoder;
  #codes: Uint32Array = new Uint32Array(1024);
  #rows: Uint32Array = new Uint32Array(1024);
  size = 0;
  /** Matches of code c are rows [starts[c], starts[c + 1]) of `sorted`. */
  starts: Uint32Array = new Uint32Array(1);
  sorted: JoinedRows = new JoinedRows(new Uint32Array(0));

  constructor(column: SourceColumn) {
    this.#encoder = new KeyEncoder(column);
  }

  /** Takes the given rows of a frame whose places in `iterator` are to be joined. */
  add(frame: Frame, iterator: number, key: Vector, picked: Uint32Array): void {
    while (this.size + picked.length > this.#rows.length) {
      this.#codes = double(this.#codes);
      this.#rows = double(this.#rows);
    }
    this.#encoder.encode(key, picked, this.#codes.subarray(this.size));
    const rows = frame.rowNumbers(iterator);
    for (let index = 0; index < picked.length; index += 1) {
      this.#rows[this.size + index] = rows[picked[index] ?? 0] ?? 0;
    }
    this.size += picked.length;
  }

  /** True when no key occurs twice. */
  get isUnique(): boolean {
    return this.size === this.#encoder.size;
  }

  /** Sorts the rows by code, keeping their order within each. */
  finish(): void {
    const starts = new Uint32Array(this.#encoder.size + 1);
    const codes = this.#codes;
    for (let index = 0; index < this.size; index += 1) {
      const code = (codes[index] ?? 0) + 1;
      starts[code] = (starts[code] ?? 0) + 1;
    }
    for (let code = 1; code < starts.length; code += 1) {
      starts[code] = (starts[code] ?? 0) + (starts[code - 1] ?? 0);
    }
    const sorted = new Uint32Array(this.size);
    const next = starts.slice();
    for (let index = 0; index < this.size; index += 1) {
      const code = codes[index] ?? 0;
      const at = next[code] ?? 0;
      sorted[at] = this.#rows[index] ?? 0;
      next[code] = at + 1;
    }
    this.starts = starts;
    this.sorted = new JoinedRows(sorted);
  }

  finder(column: SourceColumn): (vector: Vector, size: number) => Int32Array {
    return this.#encoder.finder(column);
  }
}

function double(array: Uint32Array): Uint32Array {
  const grown = new Uint32Array(array.length * 2);
  grown.set(array);
  return grown;
}
