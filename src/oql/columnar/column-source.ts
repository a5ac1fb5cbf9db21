// The port through which the vectorised executor reads columns. It gives typed arrays, so that
// loops read memory without calls. The grid implements it with `columns`.

/**
 * A path in a document: [['customer', 'name']] is `o.customer.name`; in [['items'], ['sku']] the
 * second segment begins at each item of the collection `items`.
 */
export type ColumnPath = readonly (readonly string[])[];

/** Only in computed vectors: the reference evaluator has to compute the value of this row. */
export const UNSURE = 15;
export const TAG_COUNT = 16;

/** The rows of one chunk at one path. An array that no row needs has length 0. */
export interface ColumnChunk {
  readonly tags: Uint8Array;
  /** NaN where the row is no number. */
  readonly numbers: Float64Array;
  readonly ids: Uint32Array;
  readonly texts: Uint32Array;
  /** Bit t is set if some row may have tag t; `filled` decides about bit 0 (MISSING). */
  readonly mask: number;
  readonly filled: number;
  /** Bounds of the numbers, which may be wider than necessary; infinite if there are none. */
  readonly lowest: number;
  readonly highest: number;
  /** Makes the arrays long enough for so many rows. */
  ensure(size: number): void;
}

/** Strings by id, as UTF-8 in one buffer. */
export interface Dictionary {
  readonly size: number;
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
  start(id: number): number;
  text(id: number): string;
  findText(text: string): number | undefined;
  find(source: Uint8Array, start: number, end: number): number | undefined;
}

export interface SourceColumn {
  chunk(index: number): ColumnChunk;
  readonly strings: Dictionary;
  readonly texts: Dictionary;
  /** Cached outcomes of tests on strings, by test and id, for later queries; may be dropped. */
  readonly answers: Map<string, Uint8Array>;
}

/** Which items belong to which row, within a chunk. */
export interface ItemChunk {
  readonly starts: Uint32Array;
  readonly counts: Uint32Array;
  readonly parents: Uint32Array;
  readonly size: number;
  /** Every item is reachable, in the order of rows. */
  readonly dense: boolean;
}

export interface SourceLists {
  chunk(index: number): ItemChunk;
}

export const CHUNK_BITS = 12;
export const CHUNK_ROWS: number = 1 << CHUNK_BITS;
export const CHUNK_MASK: number = CHUNK_ROWS - 1;

/** A snapshot of one region. Chunks have CHUNK_ROWS rows; the last may have fewer. */
export interface SourceTable {
  /** Rows, including those that are not visible in this snapshot. */
  readonly size: number;
  /** Rows before this one are in key order. */
  readonly sortedSize: number;
  /** Visible entries. */
  readonly entryCount: number;
  /** Entries whose value is null, which are not visible. */
  readonly nullCount: number;
  /** One byte per row of a chunk, 1 for visible; undefined when all are. */
  visibleRows(chunk: number): Uint8Array | undefined;
  isVisible(row: number): boolean;
  /**
   * The delta: rows after `sortedSize` in key order, deleted ones too; each precedes a sorted row.
   */
  deltaRows(): { readonly rows: Uint32Array; readonly before: Uint32Array };
  /** The first sorted row whose key is not below the key of an unsorted row. */
  orderOf(row: number): number;
  compareKeys(left: number, right: number): number;
  keyOf(row: number): string;
  findKey(key: string): number | undefined;
  column(path: ColumnPath): SourceColumn;
  lists(path: ColumnPath): SourceLists;
  /** An index that the request named; undefined if it is not available. */
  index(name: string): SourceIndex | undefined;
  /** Stored JSON texts of the first of these rows: as many as one read returns, at least one. */
  readTexts(rows: readonly number[]): Promise<readonly string[]>;
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

/** Kinds of values that an index holds besides its keys; odd values are all others. */
export type UnkeyedKind = 'missing' | 'null' | 'true' | 'false' | 'composite' | 'odd';

/** How an index scan visits keys. */
export interface IndexWalk {
  readonly direction: 'up' | 'down';
  /** Of each key only the first visible row before `split`, and all rows from there on. */
  readonly firstRows?:
    | { readonly split: number; readonly isVisible: (row: number) => boolean }
    | undefined;
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

/** The definition of an index, whether or not it is built yet. */
export interface IndexFacts {
  readonly name: string;
  readonly kind: 'range' | 'hash' | 'key';
  /** No two entries have the same value. */
  readonly unique?: true;
  /** Undefined unless the index is on a member, or on a member of items. */
  readonly path: ColumnPath | undefined;
  /** The terms of an index on computed values, or on several values. */
  readonly terms?: readonly string[];
  /** For an index on members of a map: the path of the map, and the members. */
  readonly map?: { readonly path: ColumnPath; readonly keys: readonly string[] | '*' };
  /** For the index on one member of a map: the index on the map. */
  readonly whole?: IndexFacts;
}

/** One member of a map that an index is on. */
export interface MapElement {
  readonly index: string;
  readonly key: string;
  readonly path: ColumnPath;
}

export interface TableRequest {
  /** Names of the region's indexes that the query may use. */
  readonly indexes?: readonly string[];
  /** Members of maps whose indexes the query may use, each by the name `index-key`. */
  readonly mapElements?: readonly MapElement[];
  readonly region: string;
  readonly paths: readonly ColumnPath[];
  readonly collections: readonly ColumnPath[];
}

export interface ColumnSource {
  /** Whether the region exists and stores entries. */
  isReadable(region: string): boolean;
  indexesOf(region: string): readonly IndexFacts[];
  /** Called for each index that a plan uses, before it runs. */
  readonly onIndexUsed?: ((index: IndexFacts) => void) | undefined;
  /**
   * The tables in the order of the requests, all in one snapshot; undefined if columns are not
   * available, so that the query falls back to rows.
   */
  openTables(
    requests: readonly TableRequest[],
    pacer: BuildPacer,
  ): Promise<readonly SourceTable[] | undefined>;
}

/** Lets other requests run while columns are built; a pause rejects when the query is cancelled. */
export interface BuildPacer {
  isDue(): boolean;
  pause(): Promise<void>;
}
