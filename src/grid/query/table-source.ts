// Adapts columns to the query language's port: one table at one commit.

import type { PreparedTable } from '../../columns/index.ts';
import type { SourceIndex, SourceTable } from '../../oql/index.ts';

export interface TableAtCommit {
  readonly table: PreparedTable;
  readonly sequence: number;
  /** Maps names of indexes to their keys in the columns. */
  readonly indexKeys: ReadonlyMap<string, string>;
  readonly readTexts: (keys: readonly string[]) => Promise<readonly string[]>;
}

export function createSourceTable(parts: TableAtCommit): SourceTable {
  const { table, sequence, readTexts, indexKeys } = parts;
  const { entryCount, rows } = table;
  // Rows added later are not visible at this commit.
  const { size, sortedSize } = rows;
  const nullCount = rows.countNulls(sequence);
  const findKey = (key: string): number | undefined => {
    const row = rows.findAt(key, sequence);
    return row === undefined || !rows.isVisible(row, sequence) ? undefined : row;
  };
  return {
    size,
    sortedSize,
    entryCount: entryCount - nullCount,
    nullCount,
    visibleRows: (chunk) => rows.visibleRows(chunk, sequence),
    isVisible: (row) => rows.isVisible(row, sequence),
    deltaRows: () => rows.deltaRows(),
    orderOf: (row) => rows.orderOf(row),
    compareKeys: (left, right) => rows.compareKeys(left, right),
    keyOf: (row) => rows.keyOf(row),
    findKey,
    column: (path) => table.column(path),
    lists: (path) => table.lists(path),
    index: (name) => {
      const index = table.index(indexKeys.get(name) ?? '');
      return index?.kind === 'key' ? findByKey(index, findKey) : index;
    },
    readTexts: (numbers) => readTexts(numbers.map((row) => rows.keyOf(row))),
  };
}

/** A key index has only rows whose value is not their key; the others are found by key. */
function findByKey(index: SourceIndex, findKey: (key: string) => number | undefined): SourceIndex {
  const visitKey = (key: string | undefined, visit: (row: number) => void): void => {
    const row = key === undefined ? undefined : findKey(key);
    if (row !== undefined) visit(row);
  };
  return {
    countNumbers: (bounds) => index.countNumbers(bounds),
    countStrings: (bounds) => index.countStrings(bounds),
    countUnkeyed: (kind) => index.countUnkeyed(kind),
    forEachUnkeyed: (kind, visit) => index.forEachUnkeyed(kind, visit),
    walkNumbers: (bounds, walk) => index.walkNumbers(bounds, walk),
    walkStrings: (bounds, walk) => index.walkStrings(bounds, walk),
    forEachNumber: (bounds, visit) => {
      visitKey(bounds.low === undefined ? undefined : String(bounds.low.key), visit);
      index.forEachNumber(bounds, visit);
    },
    forEachString: (bounds, visit) => {
      visitKey(bounds.low?.key, visit);
      index.forEachString(bounds, visit);
    },
  };
}
