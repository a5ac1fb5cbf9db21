// The door of columns: the exports for `grid`.

export type { BuildPacer } from './build-columns.ts';
export type { Column } from './column.ts';
export type { ColumnPath } from './column-path.ts';
export { ColumnStore, type TablePin } from './column-store.ts';
export type { IdleTime } from './idle-apply.ts';
export type { Derivation } from './indexes/derived-column.ts';
export type { PreparedTable, PrepareRequest, WantedIndex } from './prepared-table.ts';
