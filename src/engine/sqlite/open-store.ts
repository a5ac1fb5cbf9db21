// Opens a data directory for writing: takes the lock, creates the file when there is none, and checks
// it. After a clean stop the check is cheap whatever the size. After a crash, and for small files,
// the structure of every page is checked too.

import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { printAmount } from '../../value/print-amount.ts';
import { storeDamaged, storeInaccessible } from '../errors.ts';
import { checkLastChange } from './change-log.ts';
import { requireChangeLog } from './check-change-log.ts';
import { migrateStore } from './migrations/migrate-store.ts';
import { prepareFiles } from './prepare-files.ts';
import {
  describeRecovery,
  dropUnneededLog,
  findMissing,
  nextSequence,
  type RecoveryState,
  readRecoveryState,
} from './recovery-state.ts';
import { checkRegionStates } from './region-state.ts';
import { fillReserve, freeReserve } from './reserve.ts';
import {
  checkTables,
  createSchema,
  createStoreStatement,
  FIRST_MARKED_FORMAT,
  FORMAT_VERSION,
  type RegionRow,
  readFormat,
  readRegionRows,
  readStoreRow,
  type StoreRow,
} from './schema.ts';
import { isFull, toEngineError } from './sqlite-errors.ts';
import {
  createDirectory,
  removeUnfinished,
  type StoreFiles,
  syncDirectory,
} from './store-files.ts';
import { StoreLock } from './store-lock.ts';
import { readMark, StoreMark } from './store-mark.ts';
import type { WriterOptions } from './store-request.ts';

/** Files up to this size are checked in full at every start, which takes about 50 ms. */
const ALWAYS_CHECKED_BYTES = 48 * 1024 * 1024;
/** Enough for the upper levels of the tree of a million entries. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024;
const HEADER_BYTES = 100;
/** Larger than any file: SQLite reduces it to what it can map. */
export const MAPPED_BYTES: number = 2 ** 40;

export interface OpenStore {
  readonly database: DatabaseSync;
  /** Holds the lock until it is closed or the process ends, however it ends. */
  readonly lock: StoreLock;
  readonly mark: StoreMark;
  /** Notes for the operator, a sentence each. */
  readonly notes: readonly string[];
  readonly sequence: number;
  readonly regions: readonly RegionRow[];
  /** Whether the disk may be full. */
  readonly mayBeFull: boolean;
}

/**
 * SQLite's names for the levels of syncing; `never` is for tests alone
 * (`TestingOptions.neverSyncs`).
 */
export const SYNCHRONOUS = { always: 'FULL', relaxed: 'NORMAL', never: 'OFF' } as const;
export type SyncLevel = keyof typeof SYNCHRONOUS;

export function syncLevelOf({ durability, testing }: WriterOptions): SyncLevel {
  return testing.neverSyncs === true ? 'never' : durability;
}

export interface StoreOptions {
  readonly durability: SyncLevel;
  /** Memory for pages on the way to entries that are written; 64 MiB at most. */
  readonly cacheBytes?: number | undefined;
}

