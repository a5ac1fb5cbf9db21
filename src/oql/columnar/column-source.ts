// The port through which the vectorised executor reads columns. The grid implements it with
// `columns`.

import type {
  SourceColumn,
  SourceIndex,
  SourceLists,
  YieldPoints,
} from '../../value/column-data.ts';
import type { ColumnPath } from '../../value/column-path.ts';
import type { IndexKind } from '../../value/region-words.ts';

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

/** The definition of an index, whether or not it is built yet. */
export interface IndexFacts {
  readonly name: string;
  readonly kind: IndexKind;
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
    pacer: YieldPoints,
  ): Promise<readonly SourceTable[] | undefined>;
}
