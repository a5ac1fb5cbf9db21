// Equal values get equal codes (by the equality of `=`, DISTINCT and GROUP BY: 1 equals 1.0, null
// and missing are distinct values), as small integers in order of first occurrence.

import type { Dictionary, SourceColumn } from '../../../../value/column-data.ts';
import { hashKey } from '../../../../value/compare.ts';
import { detachBuffer } from '../../../../value/detach-buffer.ts';
import { plainNumber } from '../../../../value/number.ts';
import {
  ABSENT_TAGS,
  FALSE,
  isNumberTag,
  NUMBER_TAGS,
  STRING,
  TRUE,
} from '../../../../value/row-tags.ts';
import type { Value } from '../../../../value/value.ts';
import type { Frame } from '../frames/frame.ts';
import type { Vector } from '../frames/vector.ts';
import { readValue } from '../frames/vector.ts';
import { Scratch } from '../scratch.ts';
import {
  areWithin,
  findInWindow,
  labelCodes,
  labelWindow,
  NumberCodes,
  type NumberWindow,
  openWindow,
  UNSEEN,
} from './number-codes.ts';
import { PagedWords } from './pages.ts';
import type { RowKey } from './row-encoder.ts';

/** Tags of rows whose ids determine their values. */
const ID_TAGS = ABSENT_TAGS | (1 << TRUE) | (1 << FALSE) | (1 << STRING);
/** Whole numbers from 0 to below this have their codes in an array, which grows with them. */
const SMALL = 1 << 16;
const INITIAL_SMALL = 64;
const MAPS = 64;

/** The codes of the keys of a frame, -1 for a key that has none. */
export interface FoundCodes {
  readonly codes: Int32Array;
  /** True if it is certain that each key has a code. */
  readonly areAll: boolean;
}

export class KeyEncoder {
  /** Kept alive: without any encoder, V8 would drop the code that it compiled for encoders. */
  static readonly kept: KeyEncoder = new KeyEncoder(undefined);
  /** Number of codes assigned. */
  size = 0;
  readonly #column: SourceColumn | undefined;
  readonly #scratch: Scratch;
  /** Codes plus one by id; 0 for ids not seen yet. */
  readonly #byId = new PagedWords();
  #small: Int32Array = new Int32Array(INITIAL_SMALL).fill(UNSEEN);
  readonly #numbers = new NumberCodes();
  #window: NumberWindow | undefined;
  /** Codes of other values by their texts, in many maps, because a large one takes long to grow. */
  readonly #others: (Map<string, number> | undefined)[] = [];

  /** Without a column only computed values can be encoded. */
  constructor(column: SourceColumn | undefined, scratch: Scratch = new Scratch()) {
    this.#column = column;
    this.#scratch = scratch;
  }

  /** Writes the codes of the given rows of a vector of this column. */
  encode(vector: Vector, rows: Uint32Array, codes: Uint32Array): void {
    const { tags, ids } = vector;
    const hasIds = ids.length > 0;
    if (hasIds && (vector.mask & ~ID_TAGS) === 0) {
      this.#encodeIds(ids, rows, codes);
      return;
    }
    if ((vector.mask & ~NUMBER_TAGS) === 0) {
      this.#encodeNumbers(vector.numbers, rows, codes);
      return;
    }
    for (let index = 0; index < rows.length; index += 1) {
      const row = rows[index] ?? 0;
      const tag = tags[row] ?? 0;
      if (tag === STRING || tag <= FALSE) {
        codes[index] = this.#encodeId(hasIds ? (ids[row] ?? 0) : tag);
      } else {
        codes[index] = this.#encodeOther(vector, row, tag);
      }
    }
  }

