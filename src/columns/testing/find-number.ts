// Finds the entries of region `r` with a number, through an index.

import type { ColumnStore } from '../column-store.ts';

export function findNumber(
  store: ColumnStore,
  indexName: string,
  key: number,
): ReturnType<ColumnStore['findKeys']> {
  const bound = { key, inclusive: true };
  return store.findKeys('r', indexName, (index) => {
    const rows: number[] = [];
    index.forEachNumber({ low: bound, high: bound }, (row) => rows.push(row));
    return rows;
  });
}
