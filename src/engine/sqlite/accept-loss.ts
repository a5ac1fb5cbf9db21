// Lets a store continue without lost commits, once its owner accepts the loss. The existing entries
// stay. The counters of regions are corrected, and no version is used twice.

import { DatabaseSync } from 'node:sqlite';
import { SKIPPED_SEQUENCES } from './copy-store.ts';
import { addDigest, digestEntry, EMPTY_DIGEST } from './digest.ts';
import { countOrphans, removeOrphans } from './large-values.ts';
import { formatReader, migrateStore } from './migrations/migrate-store.ts';
import { openReadConnection } from './open-read-connection.ts';
import { checkHeader, checkPages } from './open-store.ts';
import { Problems } from './problems.ts';
import { dropUnneededLog, findMissing, readRecoveryState } from './recovery-state.ts';
import {
  createStateStatements,
  entriesTable,
  FORMAT_VERSION,
  listEntriesTables,
  type RegionRow,
  readFormat,
  readRegionRows,
  readStoreRow,
} from './schema.ts';
import { toEngineError } from './sqlite-errors.ts';
import type { StoreFiles } from './store-files.ts';
import { StoreLock } from './store-lock.ts';
import { StoreMark } from './store-mark.ts';
import { requireDataFile, scanEntries } from './store-reader.ts';

export type AcceptOutcome =
  /** Every acknowledged commit is there; nothing was changed. */
  { readonly kind: 'nothing-missing' } | { readonly kind: 'accepted'; readonly loss: AcceptedLoss };

export interface AcceptedLoss {
  /** The error that the next start would report. */
  readonly missing: string | undefined;
  /** The last complete commit, and the number after which the store continues. */
  readonly sequence: number;
  readonly nextSequence: number;
  /** Regions whose stated counters did not match their entries. */
  readonly regions: readonly CorrectedRegion[];
  /** Large values without an entry, which were removed. */
  readonly orphans: number;
}

export interface CorrectedRegion {
  readonly name: string;
  readonly stated: number;
  readonly entryCount: number;
  /** Entries whose version belongs to a lost commit. */
  readonly later: number;
}

/** Throws `engine/store-locked` while a server runs, `engine/store-damaged` for any other damage. */
export function acceptLoss(files: StoreFiles): AcceptOutcome {
  requireDataFile(files);
  const lock = new StoreLock(files);
  try {
    const recovery = dropUnneededLog(files, readRecoveryState(files));
    checkHeader(files);
    // The log may be the only record of the last commit, so it must stay until the loss is
    // accepted. SQLite removes a log when the last connection is closed, if that connection can
    // write. This one cannot, and is closed last.
    const keeper = recovery.hasLogFile ? openReadConnection(files.data) : undefined;
    const database = new DatabaseSync(files.data);
    try {
      database.exec('PRAGMA synchronous = FULL');
      checkPages(database, files.data);
      const format = readFormat(database, files.data);
      const stored = readStoreRow(database, files.data);
      const isLogWhole = isChangeLogWhole(database, format, stored.sequence);
      // The migration refuses a damaged log. In the current format nothing is changed before all
      // entries are counted.
      if (!isLogWhole && format < FORMAT_VERSION) database.exec('DELETE FROM changes');
      migrateStore(database, files.data, format);
      const missing = findMissing(files, recovery, stored)?.message;
      const markedSequence = recovery.mark?.sequence ?? 0;
      return correct(database, files, { ...stored, missing, markedSequence, isLogWhole });
    } finally {
      database.close();
      keeper?.close();
    }
  } catch (error) {
    throw toEngineError(error, files.data);
  } finally {
    lock.close();
  }
}

interface Findings {
  /** See `AcceptedLoss`. */
  readonly missing: string | undefined;
  readonly sequence: number;
  /** The last commit that the mark requires. */
  readonly markedSequence: number;
  readonly isLogWhole: boolean;
}

