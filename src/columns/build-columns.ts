// Fills columns from a scan of the store, a little at a time. The columns are already in the table,
// so changes that commit meanwhile reach them through the table, in rows the scan never touches.

import { CHUNK_BITS, CHUNK_MASK, type Column } from './column.ts';
import type { ColumnPath } from './column-path.ts';
import type { ItemSink } from './item-lists.ts';
import { buildPathTree } from './path-tree.ts';
import { capacityFor, type RegionTable } from './region-table.ts';
import { JsonScanner } from './scan-json.ts';

/** Entries in key order: the i-th line of `values` (UTF-8 JSON) belongs to `keys[i]`. */
export interface EntryLines {
  readonly keys: readonly string[];
  readonly values: Uint8Array;
}

/** Lets other work run in between. */
export interface Pacer {
  isDue(): boolean;
  /** Resolves in a later turn; rejects when the work is to be given up. */
  pause(): Promise<void>;
}

export interface ColumnBuild {
  readonly table: RegionTable;
  readonly columns: readonly (readonly [ColumnPath, Column])[];
  readonly lists: readonly (readonly [ColumnPath, ItemSink])[];
  /** All entries of the region at `sequence`. */
  readonly scan: AsyncIterable<EntryLines>;
  readonly sequence: number;
  readonly pacer: Pacer;
}

/** Of the values of a document only null begins with it. */
const LOWER_N = 0x6e;
/** Documents between two looks at the clock. */
const PACE = 64;

export async function buildColumns(build: ColumnBuild): Promise<void> {
  const scanner = new JsonScanner(buildPathTree(build));
  const findRow = rowFinder(build);
  for await (const lines of build.scan) {
    const place = { index: 0, at: 0 };
    while (place.index < lines.keys.length) {
      scanSome(build, scanner, { lines, place, findRow });
      if (build.pacer.isDue()) await build.pacer.pause();
    }
  }
}

interface BatchInWork {
  readonly lines: EntryLines;
  /** The next document, and where its line begins. */
  readonly place: { index: number; at: number };
  readonly findRow: (key: string) => number;
}

function scanSome(build: ColumnBuild, scanner: JsonScanner, work: BatchInWork): void {
  const { keys, values } = work.lines;
  const { place } = work;
  const end = Math.min(keys.length, place.index + PACE);
  // Changes that came in since the last slice may have moved the selection.
  let selected = -1;
  for (; place.index < end; place.index += 1) {
    const row = work.findRow(keys[place.index] ?? '');
    if (row >> CHUNK_BITS !== selected) {
      selected = row >> CHUNK_BITS;
      selectChunk(build, selected);
    }
    if (values[place.at] === LOWER_N) build.table.rows.setNull(row, true);
    place.at = scanner.scanLine(values, place.at, row & CHUNK_MASK);
  }
}

/** The first build of a table makes its rows; later ones meet them again. */
function rowFinder({ table, sequence }: ColumnBuild): (key: string) => number {
  if (!table.loaded) return (key) => table.rows.append(key);
  return (key) => {
    const row = table.rows.findAt(key, sequence);
    if (row === undefined) throw new Error(`the row of key ${key} is not in memory`);
    return row;
  };
}

function selectChunk(build: ColumnBuild, chunk: number): void {
  for (const [path, column] of build.columns) column.select(chunk, capacityFor(path.length));
  for (const [path, lists] of build.lists) lists.select(chunk, capacityFor(path.length));
}
