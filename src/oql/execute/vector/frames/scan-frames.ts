// The visible rows of a table in key order, as frames. The rows of the delta, which are few, are
// sorted by key and merged into the chunks to which they belong.

import { CHUNK_BITS, CHUNK_ROWS } from '../../../../value/column-data.ts';
import { indexesBelow } from '../../../../value/merge-sort.ts';
import type { SourceTable } from '../../../columnar/column-source.ts';
import { Frame, type Locator, locateRows, type QueryColumn } from './frame.ts';

export interface ScannedFrame {
  readonly frame: Frame;
  /** One byte per row, 1 for visible; undefined when all are. */
  readonly visible: Uint8Array | undefined;
}

export interface TableScan {
  readonly table: SourceTable;
  readonly columns: readonly QueryColumn[];
  /** Locators of the iterators before this one, if the table is not the first. */
  readonly before: readonly Locator[];
}

export function* scanFrames(scan: TableScan): Generator<ScannedFrame> {
  const { table, columns, before } = scan;
  const delta = visibleDeltaRows(table);
  let next = 0;
  for (let start = 0; start < table.sortedSize; start += CHUNK_ROWS) {
    const end = Math.min(start + CHUNK_ROWS, table.sortedSize);
    const from = next;
    while (next < delta.length && (delta[next]?.before ?? 0) < end) next += 1;
    // The last sorted chunk may also hold delta rows after the sorted ones.
    const isWhole = next === from && end === Math.min(start + CHUNK_ROWS, table.size);
    if (isWhole) {
      const [chunk, size] = [start >> CHUNK_BITS, end - start];
      const locator: Locator = { kind: 'whole', chunk, isFull: size === CHUNK_ROWS };
      const frame = new Frame(size, [...before, locator], columns);
      yield { frame, visible: table.visibleRows(chunk) };
    } else {
      yield frameOf(scan, mergeByKey(visibleBetween(table, start, end), delta.slice(from, next)));
    }
  }
  const lastRows = Uint32Array.from(delta.slice(next), ({ row }) => row);
  yield* rowFrames(scan, lastRows);
}

/** Frames of given rows, which must be visible, in the given order. */
export function* rowFrames(scan: TableScan, rows: Uint32Array): Generator<ScannedFrame> {
  for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
    yield frameOf(scan, rows.subarray(start, start + CHUNK_ROWS));
  }
}

/** A row of the delta, and the sorted row it comes before. */
export interface DeltaRow {
  readonly row: number;
  readonly before: number;
}

/** Ascending sorted rows and rows of the delta, in key order. */
export function mergeByKey(sorted: Uint32Array, delta: readonly DeltaRow[]): Uint32Array {
  const rows = new Uint32Array(sorted.length + delta.length);
  let at = 0;
  let next = 0;
  for (const { row, before } of delta) {
    while (next < sorted.length && (sorted[next] ?? 0) < before) rows[at++] = sorted[next++] ?? 0;
    rows[at++] = row;
  }
  rows.set(sorted.subarray(next), at);
  return rows;
}

function visibleBetween(table: SourceTable, start: number, end: number): Uint32Array {
  const rows: number[] = [];
  for (let row = start; row < end; row += 1) if (table.isVisible(row)) rows.push(row);
  return Uint32Array.from(rows);
}

function frameOf({ columns, before }: TableScan, rows: Uint32Array): ScannedFrame {
  const frame = new Frame(rows.length, [...before, locateRows(rows)], columns);
  return { frame, visible: undefined };
}

/** The delta may have rows that were added after the query began, which are not visible. */
function visibleDeltaRows(table: SourceTable): readonly DeltaRow[] {
  const { rows, before } = table.deltaRows();
  const delta: DeltaRow[] = [];
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? 0;
    if (table.isVisible(row)) delta.push({ row, before: before[index] ?? 0 });
  }
  return delta;
}

let sharedIndexes = indexesBelow(CHUNK_ROWS);

/** 0, 1, 2, …, to be read only: all calls share one array. */
export function firstRows(size: number): Uint32Array {
  if (sharedIndexes.length < size) sharedIndexes = indexesBelow(size * 2);
  return sharedIndexes.subarray(0, size);
}

/** True for a part of `firstRows`: each row is one more than the last. */
export function isRun(rows: Uint32Array): boolean {
  return rows.buffer === sharedIndexes.buffer;
}
