// Codes of rows by one value, or by several together: equal values have equal codes, assigned in
// the order of first occurrence. For GROUP BY, DISTINCT and aggregates of distinct values.

import type { SourceColumn } from '../../../../value/column-data.ts';
import type { Value } from '../../../../value/value.ts';
import type { Frame } from '../frames/frame.ts';
import { KeyEncoder } from './key-encoder.ts';
import { NumberCodes, pairOf } from './number-codes.ts';

/** A value of each row: of a column, or computed. */
export interface RowKey {
  /** -1 for a value that is computed. */
  readonly columnNumber: number;
  readonly column: SourceColumn | undefined;
  readonly read: (frame: Frame, row: number) => Value;
}

export class RowEncoder {
  readonly #keys: readonly RowKey[];
  readonly #encoders: readonly KeyEncoder[];
  /** One for each further key: encodes its codes with those of the keys before it. */
  readonly #pairs: readonly NumberCodes[];
  /** For `findNew`: codes within groups, and the number of codes it has met. */
  readonly #grouped = new NumberCodes();
  #seen = 0;

  constructor(keys: readonly RowKey[]) {
    this.#keys = keys;
    this.#encoders = keys.map(({ column }) => new KeyEncoder(column));
    this.#pairs = keys.slice(1).map(() => new NumberCodes());
  }

  /** Number of codes assigned; without keys all rows have the code 0. */
  get size(): number {
    return (this.#pairs.at(-1) ?? this.#encoders[0])?.size ?? 1;
  }

  encode(frame: Frame, rows: Uint32Array, codes: Uint32Array): void {
    if (this.#keys.length === 0) codes.fill(0);
    else this.#encodeOne(0, frame, rows, codes);
    const scratch = this.#pairs.length === 0 ? codes : new Uint32Array(rows.length);
    this.#pairs.forEach((pairs, index) => {
      this.#encodeOne(index + 1, frame, rows, scratch);
      for (let at = 0; at < codes.length; at += 1) {
        codes[at] = pairs.encode(pairOf(codes[at] ?? 0, scratch[at] ?? 0));
      }
    });
  }

  /** Positions in `rows` of those whose code is new; with groups, new in their group. */
  findNew(frame: Frame, rows: Uint32Array, groups?: Uint32Array): Uint32Array {
    const codes = new Uint32Array(rows.length);
    this.encode(frame, rows, codes);
    const positions = new Uint32Array(rows.length);
    let count = 0;
    for (let at = 0; at < codes.length; at += 1) {
      const own = codes[at] ?? 0;
      const code = groups === undefined ? own : this.#grouped.encode(pairOf(groups[at] ?? 0, own));
      // Codes are assigned in order, so a new one is the highest so far.
      if (code < this.#seen) continue;
      this.#seen = code + 1;
      positions[count] = at;
      count += 1;
    }
    return positions.subarray(0, count);
  }

  #encodeOne(index: number, frame: Frame, rows: Uint32Array, codes: Uint32Array): void {
    const key = this.#keys[index];
    const encoder = this.#encoders[index];
    if (key === undefined || encoder === undefined) return;
    if (key.columnNumber >= 0) {
      encoder.encode(frame.vector(key.columnNumber), rows, codes);
      return;
    }
    for (let at = 0; at < rows.length; at += 1) {
      codes[at] = encoder.encodeValue(key.read(frame, rows[at] ?? 0));
    }
  }
}
