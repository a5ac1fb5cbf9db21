// Fills columns from a scan of the store, in slices. The columns are already in the table, so
// changes that commit meanwhile reach them through the table, in rows the scan never touches.

import { CHUNK_BITS, CHUNK_MASK, CHUNK_ROWS, type YieldPoints } from '../value/column-data.ts';
import { type ColumnPath, collectionPath } from '../value/column-path.ts';
import { type EntryBytes, type JoinedTexts, startOf } from '../value/entry-bytes.ts';
import type { Column } from './column.ts';
import type { ItemSink } from './item-lists.ts';
import type { PathSummary } from './path-summary.ts';
import { buildPathTree } from './path-tree.ts';
import type { RegionTable } from './region-table.ts';
import { JsonScanner } from './scan-json.ts';

export interface ColumnBuild {
  readonly table: RegionTable;
  readonly columns: readonly (readonly [ColumnPath, Column])[];
  readonly lists: readonly (readonly [ColumnPath, ItemSink])[];
  /** All entries of the region at `sequence`. */
  readonly scan: AsyncIterable<EntryBytes>;
  readonly sequence: number;
  readonly pacer: YieldPoints;
  /** Collects the paths of all documents, if requested. */
  readonly summary: PathSummary | undefined;
  /** Called once per batch: true when the columns exceed their memory limit. */
  readonly isTooLarge: () => boolean;
}

/** Thrown when a build is aborted because its columns exceed their memory limit. */
export class TooLarge extends Error {}

/** First byte of `null`; no other JSON value begins with it. */
const LOWER_N = 0x6e;
/** Documents between two reads of the clock, or as many as have this many bytes. */
const PACE = 64;
const PACE_BYTES = 64 * 1024;

export async function buildColumns(build: ColumnBuild): Promise<void> {
  const scanner = new JsonScanner(buildPathTree(build, build.summary?.root));
  const locate = createLocator(build);
  for await (const batch of build.scan) {
    const { keys, values } = batch;
    const rowAt = locate(keys);
    const { length } = values.ends;
    for (let start = 0, end = 0; start < length; start = end) {
      end = endOfSlice(values.ends, start);
      scanSome(build, scanner, { values, start, end, rowAt });
      if (build.pacer.isSliceOver()) await build.pacer.pause();
    }
    batch.release?.();
    if (build.isTooLarge()) throw new TooLarge();
  }
  await trimColumns(build);
}

function endOfSlice(ends: Uint32Array, start: number): number {
  const most = Math.min(ends.length, start + PACE);
  const last = startOf(ends, start) + PACE_BYTES;
  let end = start + 1;
  while (end < most && (ends[end] ?? 0) <= last) end += 1;
  return end;
}

/** Frees the memory that new columns need only while they are filled. */
async function trimColumns({ table, columns, pacer }: ColumnBuild): Promise<void> {
  for (const [path, column] of columns) {
    const collection = collectionPath(path);
    const lists = collection && table.lists(collection);
    column.strings.trim();
    column.texts.trim();
    for (const [index, chunk] of column.chunks.entries()) {
      // The last chunk of rows still grows.
      const rows = table.rows.chunkSize(index) === CHUNK_ROWS ? CHUNK_ROWS : 0;
      chunk?.trim(collection === undefined ? rows : (lists?.chunks[index]?.size ?? 0));
      if (pacer.isSliceOver()) await pacer.pause();
    }
  }
}

interface Slice {
  readonly values: JoinedTexts;
  readonly start: number;
  readonly end: number;
  readonly rowAt: RowAt;
}

/** The row of the i-th entry of a batch. */
type RowAt = (index: number) => number;

function scanSome(build: ColumnBuild, scanner: JsonScanner, slice: Slice): void {
  const { values, start, end, rowAt } = slice;
  const { bytes, ends } = values;
  // Changes that came in since the last slice may have moved the selection.
  let selected = -1;
  let at = startOf(ends, start);
  for (let index = start; index < end; index += 1) {
    const row = rowAt(index);
    if (row >> CHUNK_BITS !== selected) {
      selected = row >> CHUNK_BITS;
      selectChunk(build, selected);
    }
    if (bytes[at] === LOWER_N) build.table.rows.setNull(row, true);
    scanner.scan(bytes, at, row & CHUNK_MASK);
    at = (ends[index] ?? 0) + 1;
  }
}

/** The first build of a table creates its rows; later ones find them again. */
function createLocator({ table, sequence }: ColumnBuild): (keys: JoinedTexts) => RowAt {
  if (!table.loaded) {
    return (keys) => {
      const first = table.rows.appendAll(keys);
      return (index) => first + index;
    };
  }
  const find = table.rows.createFinder(sequence);
  return ({ bytes, ends }) =>
    (index) => {
      const row = find(bytes, startOf(ends, index), ends[index] ?? 0);
      if (row === undefined) throw new Error('the row of a key is not in memory');
      return row;
    };
}

function selectChunk(build: ColumnBuild, chunk: number): void {
  for (const [, column] of build.columns) column.select(chunk);
  for (const [, lists] of build.lists) lists.select(chunk);
}
