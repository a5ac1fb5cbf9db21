// Migrates a store of an older format to the current one, in one transaction: a crash or a full disk
// leaves the older store intact. A new format adds a step at the end of the list, and the tables of
// the previous format as a file beside this one.

import type { DatabaseSync } from 'node:sqlite';
import { FORMAT_VERSION, type RegionRow, readRegionRows, TABLES } from '../schema.ts';
import { addRegionDigests } from './add-region-digests.ts';
import { allowHistory } from './allow-history.ts';
import { FORMAT_1_TABLES, readFormat1Regions } from './format-1.ts';

/** Changes the tables of one format into those of the next. */
type Migration = (database: DatabaseSync, file: string) => void;

/** The step at index 0 leads from format 1 to 2, and so on. */
export const MIGRATIONS: readonly Migration[] = [addRegionDigests, allowHistory];

export function migrateStore(database: DatabaseSync, file: string, format: number): void {
  if (format === FORMAT_VERSION) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const migrate of MIGRATIONS.slice(format - 1)) migrate(database, file);
    database.exec(`PRAGMA user_version = ${FORMAT_VERSION}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** A region as some format states it. */
export type StatedRegion = Omit<RegionRow, 'digest'> & { readonly digest?: number };

/** For commands that read a store of any known format and leave it as it is. */
export interface FormatReader {
  readonly tables: ReadonlyMap<string, string>;
  readRegions(database: DatabaseSync, file: string): readonly StatedRegion[];
}

export function formatReader(format: number): FormatReader {
  return format === 1
    ? { tables: FORMAT_1_TABLES, readRegions: readFormat1Regions }
    : { tables: TABLES, readRegions: readRegionRows };
}
