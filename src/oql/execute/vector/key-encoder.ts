// Equal values get equal codes (by the equality of `=`, DISTINCT and GROUP BY: 1 equals 1.0, null
// and missing are values of their own), as small integers in the order they are first seen.

import { hashKey } from '../../../value/compare.ts';
import type { Value } from '../../../value/value.ts';
import {
  type Dictionary,
  FALSE,
  FIRST_STRING_ID,
  INTEGER,
  MISSING,
  NULL,
  type SourceColumn,
  SPELLED_DOUBLE,
  STRING,
  TRUE,
} from './column-source.ts';
import type { Vector } from './frame.ts';
import { readValue } from './read-value.ts';

const UNSEEN = -1;
/** Tags of rows whose ids say all about them. */
const ID_TAGS = (1 << MISSING) | (1 << NULL) | (1 << TRUE) | (1 << FALSE) | (1 << STRING);
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
    if (hasIds && (vector.mask & ~ID_TAGS) === 0) {
      this.#encodeIds(ids, rows, codes);
      return;
    }
    for (let index = 0; index < rows.length; index += 1) {
      const row = rows[index] ?? 0;
      const tag = tags[row] ?? 0;
      if (tag === STRING || tag <= FALSE) {
        codes[index] = this.#encodeId(byId, hasIds ? (ids[row] ?? 0) : tag);
      } else {
        codes[index] = this.#encodeOther(vector, row, tag);
      }
    }
  }

  #encodeId(byId: Int32Array, id: number): number {
    const known = byId[id] ?? UNSEEN;
    if (known >= 0) return known;
    const code = this.#take();
    byId[id] = code;
    return code;
  }

  #encodeIds(ids: Uint32Array, rows: Uint32Array, codes: Uint32Array): void {
    const byId = this.#byId;
    for (let index = 0; index < rows.length; index += 1) {
      codes[index] = this.#encodeId(byId, ids[rows[index] ?? 0] ?? 0);
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
    if (value >= 0 && value < SMALL && value === (value | 0)) {
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
  finder(column: SourceColumn): (vector: Vector, size: number) => Int32Array {
    const byId = this.#translateIds(column.strings);
    let codes = new Int32Array(0);
    // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one loop over all rows of a frame
    return (vector, size) => {
      if (codes.length < size) codes = new Int32Array(size);
      const { tags, numbers, ids } = vector;
      for (let row = 0; row < size; row += 1) {
        const tag = tags[row] ?? 0;
        if (tag >= INTEGER && tag <= SPELLED_DOUBLE)
          codes[row] = this.#findNumber(numbers[row] ?? 0);
        else if (tag === STRING) codes[row] = byId(ids[row] ?? 0);
        else if (tag <= FALSE) codes[row] = this.#byId[tag] ?? UNSEEN;
        else codes[row] = this.#findOther(readValue(vector, row, column));
      }
      return codes;
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
    if (value >= 0 && value < SMALL && value === (value | 0)) return this.#small?.[value] ?? UNSEEN;
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
