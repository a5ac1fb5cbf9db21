// Codes of the values of a join table. Its rows are told apart once; a pair then needs no more than a
// look at the row's place. Codes are still given in the order in which pairs ask for them.

import type { JoinedRows } from './frame.ts';
import { UNSEEN } from './number-codes.ts';

export class SharedCodes {
  readonly rows: JoinedRows;
  /** By place: a number that equal values share; the code itself once all have theirs. */
  #kinds: Uint32Array;
  /** Code of each kind. */
  readonly #codes: Int32Array;
  #unseen: number;

  constructor(rows: JoinedRows, kinds: Uint32Array, kindCount: number) {
    this.rows = rows;
    this.#kinds = kinds;
    this.#codes = new Int32Array(kindCount).fill(UNSEEN);
    this.#unseen = kindCount;
  }

  /** Writes the codes of the given rows by their places; `encode` is asked about each kind once. */
  write(
    places: Uint32Array,
    rows: Uint32Array,
    codes: Uint32Array,
    encode: (place: number) => number,
  ): void {
    if (this.#unseen === 0) lookUp(this.#kinds, places, rows, codes);
    else this.#writeNew(places, rows, codes, encode);
  }

  #writeNew(
    places: Uint32Array,
    rows: Uint32Array,
    codes: Uint32Array,
    encode: (place: number) => number,
  ): void {
    for (let index = 0; index < rows.length; index += 1) {
      const place = places[rows[index] ?? 0] ?? 0;
      const kind = this.#kinds[place] ?? 0;
      if (this.#codes[kind] === UNSEEN) {
        this.#codes[kind] = encode(place);
        this.#unseen -= 1;
      }
      codes[index] = this.#codes[kind] ?? 0;
    }
    if (this.#unseen === 0) this.#kinds = this.#kinds.map((kind) => this.#codes[kind] ?? 0);
  }
}

function lookUp(
  table: Uint32Array,
  places: Uint32Array,
  rows: Uint32Array,
  codes: Uint32Array,
): void {
  for (let index = 0; index < rows.length; index += 1) {
    codes[index] = table[places[rows[index] ?? 0] ?? 0] ?? 0;
  }
}
