// Reads a store while a server may be running on it, and changes nothing. It takes no lock. Beside
// a store that is not in use it creates no log files, which an ordinary connection would do.

import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { KeyedEntry } from '../engine.ts';
import { type EngineError, MissingStoreError, storeDamaged, storeInaccessible } from '../errors.ts';
import { decodeKey } from '../key-encoding.ts';
import { type ColumnsIn, valueColumns } from './large-values.ts';
import { MAPPED_BYTES } from './open-store.ts';
import {
  findMissing,
  isLogUnneeded,
  type RecoveryState,
  readRecoveryState,
} from './recovery-state.ts';
import {
  entriesTable,
  FIRST_MARKED_FORMAT,
  type RegionRow,
  readFormat,
  readStoreRow,
} from './schema.ts';
import { openEntry } from './seal.ts';
import type { StoreFiles } from './store-files.ts';

/** A data file and the paths of its log and mark. A copy has no mark. */
export type DataFile = Pick<StoreFiles, 'data' | 'log'> & Partial<Pick<StoreFiles, 'mark'>>;

export interface StoreReader {
  /** Pinned at one commit. */
  readonly database: DatabaseSync;
  /** Describes acknowledged commits that the store lacks. */
  readonly missing: EngineError | undefined;
  /** Whether a damaged log was ignored because the data file has all of it. */
  readonly isLogDropped: boolean;
  /**
   * False when a server opened the store while it was read without locks. The reads may then mix
   * several commits and must be discarded.
   */
  isUndisturbed(): boolean;
  close(): void;
}

/** An entry as stored; nothing of it is checked yet. */
export interface RawEntry {
  readonly storedKey: unknown;
  readonly version: unknown;
  readonly seal: unknown;
  readonly value: unknown;
  /** NULL for an inline value; otherwise 1 if it has the row that its entry says, or 0. */
  readonly isLinked: unknown;
}

export function openStoreReader(file: DataFile): StoreReader {
  // A log means that a server runs, or ended without a clean stop: then the reader uses SQLite's
  // locks. Without a log, or with one that the next start will drop, the file does not change.
  const recovery =
    file.mark === undefined ? undefined : readRecoveryState({ ...file, mark: file.mark });
  const isDropped = recovery !== undefined && isLogUnneeded(recovery);
  const isAtRest = isDropped || !existsSync(file.log);
  const before = describeState(file.data);
  const database = new DatabaseSync(isAtRest ? toImmutableAddress(file.data) : file.data, {
    readOnly: true,
  });
  try {
    database.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    database.exec('PRAGMA cell_size_check = ON');
    database.exec('BEGIN');
    // The first read pins the connection at a commit.
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return {
      database,
      isLogDropped: isDropped,
      missing: recovery && findMissingIn(database, file, recovery),
      isUndisturbed: () =>
        !isAtRest || ((isDropped || !existsSync(file.log)) && describeState(file.data) === before),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Undefined also when the state cannot be read: the other checks report that. */
function findMissingIn(
  database: DatabaseSync,
  file: DataFile,
  recovery: RecoveryState,
): EngineError | undefined {
  try {
    if (readFormat(database, file.data) < FIRST_MARKED_FORMAT) return undefined;
    const stored = readStoreRow(database, file.data);
    return findMissing({ ...file, mark: file.mark ?? '' }, recovery, stored);
  } catch {
    return undefined;
  }
}

/** Repeats the work when a server started on the store meanwhile; the second attempt takes locks. */
export async function readUndisturbed<Result>(
  file: DataFile,
  work: (reader: StoreReader) => Result | Promise<Result>,
): Promise<Result> {
  for (;;) {
    const reader = openStoreReader(file);
    try {
      const result = await work(reader);
      if (reader.isUndisturbed()) return result;
    } catch (error) {
      if (reader.isUndisturbed()) throw error;
    } finally {
      reader.close();
    }
  }
}

/** All entries of a region in key order, one at a time. */
export function* scanRawEntries(
  database: DatabaseSync,
  regionId: number,
  columnsIn: ColumnsIn,
): Generator<RawEntry> {
  const { isLinked, value } = columnsIn('e');
  const sql = `SELECT "key" AS storedKey, version, seal, ${value} AS value, ${isLinked} AS isLinked FROM ${entriesTable(regionId)} AS e ORDER BY "key"`;
  for (const { storedKey, version, seal, value, isLinked } of database.prepare(sql).iterate()) {
    yield { storedKey, version, seal, value, isLinked };
  }
}

/** Verified entries of a region in key order. Throws at the first that fails its checksum. */
export function* scanEntries(
  database: DatabaseSync,
  file: string,
  { definition, id }: Pick<RegionRow, 'definition' | 'id'>,
  columnsIn: ColumnsIn = valueColumns,
): Generator<KeyedEntry & { readonly seal: string }> {
  for (const { seal, storedKey, value, version } of scanRawEntries(database, id, columnsIn)) {
    const entry =
      typeof storedKey === 'string' ? openEntry(storedKey, [version, seal, value]) : undefined;
    if (entry === undefined || typeof storedKey !== 'string' || typeof seal !== 'string') {
      throw storeDamaged(file, `an entry of region (${definition.name}) fails its checksum`);
    }
    yield { key: decodeKey(storedKey), value: entry.value, version: entry.version, seal };
  }
}

/** Throws unless the data file exists. */
export function requireDataFile(file: DataFile): void {
  if (existsSync(file.data)) return;
  if (existsSync(file.log)) {
    throw storeDamaged(file.data, 'it is missing, but its write-ahead log is there');
  }
  const directory = dirname(file.data);
  if (existsSync(directory) && !statSync(directory).isDirectory()) {
    throw storeInaccessible(
      directory,
      'it is no directory; `gridkeep restore` checks a backup and makes it the store of one',
    );
  }
  throw new MissingStoreError(file.data);
}

function toImmutableAddress(file: string): string {
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  return address.href;
}

function describeState(file: string): string {
  const { ino, mtimeNs, size } = statSync(file, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}