export function openStore(files: StoreFiles, options: StoreOptions): OpenStore {
  createDirectory(files.directory);
  prepareFiles(files);
  const lock = new StoreLock(files);
  freeReserve(files);
  try {
    if (!existsSync(files.data)) createStore(files);
    const recovery = dropUnneededLog(files, readRecoveryState(files));
    const hasNoLog = checkHeader(files);
    if (!hasNoLog) requireCompleteBeforeOpening(files, recovery);
    const database = new DatabaseSync(files.data);
    try {
      const prepared = prepareStore(database, files, { ...options, hasNoLog, recovery });
      return { database, lock, ...prepared, mayBeFull: !fillReserve(files) };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    fillReserve(files);
    lock.close();
    throw error;
  }
}

function createStore(files: StoreFiles): void {
  if (existsSync(files.log)) {
    throw storeDamaged(files.data, 'it is missing, but its write-ahead log is there');
  }
  const mark = readMark(files.mark);
  if (mark !== undefined && mark.sequence > 0) {
    throw storeDamaged(
      files.data,
      `it is missing, and with it ${printAmount(mark.sequence, 'commit')}`,
    );
  }
  removeUnfinished(files);
  const database = new DatabaseSync(files.unfinished);
  try {
    database.exec('PRAGMA synchronous = FULL');
    createSchema(database);
  } finally {
    database.close();
  }
  chmodSync(files.unfinished, 0o600);
  renameSync(files.unfinished, files.data);
  syncDirectory(files.directory);
}

/**
 * Checks the first bytes before SQLite does: SQLite treats an empty file as a new database, and
 * serves a truncated one until it reaches the gap. With a write-ahead log the size may differ
 * legitimately. Returns whether there is no log.
 */
export function checkHeader(files: Pick<StoreFiles, 'data' | 'log'>): boolean {
  const hasNoLog = !existsSync(files.log) || statSync(files.log).size === 0;
  if (!statSync(files.data).isFile()) throw storeInaccessible(files.data, 'it is not a file');
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(files.data, 'r');
  try {
    if (readSync(descriptor, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) {
      throw storeDamaged(files.data, 'it is cut short');
    }
  } finally {
    closeSync(descriptor);
  }
  // Bytes 18 and 19 are the write and read versions of the format. SQLite serves a file that it must
  // not write until something is written.
  const isKnown = [18, 19].every((at) => header[at] === 1 || header[at] === 2);
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0' || !isKnown) {
    throw storeDamaged(files.data, 'its header is not that of a store');
  }
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const expectedBytes = header.readUInt32BE(28) * pageBytes;
  const { size } = statSync(files.data);
  if (hasNoLog && size !== expectedBytes) {
    throw storeDamaged(files.data, `it has ${size} bytes instead of ${expectedBytes}`);
  }
  return hasNoLog;
}

/**
 * Throws when commits are missing, and changes no file: a writable connection would checkpoint and
 * remove the log when it is closed. So the operator can still put back the right log, or remove one
 * that belongs to another state.
 */
function requireCompleteBeforeOpening(files: StoreFiles, recovery: RecoveryState): void {
  const database = new DatabaseSync(files.data, { readOnly: true });
  try {
    const format = readFormat(database, files.data);
    requireComplete(files, { format, recovery, stored: readStoreRow(database, files.data) });
  } finally {
    database.close();
  }
}

function requireComplete(
  files: StoreFiles,
  found: { readonly format: number; readonly recovery: RecoveryState; readonly stored: StoreRow },
): void {
  if (found.format < FIRST_MARKED_FORMAT) return;
  const missing = findMissing(files, found.recovery, found.stored);
  if (missing !== undefined) throw missing;
}

function prepareStore(
  database: DatabaseSync,
  files: StoreFiles,
  options: StoreOptions & { readonly hasNoLog: boolean; readonly recovery: RecoveryState },
): Pick<OpenStore, 'mark' | 'notes' | 'sequence' | 'regions'> {
  database.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
  const cacheBytes = Math.min(options.cacheBytes ?? MAX_CACHE_BYTES, MAX_CACHE_BYTES);
  database.exec(`PRAGMA cache_size = -${Math.ceil(cacheBytes / 1024)}`);
  database.exec('PRAGMA cell_size_check = ON');
  database.exec('PRAGMA temp_store = MEMORY');
  const format = readFormat(database, files.data);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec(`PRAGMA synchronous = ${SYNCHRONOUS[options.durability]}`);
  // The main thread requests checkpoints, because it knows when readers have moved on.
  database.exec('PRAGMA wal_autocheckpoint = 0');

  const stored = readStoreRow(database, files.data);
  const isOlder = format < FORMAT_VERSION;
  if (options.hasNoLog) requireComplete(files, { format, recovery: options.recovery, stored });
  const isSmall = statSync(files.data).size <= ALWAYS_CHECKED_BYTES;
  const isChecked = isOlder || !stored.clean || !options.hasNoLog || isSmall;
  if (isChecked) checkPages(database, files.data);
  migrateStore(database, files.data, format);

  const { sequence } = stored;
  const regions = readRegionRows(database, files.data);
  checkTables(database, files.data, regions);
  checkLastChange(database, files.data, sequence);
  if (isChecked) {
    checkRegionStates(database, files.data, { regions, sequence });
    requireChangeLog(database, files.data, sequence);
  }
  const notes = describeRecovery(files, options.recovery, stored);
  return { regions, notes, ...markInUse(database, files, { stored, ...options }) };
}

/**
 * Marks the data file as in use before anything is acknowledged, so that the next start notices if
 * the log is lost.
 */
function markInUse(
  database: DatabaseSync,
  files: StoreFiles,
  { durability, hasNoLog, recovery, stored }: MarkOptions,
): Pick<OpenStore, 'mark' | 'sequence'> {
  // The log that a crash left is checkpointed first, so that the first write finds space.
  if (!hasNoLog) emptyLog(database, files);
  const mark = new StoreMark(files.mark);
  // The mark must exist before the file requires it, and must not name a future commit.
  mark.begin({
    sequence: stored.sequence,
    synced: stored.sequence,
    durability: durability === 'relaxed' ? 'relaxed' : 'always',
  });
  const sequence = nextSequence(recovery, stored);
  // The skipped sequences have no changes, so followers cannot continue from the log.
  if (sequence !== stored.sequence) database.exec('DELETE FROM changes');
  try {
    createStoreStatement(database)({ sequence, clean: false });
  } catch (error) {
    // After a crash the file is marked already, so a store on a full disk can still be read.
    const isMarked = !stored.clean && sequence === stored.sequence;
    if (!isMarked || toEngineError(error, files.data).code !== 'engine/store-full') throw error;
  }
  emptyLog(database, files);
  return { mark, sequence };
}

interface MarkOptions {
  readonly durability: SyncLevel;
  readonly hasNoLog: boolean;
  readonly recovery: RecoveryState;
  readonly stored: StoreRow;
}

/**
 * Checkpoints the log and empties it, unless the disk is full. A long log must not use up the
 * reserve, which the writes of a start need.
 */
function emptyLog(database: DatabaseSync, files: StoreFiles): void {
  fillReserve(files);
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    // All commits are still in the log and can be read from there.
    if (!isFull(error)) throw error;
  } finally {
    freeReserve(files);
  }
}

/** Throws at the first page whose structure is broken. */
export function checkPages(database: DatabaseSync, file: string): void {
  // `quick_check` would save a fifth of the time. It does not check the order of keys, so it misses
  // pages that were swapped.
  const [row] = database.prepare('PRAGMA integrity_check(1)').all();
  const result = String(row?.['integrity_check']);
  if (result !== 'ok') throw storeDamaged(file, result);
}
