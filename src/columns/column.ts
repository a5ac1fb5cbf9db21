// The values of one path, cut into chunks that belong to the chunks of the table: one chunk is one
// batch of a query. Inside a chunk each row has a tag and, where the tag needs it, a payload;
// payload arrays exist only in chunks that have a row for them.

import { CHUNK_ROWS, type SourceChunk, type SourceColumn } from '../value/column-data.ts';
import {
  type ARRAY,
  DOUBLE,
  FIRST_STRING_ID,
  INTEGER,
  MISSING,
  NON_CANONICAL_DOUBLE,
  type OBJECT,
  type OTHER_NUMBER,
  RESERVED_IDS,
  STRING,
} from '../value/row-tags.ts';
import { extend } from './arrays.ts';
import { StringDictionary } from './string-dictionary.ts';

/** Chunks with fewer rows keep their own tags. */
const FEW_ROWS = 1024;
const NO_NUMBERS = new Float64Array(0);
const NO_IDS = new Uint32Array(0);
const NO_TAGS = new Uint8Array(0);

/** One array per tag, shared by chunks whose rows all have that tag. */
const sharedTags: Uint8Array[] = [];

function shareTags(tag: number, size: number): Uint8Array {
  while (sharedTags.length <= tag) sharedTags.push(new Uint8Array(0));
  const known = sharedTags[tag] ?? NO_TAGS;
  if (known.length >= size) return known.subarray(0, size);
  const grown = new Uint8Array(Math.max(size, 4 * CHUNK_ROWS)).fill(tag);
  sharedTags[tag] = grown;
  return grown.subarray(0, size);
}

/** Bytes of the chunks of one part, counted as they grow. */
export interface ByteCount {
  bytes: number;
}

/** Bytes of a chunk without its arrays. */
const CHUNK_BYTES = 400;

export class ColumnChunk implements SourceChunk {
  /** Write it only through `setTag`: other chunks may share the array. */
  tags: Uint8Array;
  numbers: Float64Array = NO_NUMBERS;
  ids: Uint32Array = NO_IDS;
  texts: Uint32Array = NO_IDS;
  mask = 0;
  filled = 0;
  lowest: number = Number.POSITIVE_INFINITY;
  highest: number = Number.NEGATIVE_INFINITY;
  #sharesTags = false;
  readonly #count: ByteCount;

  constructor(capacity: number, count: ByteCount) {
    this.tags = new Uint8Array(capacity);
    this.#count = count;
    count.bytes += CHUNK_BYTES + capacity;
  }

  ensure(size: number): void {
    if (size <= this.tags.length) return;
    const capacity = Math.max(size, grownCapacity(this.tags.length));
    const before = this.#arrayBytes();
    this.#takeTags(capacity);
    if (this.numbers !== NO_NUMBERS) {
      const longer = new Float64Array(capacity).fill(Number.NaN, this.numbers.length);
      this.numbers = extend(longer, this.numbers);
    }
    if (this.ids !== NO_IDS) this.ids = extend(new Uint32Array(capacity), this.ids);
    if (this.texts !== NO_IDS) this.texts = extend(new Uint32Array(capacity), this.texts);
    this.#count.bytes += this.#arrayBytes() - before;
  }

