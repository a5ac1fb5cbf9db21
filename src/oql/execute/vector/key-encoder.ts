// Equal values get equal codes (by the equality of `=`, DISTINCT and GROUP BY: 1 equals 1.0, null
// and missing are values of their own), as small integers in the order they are first seen.

import { hashKey } from '../../../value/compare.ts';
import type { Value } from '../../../value/value.ts';
import {
  type Dictionary,
  FALSE,
  FIRST_STRING_ID,
  INTEGER,
  type SourceColumn,
  SPELLED_DOUBLE,
  STRING,
} from './column-source.ts';
import type { Vector } from './frame.ts';
import { readValue } from './read-value.ts';

const UNSEEN = -1;
/** Whole numbers from 0 to below this have their codes in an array. */
const SMALL = 1 << 16;

export class KeyEncoder {
  /** Number of codes given out. */
  size = 0;
  readonly #column: SourceColumn | undefined;
  #byId: Int32Array = new Int32Array(FIRST_STRING_ID).fill(UNSEEN);
  #small: Int32Array | undefined;
  readonly #numbers = new Map<number, number>();
  readonly #others = new Map<string, number>();

  /** Without a column only computed values can be encoded. */
  constructor(column: SourceColumn | undefined) {
    this.#column = column;
  }

  /** Writes the codes of the given rows of a vector of this column. */
  encode(vector: Vector, rows: Uint32Array, codes: Uint32Array): void {
    this.#growIds();
    const { tags, ids } = vector;
    const byId = this.#byId;
    const hasIds = ids.length > 0;
    for (let index = 0; index < rows.length; index += 1) {
      const row = rows[index] ?? 0;
      const tag = tags[row] ?? 0;
      if (tag === STRING || tag <= FALSE) {
        const id = hasIds ? (ids[row] ?? 0) : tag;
        let code = byId[id] ?? UNSEEN;
        if (code < 0) {
          code = this.#take();
          byId[id] = code;
        }
        codes[index] = code;
      } else {
        codes[index] = this.#encodeOther(vector, row, tag);
      }
    }
  }

  /** The code of a computed value. */
  encodeValue(value: Value): number {
    if (typeof value === 'string') return this.#encodeText(`s${value}`);
    return this.#encodeText(hashKey(value));
  }

  #encodeOther(vector: Vector, row: number, tag: number): number {
    if (tag >= INTEGER && tag <= SPELLED_DOUBLE)
      return this.#encodeNumber(vector.numbers[row] ?? 0);
    if (this.#column === undefined) throw new Error('no column to read from');
    const value = readValue(vector, row, this.#column);
    // Zero may come as -0, and a big integer may equal a double: those share the double's code.
    if (typeof value === 'number') return this.#encodeNumber(value + 0);
    if (typeof value === 'bigint' && BigInt(Number(value)) === value) {
      return this.#encodeNumber(Number(value));
    }
    return this.#encodeText(hashKey(value));
  }

  #encodeNumber(value: number): number {
    if (value >= 0 && value < SMALL && Number.isInteger(value)) {
      this.#small ??= new Int32Array(SMALL).fill(UNSEEN);
      const known = this.#small[value] ?? UNSEEN;
      if (known >= 0) return known;
      const code = this.#take();
      this.#small[value] = code;
      return code;
    }
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const code = this.#take();
    this.#numbers.set(value, code);
    return code;
  }

  #encodeText(text: string): number {
    const known = this.#others.get(text);
    if (known !== undefined) return known;
    const code = this.#take();
    this.#others.set(text, code);
    return code;
  }

  #take(): number {
    this.size += 1;
    return this.size - 1;
  }

  #growIds(): void {
    const needed = this.#column?.strings.size ?? 0;
    if (this.#byId.length >= needed) return;
    const grown = new Int32Array(needed + (needed >> 2)).fill(UNSEEN);
    grown.set(this.#byId);
    this.#byId = grown;
  }

  /**
   * Prepares to find the codes of another column's values. Nothing may be encoded any more; an
   * unseen value has the code -1.
   */
  finder(column: SourceColumn): (vector: Vector, row: number) => number {
    const byId = this.#translateIds(column.strings);
    return (vector, row) => {
      const tag = vector.tags[row] ?? 0;
      if (tag === STRING) return byId(vector.ids[row] ?? 0);
      if (tag <= FALSE) return this.#byId[tag] ?? UNSEEN;
      if (tag <= SPELLED_DOUBLE) return this.#findNumber(vector.numbers[row] ?? 0);
      return this.#findOther(readValue(vector, row, column));
    };
  }

  #findOther(value: Value): number {
    if (typeof value === 'number') return this.#findNumber(value + 0);
    if (typeof value === 'bigint' && BigInt(Number(value)) === value) {
      return this.#findNumber(Number(value));
    }
    return this.#others.get(hashKey(value)) ?? UNSEEN;
  }

  #findNumber(value: number): number {
    if (value >= 0 && value < SMALL && Number.isInteger(value))
      return this.#small?.[value] ?? UNSEEN;
    return this.#numbers.get(value) ?? UNSEEN;
  }

  /** Each string of the other dictionary is looked up once. */
  #translateIds(other: Dictionary): (id: number) => number {
    const own = this.#column?.strings;
    const byId = this.#byId;
    if (other === own) return (id) => byId[id] ?? UNSEEN;
    const NOT_LOOKED_UP = -2;
    const translated = new Int32Array(other.size).fill(NOT_LOOKED_UP);
    return (id) => {
      const known = translated[id] ?? NOT_LOOKED_UP;
      if (known !== NOT_LOOKED_UP) return known;
      const found = own?.find(other.bytes, other.start(id), other.ends[id] ?? 0);
      const code = found === undefined ? UNSEEN : (byId[found] ?? UNSEEN);
      translated[id] = code;
      return code;
    };
  }
}

/** Codes of pairs of codes, for keys of several columns. */
export class PairEncoder {
  size = 0;
  readonly #codes = new Map<number, number>();

  encode(left: number, right: number): number {
    const pair = left * PAIR_FACTOR + right;
    const known = this.#codes.get(pair);
    if (known !== undefined) return known;
    this.#codes.set(pair, this.size);
    this.size += 1;
    return this.size - 1;
  }
}

/** Codes are far below this: there are never so many rows. */
const PAIR_FACTOR = 2 ** 26;
