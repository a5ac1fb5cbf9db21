// Format 1, for the migration and for commands that only read. It stays as it was when the schema
// changes.

import type { DatabaseSync } from 'node:sqlite';
import { openSealedRegion, parseDefinition, prepareArrays, type RegionRow } from '../schema.ts';
import { FORMAT_3_CHANGES } from './format-3.ts';

export const FORMAT_1_TABLES: ReadonlyMap<string, string> = new Map([
  [
    'store',
    'CREATE TABLE store(id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, clean INTEGER NOT NULL, seal INTEGER NOT NULL)',
  ],
  [
    'regions',
    'CREATE TABLE regions(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL, indexes TEXT NOT NULL, entry_count INTEGER NOT NULL, value_bytes INTEGER NOT NULL, largest_value INTEGER NOT NULL, seal INTEGER NOT NULL)',
  ],
  ['changes', FORMAT_3_CHANGES],
]);

export type Format1Region = Omit<RegionRow, 'digest'>;

export function readFormat1Regions(database: DatabaseSync, file: string): readonly Format1Region[] {
  const sql =
    'SELECT id, name, definition, indexes, entry_count, value_bytes, largest_value, seal FROM regions ORDER BY id';
  return prepareArrays(database, sql)
    .all()
    .map((row) => {
      // The seal matches, so these are the columns that format 1 stored.
      const [id, , definition, indexes, entryCount, valueBytes, largestValue] = openSealedRegion(
        row,
        file,
      ) as readonly [number, string, string, string, number, number, number];
      return parseDefinition({ id, definition, indexes, entryCount, valueBytes, largestValue });
    });
}
