// The columns, lists and indexes of a region, as queries read them. `columns` fills them and `oql`
// reads them: as typed arrays, so that loops read memory without calls.

/** Rows of a table chunk. A chunk of nested items has the items of that many parents. */
export const CHUNK_BITS = 12;
export const CHUNK_ROWS: number = 1 << CHUNK_BITS;
export const CHUNK_MASK: number = CHUNK_ROWS - 1;

/**
 * The rows of one chunk at one path. An array that no row needs has length 0; the others are as
 * long as `tags`.
 */
export interface SourceChunk {
  readonly tags: Uint8Array;
  /** NaN for rows that are not numbers, so that a plain comparison is false there. */
  readonly numbers: Float64Array;
  /** Dictionary ids; rows that are not strings have reserved ones. */
  readonly ids: Uint32Array;
  /** Ids in the dictionary of texts; 0 if the row has none. */
  readonly texts: Uint32Array;
  /** Bit t is set if some row has, or once had, tag t; `filled` decides about bit 0 (MISSING). */
  readonly mask: number;
  /** Rows that are not missing. */
  readonly filled: number;
  /** Bounds of the numbers, which may be wider than necessary; infinite if there are none. */
  readonly lowest: number;
  readonly highest: number;
  /** Makes the arrays long enough for so many rows; new ones are missing. */
  ensure(size: number): void;
}

/** Strings by id, as UTF-8 in one buffer. */
export interface Dictionary {
  /** Number of assigned ids, including reserved ones. */
  readonly size: number;
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
  start(id: number): number;
  text(id: number): string;
  findText(text: string): number | undefined;
  find(source: Uint8Array, start: number, end: number): number | undefined;
}

export interface SourceColumn {
  chunk(index: number): SourceChunk;
  readonly strings: Dictionary;
  readonly texts: Dictionary;
  /** Cached results of tests on strings, by test and id, for later queries; may be dropped. */
  readonly testResults: Map<string, Uint8Array>;
}

/**
 * Which items belong to which row, within a chunk.
 *
 *   rows    0      1   2          starts  0 2 2
 *   items   a b    –   c d e      counts  2 0 3
 *                                 parents 0 0 2 2 2
 */
export interface SourceItems {
  readonly starts: Uint32Array;
  readonly counts: Uint32Array;
  /** The row of each item, in the chunk of rows this chunk belongs to. */
  readonly parents: Uint32Array;
  /** Number of items, unreachable ones included. */
  readonly size: number;
  /** Every item is reachable, in the order of rows. */
  readonly dense: boolean;
}

export interface SourceLists {
  chunk(index: number): SourceItems;
}

/** Bounds of a range, which is open on a side without a bound. */
export interface Bounds<Key> {
  readonly low?: Bound<Key> | undefined;
  readonly high?: Bound<Key> | undefined;
}

export interface Bound<Key> {
  readonly key: Key;
  readonly inclusive: boolean;
}

/**
 * Kinds of values that an index holds besides its keys. `other` are numbers that are no keys
 * (`OTHER_NUMBER`) and, in an index on an expression, all values that are no keys or fail.
 */
export type UnkeyedKind = 'missing' | 'null' | 'true' | 'false' | 'composite' | 'other';

/** How an index scan visits keys. */
export interface IndexWalk {
  readonly direction: 'up' | 'down';
  readonly firstRows?: FirstRows | undefined;
}

/** Limits a scan to the first visible row of each key before `split`, and all rows from `split` on. */
export interface FirstRows {
  readonly split: number;
  readonly isVisible: (row: number) => boolean;
}

/**
 * Finds rows by the values at its path. It may return a row twice, and rows that are not visible. A
 * hash index serves single keys, and returns every row for a range.
 */
export interface SourceIndex {
  countNumbers(bounds: Bounds<number>): number;
  forEachNumber(bounds: Bounds<number>, visit: (row: number) => void): void;
  countStrings(bounds: Bounds<string>): number;
  forEachString(bounds: Bounds<string>, visit: (row: number) => void): void;
  /**
   * The rows of each key in the order of the keys, ascending within a key; only for range indexes.
   * Entries may be added between two steps.
   */
  walkNumbers(bounds: Bounds<number>, walk: IndexWalk): Generator<Uint32Array>;
  walkStrings(bounds: Bounds<string>, walk: IndexWalk): Generator<Uint32Array>;
  countUnkeyed(kind: UnkeyedKind): number;
  forEachUnkeyed(kind: UnkeyedKind, visit: (row: number) => void): void;
}

/** Lets other requests run while columns are built. */
export interface YieldPoints {
  isSliceOver(): boolean;
  /** Resolves in a later turn; rejects when the query is cancelled. */
  pause(): Promise<void>;
}
