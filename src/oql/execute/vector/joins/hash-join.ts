// The inner side of an equi-join: rows by the code of their key, in key order of the region, so that
// matches come in the order nested loops would find them.

import type { Value } from '../../../../value/value.ts';
import type { SourceColumn } from '../../../columnar/column-source.ts';
import { type FindCodes, KeyEncoder, type LabelFinder } from '../codes/key-encoder.ts';
import { JoinedRows } from '../frames/frame.ts';
import type { Vector } from '../frames/vector.ts';

/** Codes between two yield points: they take some hundred microseconds. */
const STEP = 1 << 15;

/** Rows of one frame, with the codes of their keys. */
interface CodedRows {
  readonly codes: Uint32Array;
  readonly rows: Uint32Array;
}

export class JoinTable {
  readonly #encoder: KeyEncoder;
  /** In pieces: one array of all would be copied whenever it grows. */
  #parts: CodedRows[] = [];
  size = 0;
  /** Matches of code c are rows [starts[c], starts[c + 1]) of `sorted`. */
  starts: Uint32Array = new Uint32Array(1);
  sorted: JoinedRows = new JoinedRows(new Uint32Array(0));

  /** Without a column for keys that are computed. */
  constructor(column: SourceColumn | undefined) {
    this.#encoder = new KeyEncoder(column);
  }

  /** Takes the picked rows of a vector of keys, each under a number of the caller's. */
  add(key: Vector, picked: Uint32Array, numbers: Uint32Array): void {
    const codes = new Uint32Array(picked.length);
    this.#encoder.encode(key, picked, codes);
    this.#parts.push({ codes, rows: numbers });
    this.size += picked.length;
  }

  /** Takes rows under numbers of the caller's, with keys that were computed. */
  addValues(keys: readonly Value[], numbers: Uint32Array): void {
    const codes = Uint32Array.from(keys, (key) => this.#encoder.encodeValue(key));
    this.#parts.push({ codes, rows: numbers });
    this.size += keys.length;
  }

  /** The code of a computed key; -1 if no row has it. */
  findValue(key: Value): number {
    return this.#encoder.findValue(key);
  }

  /** True when no key occurs twice. */
  get isUnique(): boolean {
    return this.size === this.#encoder.size;
  }

  /** Sorts the rows by code, keeping their order within each, in steps. */
  *finish(): Generator<void> {
    const starts = new Uint32Array(this.#encoder.size + 1);
    for (const { codes } of this.#parts) {
      countCodes(codes, starts);
      yield;
    }
    for (let from = 0; from < starts.length - 1; from += STEP) {
      addUp(starts, from, Math.min(from + STEP, starts.length - 1));
      yield;
    }
    const sorted = new Uint32Array(this.size);
    const next = starts.slice();
    for (const { codes, rows } of this.#parts) {
      for (let index = 0; index < codes.length; index += 1) {
        const code = codes[index] ?? 0;
        const at = next[code] ?? 0;
        sorted[at] = rows[index] ?? 0;
        next[code] = at + 1;
      }
      yield;
    }
    this.#parts = [];
    this.starts = starts;
    this.sorted = new JoinedRows(sorted);
  }

  /** Prepares to find codes, in steps. */
  finder(column: SourceColumn): Generator<void, FindCodes> {
    return this.#encoder.finder(column);
  }

  /** Prepares to find codes and their labels, in steps. */
  labelFinder(column: SourceColumn, labels: Uint32Array): Generator<void, LabelFinder> {
    return this.#encoder.labelFinder(column, labels);
  }
}

/** The number of each code goes one place after it. */
function countCodes(codes: Uint32Array, starts: Uint32Array): void {
  for (const code of codes) starts[code + 1] = (starts[code + 1] ?? 0) + 1;
}

function addUp(starts: Uint32Array, from: number, to: number): void {
  for (let code = from + 1; code <= to; code += 1) {
    starts[code] = (starts[code] ?? 0) + (starts[code - 1] ?? 0);
  }
}