  setTag(row: number, tag: number): void {
    if (this.#sharesTags) this.#ownTags();
    if (this.tags[row] === MISSING) this.filled += 1;
    this.tags[row] = tag;
    this.mask |= 1 << tag;
  }

  clearTag(row: number): void {
    if (this.#sharesTags) this.#ownTags();
    this.filled -= 1;
    this.tags[row] = MISSING;
  }

  /**
   * Call it after a load, with the number of rows in use: a chunk whose rows all have one tag keeps
   * neither its own tag array nor spare capacity.
   */
  trim(size: number): void {
    const isOfOneTag = (this.mask & (this.mask - 1)) === 0;
    if (this.#sharesTags || !isOfOneTag || this.filled !== size || size < FEW_ROWS) return;
    const before = this.#arrayBytes();
    this.tags = shareTags(31 - Math.clz32(this.mask), size);
    this.#sharesTags = true;
    if (this.numbers.length > size) this.numbers = this.numbers.slice(0, size);
    if (this.ids.length > size) this.ids = this.ids.slice(0, size);
    if (this.texts.length > size) this.texts = this.texts.slice(0, size);
    this.#count.bytes += this.#arrayBytes() - before;
  }

  #ownTags(): void {
    const before = this.#arrayBytes();
    this.#takeTags(this.tags.length);
    this.#count.bytes += this.#arrayBytes() - before;
  }

  #takeTags(capacity: number): void {
    this.tags = extend(new Uint8Array(capacity), this.tags);
    this.#sharesTags = false;
  }

  setNumber(row: number, value: number): void {
    this.numbers[row] = value;
    // Both are false for NaN, which means no number.
    if (value < this.lowest) this.lowest = value;
    if (value > this.highest) this.highest = value;
  }

  needNumbers(): void {
    this.numbers = new Float64Array(this.tags.length).fill(Number.NaN);
    this.#count.bytes += this.numbers.byteLength;
  }

  needIds(): void {
    const ids = new Uint32Array(this.tags.length);
    for (let row = 0; row < ids.length; row += 1) ids[row] = RESERVED_IDS[this.tags[row] ?? 0] ?? 0;
    this.ids = ids;
    this.#count.bytes += ids.byteLength;
  }

  needTexts(): void {
    this.texts = new Uint32Array(this.tags.length);
    this.#count.bytes += this.texts.byteLength;
  }

  #arrayBytes(): number {
    return (
      (this.#sharesTags ? 0 : this.tags.byteLength) +
      this.numbers.byteLength +
      this.ids.byteLength +
      this.texts.byteLength
    );
  }
}

/** The target of setters before the chunk exists; it is too small to be written. */
const NOT_MADE = new ColumnChunk(0, { bytes: 0 });
/** Read in place of a chunk that was never created: all of its rows are missing. */
const ALL_MISSING = new ColumnChunk(CHUNK_ROWS, { bytes: 0 });
/** Bytes of an empty column. */
const COLUMN_BYTES = 600;

function isPlainNumber(tag: number): boolean {
  return tag === INTEGER || tag === DOUBLE;
}

/** Rows of the first arrays of a column or list. A small table takes little memory. */
export const FIRST_CAPACITY = 64;

/** Large arrays grow by little at a time, because they keep their spare capacity. */
export function grownCapacity(capacity: number): number {
  return capacity < CHUNK_ROWS ? capacity * 2 : Math.ceil(capacity * 1.125);
}

export class Column implements SourceColumn {
  /** A chunk is created with its first value; in an absent chunk every row is missing. */
  readonly chunks: (ColumnChunk | undefined)[] = [];
  readonly strings: StringDictionary = new StringDictionary(FIRST_STRING_ID);
  readonly texts: StringDictionary = new StringDictionary(1);
  readonly testResults: Map<string, Uint8Array> = new Map();
  readonly #count: ByteCount = { bytes: COLUMN_BYTES };
  /** The target of the setters; the caller moves it while it fills the column. */
  #chunk: ColumnChunk = NOT_MADE;
  #index = 0;
  /** Values written since `beginOverwrite` or `beginItems`. */
  #written = 0;
  /** Whether the items that are being overwritten are missing until they are written. */
  #isCleared = false;

  /** Directs the setters to a chunk, which is created with its first value. */
  select(index: number): void {
    this.#index = index;
    this.#chunk = this.chunks[index] ?? NOT_MADE;
  }

  /** A chunk to read from; never creates one. */
  chunk(index: number): ColumnChunk {
    return this.chunks[index] ?? ALL_MISSING;
  }

