// Codes of the values of a join table. Its rows are told apart once; a pair then needs no more than a
// look at the row's place. Codes are still given in the order in which pairs ask for them.

import { UNSEEN } from '../codes/number-codes.ts';
import type { JoinedRows } from '../frames/frame.ts';

/** Places settled with each call. */
const SETTLED_AT_A_TIME = 1 << 15;

export class SharedCodes {
  readonly rows: JoinedRows;
  /** By place, a number that equal values share. */
  readonly #kinds: Uint32Array;
  /** Code of each kind. */
  readonly #codes: Int32Array;
  #unseen: number;
  /** Codes by place that are being filled in, and how many are done. */
  #settling: Uint8Array | Uint32Array | undefined;
  #settled = 0;
  /** Codes by place once all are known: as bytes if they are few, for those stay in the cache. */
  #bytes: Uint8Array | undefined;
  #words: Uint32Array | undefined;

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
    if (this.#bytes !== undefined) lookUpBytes(this.#bytes, places, rows, codes);
    else if (this.#words !== undefined) lookUpWords(this.#words, places, rows, codes);
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
    if (this.#unseen === 0) this.#settleSome();
  }

  #settleSome(): void {
    this.#settling ??= this.#createSettled();
    const settled = this.#settling;
    const end = Math.min(this.#settled + SETTLED_AT_A_TIME, settled.length);
    for (let place = this.#settled; place < end; place += 1) {
      settled[place] = this.#codes[this.#kinds[place] ?? 0] ?? 0;
    }
    this.#settled = end;
    if (end < settled.length) return;
    if (settled instanceof Uint8Array) this.#bytes = settled;
    else this.#words = settled;
  }

  #createSettled(): Uint8Array | Uint32Array {
    let highest = 0;
    for (const code of this.#codes) highest = Math.max(highest, code);
    const size = this.#kinds.length;
    return highest < 256 ? new Uint8Array(size) : new Uint32Array(size);
  }
}

/** Three at a time, see `number-loops.ts`. */
function lookUpBytes(
  table: Uint8Array,
  places: Uint32Array,
  rows: Uint32Array,
  codes: Uint32Array,
): void {
  const size = rows.length;
  let index = 0;
  for (; index + 2 < size; index += 3) {
    codes[index] = table[places[rows[index] ?? 0] ?? 0] ?? 0;
    codes[index + 1] = table[places[rows[index + 1] ?? 0] ?? 0] ?? 0;
    codes[index + 2] = table[places[rows[index + 2] ?? 0] ?? 0] ?? 0;
  }
  for (; index < size; index += 1) codes[index] = table[places[rows[index] ?? 0] ?? 0] ?? 0;
}

/** The same again: a loop over two kinds of arrays would be slow for both. */
function lookUpWords(
  table: Uint32Array,
  places: Uint32Array,
  rows: Uint32Array,
  codes: Uint32Array,
): void {
  const size = rows.length;
  let index = 0;
  for (; index + 2 < size; index += 3) {
    codes[index] = table[places[rows[index] ?? 0] ?? 0] ?? 0;
    codes[index + 1] = table[places[rows[index + 1] ?? 0] ?? 0] ?? 0;
    codes[index + 2] = table[places[rows[index + 2] ?? 0] ?? 0] ?? 0;
  }
  for (; index < size; index += 1) codes[index] = table[places[rows[index] ?? 0] ?? 0] ?? 0;
}
