// Format 1 to 2: adds the digest of its entries to each region. The entries are read once, and must
// match the stated counters: the digest of damaged entries would hide the damage.

import type { DatabaseSync } from 'node:sqlite';
import { inlineColumns } from '../large-values.ts';
import { checkRegionState, sumRegion } from '../region-state.ts';
import { createStateStatements, TABLES } from '../schema.ts';
import { readFormat1Regions } from './format-1.ts';

export function addRegionDigests(database: DatabaseSync, file: string): void {
  const rows = readFormat1Regions(database, file).map((row) => {
    const sums = sumRegion(database, file, row, inlineColumns);
    checkRegionState(file, row, sums);
    return { ...row, digest: sums.digest };
  });
  // The table is created again, because ALTER TABLE changes the schema text that SQLite stores.
  database.exec('DROP TABLE regions');
  database.exec(TABLES.get('regions') ?? '');
  const { writeRegion } = createStateStatements(database);
  for (const row of rows) writeRegion(row);
}
