// Codes of pairs of codes, for keys of several columns.

import { NumberCodes, UNSEEN } from './number-codes.ts';

export class PairEncoder {
  size = 0;
  readonly #codes = new NumberCodes();

  encode(left: number, right: number): number {
    const pair = left * PAIR_FACTOR + right;
    const known = this.#codes.find(pair);
    if (known !== UNSEEN) return known;
    this.#codes.add(pair, this.size);
    this.size += 1;
    return this.size - 1;
  }
}

/** Codes are far below this: there are never so many rows. */
const PAIR_FACTOR = 2 ** 26;
