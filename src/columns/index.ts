// The door of columns: the exports for `grid`.

export { ColumnStore, type TablePin } from './column-store.ts';
export type { IdleTime } from './idle-apply.ts';
export type { PreparedTable, PrepareRequest, RequestedIndex } from './prepared-table.ts';
