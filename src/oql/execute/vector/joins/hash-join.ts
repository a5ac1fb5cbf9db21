// The inner side of an equi-join: rows by the code of their key, in key order of the region, so that
// matches come in the order nested loops would find them.

import type { SourceColumn } from '../../../columnar/column-source.ts';
import { KeyEncoder } from '../codes/key-encoder.ts';
import { type Frame, JoinedRows, type Vector } from '../frames/frame.ts';

/** Rows between two borders at which the driver may pause: they take some hundred microseconds. */
const STEP = 1 << 15;

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

  /** Sorts the rows by code, keeping their order within each, in steps. */
  *finish(): Generator<void> {
    const codes = this.#codes.subarray(0, this.size);
    const starts = new Uint32Array(this.#encoder.size + 1);
    for (const [from, to] of steps(codes.length)) {
      countCodes(codes, starts, from, to);
      yield;
    }
    for (const [from, to] of steps(starts.length - 1)) {
      addUp(starts, from, to);
      yield;
    }
    const sorted = new Uint32Array(this.size);
    const next = starts.slice();
    for (const [from, to] of steps(codes.length)) {
      const rows = this.#rows;
      for (let index = from; index < to; index += 1) {
        const code = codes[index] ?? 0;
        const at = next[code] ?? 0;
        sorted[at] = rows[index] ?? 0;
        next[code] = at + 1;
      }
      yield;
    }
    this.starts = starts;
    this.sorted = new JoinedRows(sorted);
  }

  /** Prepares to find codes, in steps. */
  finder(column: SourceColumn): ReturnType<KeyEncoder['finder']> {
    return this.#encoder.finder(column);
  }
}

/** From and to of each step over so many places. */
function* steps(size: number): Generator<readonly [number, number]> {
  for (let from = 0; from < size; from += STEP) yield [from, Math.min(from + STEP, size)];
}

/** The number of each code goes one place behind it. */
function countCodes(codes: Uint32Array, starts: Uint32Array, from: number, to: number): void {
  for (let index = from; index < to; index += 1) {
    const code = (codes[index] ?? 0) + 1;
    starts[code] = (starts[code] ?? 0) + 1;
  }
}

function addUp(starts: Uint32Array, from: number, to: number): void {
  for (let code = from + 1; code <= to; code += 1) {
    starts[code] = (starts[code] ?? 0) + (starts[code - 1] ?? 0);
  }
}

function double(array: Uint32Array): Uint32Array {
  const grown = new Uint32Array(array.length * 2);
  grown.set(array);
  return grown;
}
