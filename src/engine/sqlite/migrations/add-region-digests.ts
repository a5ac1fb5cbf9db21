// Format 1 to 2: each region gets the digest of its entries. They are read once for it, and
// must be as many as the region says: a digest of damaged entries would call them sound.

import type { DatabaseSync } from 'node:sqlite';
import { checkRegionState, sumRegion } from '../region-state.ts';
import { createStateStatements, TABLES } from '../schema.ts';
import { readFormat1Regions } from './format-1.ts';

export function addRegionDigests(database: DatabaseSync, file: string): void {
  const rows = readFormat1Regions(database, file).map((row) => {
    const sums = sumRegion(database, file, row);
    checkRegionState(file, row, sums);
    return { ...row, digest: sums.digest };
  });
  // Made anew: a column that is added changes the text SQLite keeps in a way of its own.
  database.exec('DROP TABLE regions');
  database.exec(TABLES.get('regions') ?? '');
  const { writeRegion } = createStateStatements(database);
  for (const row of rows) writeRegion(row);
}
