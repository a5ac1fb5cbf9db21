// Columns as the query language wants to see them: one table at one moment.

import type { ColumnPath, PreparedTable } from '../../columns/index.ts';
import type { SourceColumn, SourceLists, SourceTable } from '../../oql/index.ts';

export interface TableMoment {
  readonly table: PreparedTable;
  readonly sequence: number;
  /** Entries of the region at this moment. */
  readonly entryCount: number;
  /** Names of indexes to the keys they are kept under. */
  readonly indexKeys: ReadonlyMap<string, string>;
  readonly readTexts: (keys: readonly string[]) => Promise<readonly string[]>;
}

export function createSourceTable(moment: TableMoment): SourceTable {
  const { table, sequence, entryCount, readTexts, indexKeys } = moment;
  const { rows } = table;
  // Rows added later are not visible at this moment, so the query need not know of them.
  const { size, sortedSize } = rows;
  return {
    size,
    sortedSize,
    entryCount: entryCount - rows.countNulls(sequence),
    visibleRows: (chunk) => rows.visibleRows(chunk, sequence),
    isVisible: (row) => rows.isVisible(row, sequence),
    lateRows: () => rows.lateRows(),
    orderOf: (row) => rows.orderOf(row),
    compareKeys: (left, right) => rows.compareKeys(left, right),
    keyOf: (row) => rows.keyOf(row),
    findKey: (key) => {
      const row = rows.findAt(key, sequence);
      return row === undefined || !rows.isVisible(row, sequence) ? undefined : row;
    },
    column: (path) => columnAt(table, path),
    lists: (path) => listsAt(table, path),
    index: (name) => table.index(indexKeys.get(name) ?? ''),
    readTexts: (numbers) => readTexts(numbers.map((row) => rows.keyOf(row))),
  };
}

function columnAt(table: PreparedTable, path: ColumnPath): SourceColumn {
  const column = table.column(path);
  return {
    strings: column.strings,
    texts: column.texts,
    answers: column.answers,
    chunk: (index) => column.chunks[index] ?? column.select(index, 0),
  };
}

function listsAt(table: PreparedTable, path: ColumnPath): SourceLists {
  const lists = table.lists(path);
  return { chunk: (index) => lists.chunkAt(index) };
}
