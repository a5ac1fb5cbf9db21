// The door of columns: what `grid` needs to serve queries from memory.

export type { Pacer } from './build-columns.ts';
export type { ColumnPath } from './column-path.ts';
export {
  ColumnStore,
  type PreparedTable,
  type TablePin,
  type WantedIndex,
} from './column-store.ts';