  /** Makes the selected chunk long enough for a row. Chunks of a column have similar sizes. */
  #makeRoom(row: number): ColumnChunk {
    if (this.#chunk === NOT_MADE) {
      const before = this.chunks.at(-1)?.tags.length ?? 0;
      while (this.chunks.length <= this.#index) this.chunks.push(undefined);
      this.#chunk = new ColumnChunk(Math.max(FIRST_CAPACITY, before, row + 1), this.#count);
      this.chunks[this.#index] = this.#chunk;
    }
    this.#chunk.ensure(row + 1);
    return this.#chunk;
  }

  /**
   * Call it before a row is overwritten, and `endOverwrite` after it. Most rows get a value of the
   * same kind again: then only the value is written.
   */
  beginOverwrite(): void {
    this.#written = 0;
  }

  /** Makes the row missing if no value was written. */
  endOverwrite(row: number): void {
    if (this.#written === 0) this.clear(row);
  }

  /**
   * Like `beginOverwrite`, for items [start, end) of the `size` items of the chunk. Where each item of
   * the chunk has a value they most likely all get one again; otherwise they are made missing first.
   */
  beginItems(start: number, end: number, size: number): void {
    this.#written = 0;
    this.#isCleared = this.#chunk.filled < size;
    if (this.#isCleared) this.clearItems(start, end);
  }

  /** True if overwriting is complete; else items without a value still have the old one. */
  hasItems(count: number): boolean {
    return this.#isCleared || this.#written === count;
  }

  clearItems(start: number, end: number): void {
    for (let item = start; item < end; item += 1) this.clear(item);
  }

  #setTag(chunk: ColumnChunk, row: number, tag: number): void {
    this.#written += 1;
    const before = chunk.tags[row] ?? MISSING;
    if (before === tag) return;
    // Integers and doubles share an array; other kinds must be cleared first.
    if (before !== MISSING && !(isPlainNumber(before) && isPlainNumber(tag))) this.clear(row);
    chunk.setTag(row, tag);
  }

  /** NULL, TRUE or FALSE. */
  setSimple(row: number, tag: number): void {
    let chunk = this.#chunk;
    if (row >= chunk.tags.length) chunk = this.#makeRoom(row);
    this.#setTag(chunk, row, tag);
    if (chunk.ids.length > 0) chunk.ids[row] = tag;
  }

  setNumber(row: number, tag: typeof INTEGER | typeof DOUBLE, value: number): void {
    let chunk = this.#chunk;
    if (row >= chunk.tags.length) chunk = this.#makeRoom(row);
    if (chunk.numbers.length === 0) chunk.needNumbers();
    this.#setTag(chunk, row, tag);
    chunk.setNumber(row, value);
    if (chunk.ids.length > 0) chunk.ids[row] = RESERVED_IDS[tag] ?? 0;
  }

  setString(row: number, id: number): void {
    let chunk = this.#chunk;
    if (row >= chunk.tags.length) chunk = this.#makeRoom(row);
    if (chunk.ids.length === 0) chunk.needIds();
    this.#setTag(chunk, row, STRING);
    chunk.ids[row] = id;
  }

  /** `value` is the double of a NON_CANONICAL_DOUBLE, NaN for the other tags. */
  setText(
    row: number,
    tag: typeof NON_CANONICAL_DOUBLE | typeof OBJECT | typeof ARRAY | typeof OTHER_NUMBER,
    textId: number,
    value: number,
  ): void {
    let chunk = this.#chunk;
    if (row >= chunk.tags.length) chunk = this.#makeRoom(row);
    if (chunk.texts.length === 0) chunk.needTexts();
    if (tag === NON_CANONICAL_DOUBLE && chunk.numbers.length === 0) chunk.needNumbers();
    this.#setTag(chunk, row, tag);
    chunk.texts[row] = textId;
    if (chunk.numbers.length > 0) chunk.setNumber(row, value);
    if (chunk.ids.length > 0) chunk.ids[row] = RESERVED_IDS[tag] ?? 0;
  }

  /** Makes a row missing again. */
  clear(row: number): void {
    const chunk = this.#chunk;
    if (row >= chunk.tags.length || chunk.tags[row] === MISSING) return;
    chunk.clearTag(row);
    if (chunk.numbers.length > 0) chunk.numbers[row] = Number.NaN;
    if (chunk.ids.length > 0) chunk.ids[row] = MISSING;
    if (chunk.texts.length > 0) chunk.texts[row] = 0;
  }

  sizeBytes(): number {
    let bytes = this.#count.bytes + this.strings.sizeBytes() + this.texts.sizeBytes();
    for (const results of this.testResults.values()) bytes += results.byteLength;
    return bytes;
  }
}
