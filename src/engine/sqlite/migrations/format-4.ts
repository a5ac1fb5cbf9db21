// The tables of format 4, which has no table for large values. They stay as they were when the schema
// changes.

import { FORMAT_3_TABLES } from './format-3.ts';

const FORMAT_4_CHANGES =
  'CREATE TABLE changes(sequence INTEGER PRIMARY KEY, commits INTEGER NOT NULL, count INTEGER NOT NULL, at_ms INTEGER NOT NULL, list TEXT NOT NULL, seal INTEGER NOT NULL)';

export const FORMAT_4_TABLES: ReadonlyMap<string, string> = new Map([
  ...FORMAT_3_TABLES,
  ['changes', FORMAT_4_CHANGES],
]);