  #encodeId(id: number): number {
    const known = this.#byId.at(id);
    if (known > 0) return known - 1;
    const code = this.#take();
    this.#byId.set(id, code + 1);
    return code;
  }

  #encodeIds(ids: Uint32Array, rows: Uint32Array, codes: Uint32Array): void {
    let { first } = this.#byId;
    for (let index = 0; index < rows.length; index += 1) {
      const id = ids[rows[index] ?? 0] ?? 0;
      const known = first[id] ?? 0;
      if (known > 0) {
        codes[index] = known - 1;
        continue;
      }
      codes[index] = this.#encodeId(id);
      first = this.#byId.first;
    }
  }

  #encodeNumbers(numbers: Float64Array, rows: Uint32Array, codes: Uint32Array): void {
    let small = this.#small;
    for (let index = 0; index < rows.length; index += 1) {
      const value = numbers[rows[index] ?? 0] ?? 0;
      const at = value >>> 0;
      if (at !== value || at >= small.length) {
        codes[index] = this.#encodeNumber(value);
        small = this.#small;
        continue;
      }
      const known = small[at] ?? UNSEEN;
      const code = known === UNSEEN ? this.#take() : known;
      if (known === UNSEEN) small[at] = code;
      codes[index] = code;
    }
  }

  /** The code of a computed value. */
  encodeValue(value: Value): number {
    const number = exactNumberOf(value);
    if (number !== undefined) return this.#encodeNumber(number);
    const text = textOf(value);
    const map = mapOf(text);
    const known = this.#others[map]?.get(text);
    if (known !== undefined) return known;
    while (this.#others.length <= map) this.#others.push(undefined);
    const codes = this.#others[map] ?? new Map<string, number>();
    this.#others[map] = codes;
    const code = this.#take();
    codes.set(text, code);
    return code;
  }

  /** The code of a value that is not a text of a column; -1 if unseen. */
  findValue(value: Value): number {
    const number = exactNumberOf(value);
    if (number !== undefined) return this.#findNumber(number);
    const text = textOf(value);
    return this.#others[mapOf(text)]?.get(text) ?? UNSEEN;
  }

  #encodeOther(vector: Vector, row: number, tag: number): number {
    if (isNumberTag(tag)) return this.#encodeNumber(vector.numbers[row] ?? 0);
    if (this.#column === undefined) throw new Error('no column to read from');
    return this.encodeValue(readValue(vector, row, this.#column));
  }

  #encodeNumber(value: number): number {
    if (value >= 0 && value < SMALL && value === (value | 0)) {
      const known = this.#small[value] ?? UNSEEN;
      if (known >= 0) return known;
      if (value >= this.#small.length) this.#growSmall(value);
      const code = this.#take();
      this.#small[value] = code;
      return code;
    }
    const known = this.#numbers.find(value);
    if (known !== UNSEEN) return known;
    const code = this.#take();
    this.#numbers.add(value, code);
    return code;
  }

  #take(): number {
    this.size += 1;
    return this.size - 1;
  }

  #growSmall(value: number): void {
    let length = this.#small.length * 2;
    while (length <= value) length *= 2;
    const grown = this.#scratch.own(new Int32Array(length).fill(UNSEEN));
    grown.set(this.#small);
    detachBuffer(this.#small);
    this.#small = grown;
  }

  /**
   * Prepares, in steps, to find the codes of another column's values, or the labels of the codes.
   * Nothing may be encoded any more; an unseen value has -1. The result is valid until the next call.
   */
  *finder(
    { columnNumber, column }: Omit<RowKey, 'read'>,
    labels?: Uint32Array,
  ): Generator<void, (frame: Frame) => FoundCodes> {
    if (column === undefined) throw new Error('a join key has no column');
    this.#window ??= yield* this.#openWindow();
    const window = labels ? yield* labelWindow(this.#window, labels) : this.#window;
    this.#scratch.own(window.codes);
    const findId = this.#idFinder(column.strings);
    // A frame whose numbers lie before the first gap has a code for each of them.
    const gap = window.codes.indexOf(UNSEEN);
    const unbroken = {
      low: window.low,
      codes: window.codes.subarray(0, gap < 0 ? undefined : gap),
    };
    let codes = new Int32Array(0);
    let areAll = false;
    let lastFrame: Frame | undefined;
    return (frame) => {
      const { size } = frame;
      // A frame may come in several pieces.
      if (lastFrame === frame) return { codes, areAll };
      lastFrame = frame;
      if (codes.length < size) codes = new Int32Array(size);
      const vector = frame.vector(columnNumber);
      areAll = areWithin(vector, unbroken);
      if ((vector.mask & ~NUMBER_TAGS) === 0 && window.codes.length > 0) {
        findInWindow(vector, size, codes, window);
        return { codes, areAll };
      }
      this.#findMixed(vector, size, codes, column, findId);
      if (labels !== undefined) labelCodes(codes, labels, codes.subarray(0, size));
      return { codes, areAll };
    };
  }

  #findMixed(
    vector: Vector,
    size: number,
    codes: Int32Array,
    column: SourceColumn,
    findId: (id: number) => number,
  ): void {
    const { tags, numbers, ids } = vector;
    for (let row = 0; row < size; row += 1) {
      const tag = tags[row] ?? 0;
      if (isNumberTag(tag)) codes[row] = this.#findNumber(numbers[row] ?? 0);
      else if (tag === STRING) codes[row] = findId(ids[row] ?? 0);
      else if (tag <= FALSE) codes[row] = this.#byId.at(tag) - 1;
      else codes[row] = this.findValue(readValue(vector, row, column));
    }
  }

  #findNumber(value: number): number {
    const isSmall = value >= 0 && value < this.#small.length && value === (value | 0);
    return isSmall ? (this.#small[value] ?? UNSEEN) : this.#numbers.find(value);
  }

  /** Numbers that lie close together are array indexes. */
  *#openWindow(): Generator<void, NumberWindow> {
    if (this.#numbers.size === 0) return { low: 0, codes: this.#small };
    // The small ones move to the others.
    for (let value = 0; value < this.#small.length; value += 1) {
      const code = this.#small[value] ?? UNSEEN;
      if (code !== UNSEEN) this.#numbers.add(value, code);
      if (value % SMALL_PER_STEP === SMALL_PER_STEP - 1) yield;
    }
    this.#small = new Int32Array(0);
    return yield* openWindow(this.#numbers);
  }

  /** The code of a string of another dictionary, each of which is looked up once. */
  #idFinder(other: Dictionary): (id: number) => number {
    const own = this.#column?.strings;
    /** Codes plus two: 1 for a string without a code, 0 for one that was not looked up yet. */
    const codesById = new PagedWords();
    return (id) => {
      const cached = codesById.at(id);
      if (cached > 0) return cached - 2;
      const isOwn = other === own;
      const ownId = isOwn ? id : own?.find(other.bytes, other.start(id), other.ends[id] ?? 0);
      const code = ownId === undefined ? UNSEEN : this.#byId.at(ownId) - 1;
      codesById.set(id, code + 2);
      return code;
    };
  }
}

/** Numbers below SMALL that are moved between two yield points. */
const SMALL_PER_STEP = 4096;

/** The double that equals a number, if there is one; large integers have one too. */
function exactNumberOf(value: Value): number | undefined {
  if (typeof value !== 'bigint') return plainNumber(value);
  const double = Number(value);
  return Number.isFinite(double) && BigInt(double) === value ? double : undefined;
}

/** A text that only equal values have; `s` and a string are that of no other value. */
function textOf(value: Value): string {
  return typeof value === 'string' ? `s${value}` : hashKey(value);
}

/** The number of the map of a text: that of all texts with the same last and middle characters. */
function mapOf(text: string): number {
  const { length } = text;
  return (text.charCodeAt(length - 1) * 7 + text.charCodeAt(length >> 1) + length) % MAPS;
}
