// Reads the rows of a table as the access of a plan says: all of them, those of index look-ups, or
// a limited number in the order of an index.

import type { IndexWalk, SourceIndex, UnkeyedKind } from '../../../../value/column-data.ts';
import type { SourceTable } from '../../../columnar/column-source.ts';
import { openTableIndex } from '../../../columnar/key-index.ts';
import { countKeys, EVERYTHING, type KeySet, visitKeys } from '../../../plan/lookup.ts';
import type { Access, IndexKeys, IndexUse } from '../../../plan/plan-node.ts';
import {
  mergeByKey,
  rowFrames,
  type ScannedFrame,
  scanFrames,
  type TableScan,
} from './scan-frames.ts';

/** Asked between frames: true when no more rows are wanted. */
export type IsEnough = () => boolean;

export function readAccess(
  scan: TableScan,
  access: Access,
  isEnough: IsEnough = () => false,
): Generator<ScannedFrame> {
  const { table } = scan;
  switch (access.kind) {
    case 'scan':
      return scanFrames(scan);
    case 'lookup':
      return rowFrames(scan, lookUp(table, access.uses));
    case 'ordered':
      return orderedFrames(scan, access, isEnough);
    case 'distinct-keys':
      return rowFrames(scan, findFirstRows(table, access));
    case 'min-max':
      return rowFrames(scan, findMinMax(table, access.uses));
    case 'empty':
    case 'size':
    case 'count':
      throw new Error(`${access.kind} reads no rows`);
  }
}

export function requireIndex(table: SourceTable, name: string): SourceIndex {
  const index = openTableIndex(table, name);
  if (index === undefined) throw new Error(`index ${name} is gone`);
  return index;
}

/** The visible rows of index look-ups, each once, in the order of the region. */
function lookUp(table: SourceTable, uses: readonly IndexUse[]): Uint32Array {
  const rows: number[] = [];
  for (const { index, lookup } of uses) {
    visitKeys(lookup.possible, requireIndex(table, index.name), (row) => rows.push(row));
  }
  return visibleInOrder(table, rows);
}

const NONE = new Uint32Array(0);

/** Each visible row once, in the order of the region. */
export function visibleInOrder(
  table: SourceTable,
  rows: readonly number[] | Uint32Array,
): Uint32Array {
  const [only, second] = rows;
  if (only !== undefined && second === undefined) {
    const isVisible = only < table.size && table.isVisible(only);
    return isVisible ? Uint32Array.of(only) : NONE;
  }
  const sorted = Uint32Array.from(rows).sort();
  let count = 0;
  let last = -1;
  for (const row of sorted) {
    if (row === last || row >= table.size || !table.isVisible(row)) continue;
    sorted[count] = row;
    count += 1;
    last = row;
  }
  return inRegionOrder(table, sorted.subarray(0, count));
}

/** Ascending row numbers are the order of the region, except for rows of the delta. */
function inRegionOrder(table: SourceTable, ascending: Uint32Array): Uint32Array {
  const split = ascending.findIndex((row) => row >= table.sortedSize);
  if (split < 0) return ascending;
  const delta = Array.from(ascending.subarray(split), (row) => ({
    row,
    before: table.orderOf(row),
  }));
  delta.sort((a, b) => a.before - b.before || table.compareKeys(a.row, b.row));
  return mergeByKey(ascending.subarray(0, split), delta);
}

const SMALLEST_BATCH = 32;
/** Rows of an index are scattered over the columns, so each takes longer to read than in a scan. */
const LARGEST_BATCH = 1024;

/** All rows of a key are in one frame, so that the order between frames is final. */
function* orderedFrames(
  scan: TableScan,
  access: Extract<Access, { kind: 'ordered' }>,
  isEnough: IsEnough,
): Generator<ScannedFrame> {
  const { table } = scan;
  const index = requireIndex(table, access.index.name);
  let size = Math.min(LARGEST_BATCH, Math.max(SMALLEST_BATCH, access.rows));
  let batch: number[] = [];
  for (const rows of walkKeys(index, access.keys, access.direction)) {
    for (const row of visibleInOrder(table, rows)) batch.push(row);
    if (batch.length < size) continue;
    yield* rowFrames(scan, Uint32Array.from(batch));
    if (isEnough()) return;
    batch = [];
    size = Math.min(LARGEST_BATCH, size * 2);
  }
  yield* rowFrames(scan, Uint32Array.from(batch));
}

