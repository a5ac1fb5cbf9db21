// Migrates a store of an older format to the current one, in one transaction: a crash or a full disk
// leaves the older store intact. A new format adds a step at the end of the list, and the tables of
// the previous format as a file beside this one.

import type { DatabaseSync } from 'node:sqlite';
import { checkChangeLog } from '../check-change-log.ts';
import { type ColumnsIn, countOrphans, inlineColumns, valueColumns } from '../large-values.ts';
import { FORMAT_VERSION, type RegionRow, readRegionRows, TABLES } from '../schema.ts';
import { addRegionDigests } from './add-region-digests.ts';
import { FORMAT_1_TABLES, readFormat1Regions } from './format-1.ts';
import { checkFormat3Changes, FORMAT_3_TABLES } from './format-3.ts';
import { FORMAT_4_TABLES } from './format-4.ts';
import { groupChanges } from './group-changes.ts';

/** Changes the tables of one format into those of the next. */
type Migration = (database: DatabaseSync, file: string) => void;

/**
 * Format 3 has the tables of format 2. Definitions may state history and times to live, and the log
 * may record expired entries, which servers of format 2 would misread.
 */
const allowHistory: Migration = () => undefined;

/** Format 5 has a table for large values. Those of older formats move when they are rewritten. */
const addLargeValues: Migration = (database) => database.exec(TABLES.get('large_values') ?? '');

/** The step at index 0 leads from format 1 to 2, and so on. */
export const MIGRATIONS: readonly Migration[] = [
  addRegionDigests,
  allowHistory,
  groupChanges,
  addLargeValues,
];

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
  readonly readRegions: (database: DatabaseSync, file: string) => readonly StatedRegion[];
  readonly checkChangeLog: typeof checkChangeLog;
  readonly columnsIn: ColumnsIn;
  readonly countOrphans: typeof countOrphans;
}

export function formatReader(format: number): FormatReader {
  if (format === FORMAT_VERSION) {
    return {
      tables: TABLES,
      readRegions: readRegionRows,
      checkChangeLog,
      columnsIn: valueColumns,
      countOrphans,
    };
  }
  const older = {
    readRegions: readRegionRows,
    checkChangeLog,
    columnsIn: inlineColumns,
    countOrphans: () => 0,
  };
  if (format === 4) return { ...older, tables: FORMAT_4_TABLES };
  if (format > 1) {
    return { ...older, tables: FORMAT_3_TABLES, checkChangeLog: checkFormat3Changes };
  }
  return {
    ...older,
    tables: FORMAT_1_TABLES,
    readRegions: readFormat1Regions,
    checkChangeLog: checkFormat3Changes,
  };
}