function correct(
  database: DatabaseSync,
  files: StoreFiles,
  { isLogWhole, markedSequence, missing, sequence }: Findings,
): AcceptOutcome {
  const regions = readRegionRows(database, files.data).map((row) =>
    countRegion(database, files.data, { row, sequence }),
  );
  const corrected = regions.filter(({ isCorrect }) => !isCorrect);
  const orphans = countOrphans(
    database,
    regions.map(({ row }) => row),
  );
  const isWhole = isLogWhole && missing === undefined && corrected.length === 0 && orphans === 0;
  if (isWhole) return { kind: 'nothing-missing' };
  const latest = Math.max(
    sequence,
    markedSequence,
    ...regions.map((region) => region.latestVersion),
  );
  const nextSequence = latest + SKIPPED_SEQUENCES;
  writeCorrected(database, files, { rows: corrected.map(({ row }) => row), nextSequence });
  // The mark is written last. Until then the old one requires fewer commits than there are.
  const mark = new StoreMark(files.mark);
  mark.begin({ sequence: nextSequence, synced: nextSequence, durability: 'always' });
  mark.close();
  return {
    kind: 'accepted',
    loss: {
      missing,
      sequence,
      nextSequence,
      orphans,
      regions: corrected.map(({ later, row, stated }) => {
        return { name: row.definition.name, stated, entryCount: row.entryCount, later };
      }),
    },
  };
}

function writeCorrected(
  database: DatabaseSync,
  files: StoreFiles,
  { nextSequence, rows }: { readonly rows: readonly RegionRow[]; readonly nextSequence: number },
): void {
  const { writeRegion, writeStore } = createStateStatements(database);
  database.exec('BEGIN IMMEDIATE');
  const regions = readRegionRows(database, files.data);
  dropTablesExcept(database, regions);
  removeOrphans(database, regions);
  for (const row of rows) writeRegion(row);
  // A gap in the log would be reported as damage. Followers have to start over anyway.
  database.exec('DELETE FROM changes');
  writeStore({ sequence: nextSequence, clean: true });
  database.exec('COMMIT');
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}

interface CountedRegion {
  readonly row: RegionRow;
  readonly stated: number;
  readonly later: number;
  readonly latestVersion: number;
  readonly isCorrect: boolean;
}

/** Reads every entry. Throws at the first that fails its checksum: a lost commit cannot cause that. */
function countRegion(
  database: DatabaseSync,
  file: string,
  { row, sequence }: { readonly row: RegionRow; readonly sequence: number },
): CountedRegion {
  const counts = { entryCount: 0, valueBytes: 0, largestValue: 0, digest: EMPTY_DIGEST };
  let latestVersion = 0;
  let later = 0;
  for (const { seal, value, version } of scanEntries(database, file, row)) {
    const bytes = Buffer.byteLength(value);
    counts.entryCount += 1;
    counts.valueBytes += bytes;
    counts.largestValue = Math.max(counts.largestValue, bytes);
    counts.digest = addDigest(counts.digest, digestEntry(version, seal));
    latestVersion = Math.max(latestVersion, version);
    if (version > sequence) later += 1;
  }
  const isCorrect =
    later === 0 &&
    row.entryCount === counts.entryCount &&
    row.valueBytes === counts.valueBytes &&
    row.digest === counts.digest;
  return { row: { ...row, ...counts }, stated: row.entryCount, later, latestVersion, isCorrect };
}

function isChangeLogWhole(database: DatabaseSync, format: number, sequence: number): boolean {
  const problems = new Problems(1);
  formatReader(format).checkChangeLog(database, sequence, problems);
  return problems.count === 0;
}

/** Drops the tables of regions whose creation is lost. */
function dropTablesExcept(database: DatabaseSync, regions: readonly RegionRow[]): void {
  const known = new Set(regions.map(({ id }) => id));
  for (const id of listEntriesTables(database)) {
    if (!known.has(id)) database.exec(`DROP TABLE ${entriesTable(id)}`);
  }
}