/** Ascending: null, then missing, then values; descending the other way round. */
function* walkKeys(
  index: SourceIndex,
  keys: KeySet,
  direction: 'up' | 'down',
): Generator<Uint32Array> {
  if (direction === 'up') yield* unkeyedRows(index, keys, ['null', 'missing']);
  yield* walkValues(index, keys, { direction });
  if (direction === 'down') yield* unkeyedRows(index, keys, ['missing', 'null']);
}

function* unkeyedRows(
  index: SourceIndex,
  { unkeyed }: KeySet,
  kinds: readonly UnkeyedKind[],
): Generator<Uint32Array> {
  for (const kind of kinds) {
    const rows: number[] = [];
    if (unkeyed.has(kind)) index.forEachUnkeyed(kind, (row) => rows.push(row));
    yield Uint32Array.from(rows);
  }
}

function* walkValues(index: SourceIndex, keys: KeySet, walk: IndexWalk): Generator<Uint32Array> {
  const isUp = walk.direction === 'up';
  for (const bounds of isUp ? keys.numbers : keys.numbers.toReversed()) {
    yield* index.walkNumbers(bounds, walk);
  }
  for (const bounds of isUp ? keys.strings : keys.strings.toReversed()) {
    yield* index.walkStrings(bounds, walk);
  }
}

/** The first visible row of each key, and all rows whose values are no keys. */
function findFirstRows(table: SourceTable, { index: { name }, keys }: IndexKeys): Uint32Array {
  const index = requireIndex(table, name);
  const firsts: number[] = [];
  const isVisible = (row: number): boolean => row < table.size && table.isVisible(row);
  const firstRows = { split: table.sortedSize, isVisible };
  for (const rows of walkValues(index, keys, { direction: 'up', firstRows })) addAll(firsts, rows);
  for (const kind of keys.unkeyed) {
    const found = unkeyedRows(index, keys, [kind]);
    const isOneValue = kind !== 'composite' && kind !== 'other';
    for (const rows of isOneValue ? [firstVisible(table, found)] : found) addAll(firsts, rows);
  }
  return visibleInOrder(table, firsts);
}

function addAll(list: number[], rows: Uint32Array): void {
  for (const row of rows) list.push(row);
}

/** Rows that have every MIN and MAX; at least one, if the table has any. */
function findMinMax(table: SourceTable, uses: readonly IndexKeys[]): Uint32Array {
  const extremes: number[] = [];
  for (const { index, keys } of uses) {
    const source = requireIndex(table, index.name);
    for (const direction of ['up', 'down'] as const) {
      addAll(extremes, firstVisible(table, walkValues(source, keys, { direction })));
    }
    addAll(extremes, firstVisible(table, unkeyedRows(source, keys, ['null', 'missing'])));
  }
  return visibleInOrder(table, extremes);
}

/** The first visible row of the first key that has one. */
function firstVisible(table: SourceTable, groups: Iterable<Uint32Array>): Uint32Array {
  for (const rows of groups) {
    const visible = visibleInOrder(table, rows);
    if (visible.length > 0) return visible.subarray(0, 1);
  }
  return NONE;
}

/** The number of visible rows of the keys, without reading a column. */
export function countIndexRows(
  table: SourceTable,
  { index: { name }, keys }: Extract<Access, { kind: 'count' }>,
): number {
  const index = requireIndex(table, name);
  // An index has each visible row once. If it has no other rows, its counts are exact.
  if (countKeys(EVERYTHING, index) === table.entryCount) return countKeys(keys, index);
  let count = 0;
  visitKeys(keys, index, (row) => {
    if (row < table.size && table.isVisible(row)) count += 1;
  });
  return count;
}
