// Copies a whole store: a backup out of a running one, and a restore into a directory. In both cases
// the copy is written under a temporary name, synced, checked in full, and then renamed. So the final
// name never refers to an incomplete file.

import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { storeInaccessible } from '../errors.ts';
import type { StoreReport } from '../store-report.ts';
import type { Progress } from './check-store.ts';
import type { FromCheck } from './check-thread.ts';
import {
  type DirectoryBefore,
  observeDirectory,
  removeCreatedDirectories,
} from './created-store.ts';
import { migrateStore } from './migrations/migrate-store.ts';
import { checkHeader } from './open-store.ts';
import { createStoreStatement, FIRST_MARKED_FORMAT, readFormat, readStoreRow } from './schema.ts';
import {
  createDirectory,
  removeUnfinished,
  type StoreFiles,
  syncDirectory,
  syncFile,
} from './store-files.ts';
import { StoreLock } from './store-lock.ts';
import { type Mark, readMark } from './store-mark.ts';
import {
  type DataFile,
  openStoreReader,
  readUndisturbed,
  requireDataFile,
} from './store-reader.ts';
import { startThread } from './threads.ts';

const PAGES_PER_STEP = 1024;
const COPY_BYTES = 1024 * 1024;
/**
 * A restored store continues with sequences this far after the backup's last commit. Clients may
 * know the versions of commits made since the backup, and other values must not get them again.
 */
export const SKIPPED_SEQUENCES: number = 2 ** 32;

export interface CopyProgress extends Progress {
  readonly step: 'copying' | 'checking';
}

export interface CopyOptions {
  /** Whether existing files may be replaced. */
  readonly existing: 'refuse' | 'replace';
  readonly onProgress: (progress: CopyProgress) => void;
}

export type BackupOutcome =
  | { readonly kind: 'copied'; readonly report: StoreReport }
  /** The target exists and was not changed. */
  | { readonly kind: 'exists' }
  /** The target is a file of the store itself. */
  | { readonly kind: 'is-the-store' }
  /** The store is damaged; no copy was left. */
  | { readonly kind: 'damaged'; readonly report: StoreReport };

/**
 * Copies a snapshot of a store into a file while a server may be writing to it. Writers do not wait;
 * the server's write-ahead log grows until the copy is finished.
 */
export async function backupStore(
  source: StoreFiles,
  target: string,
  options: CopyOptions,
): Promise<BackupOutcome> {
  const mustBeNew = options.existing === 'refuse';
  if (isPartOf(source, target)) return { kind: 'is-the-store' };
  if (mustBeNew && existsSync(target)) return { kind: 'exists' };
  requireDataFile(source);
  checkHeader(source);
  const unfinished = `${target}.${process.pid}.unfinished`;
  return removingUnfinished(
    () => removeUnfinished({ unfinished }),
    async () => {
      await copyPages(source, unfinished, options);
      const report = await checkCopy(unfinished, options);
      if (report.count > 0) return { kind: 'damaged', report };
      declareWhole(unfinished);
      syncFile(unfinished);
      if (mustBeNew && existsSync(target)) return { kind: 'exists' };
      renameSync(unfinished, target);
      syncDirectory(dirname(target));
      return { kind: 'copied', report };
    },
  );
}

export type RestoreOutcome =
  | { readonly kind: 'restored'; readonly report: StoreReport }
  /** The directory has contents, which were not changed. */
  | { readonly kind: 'not-empty' }
  /** There is a log beside the file, so it is a store in use and not a backup. */
  | { readonly kind: 'in-use' }
  /** It is the file of a store that was not stopped, without its log: commits may be missing. */
  | { readonly kind: 'not-stopped' }
  /** The backup is damaged; the directory is as it was. */
  | { readonly kind: 'damaged'; readonly report: StoreReport };

/** Makes a backup the store of a directory. Throws `engine/store-locked` while a server uses it. */
export async function restoreStore(
  source: string,
  target: StoreFiles,
  options: CopyOptions,
): Promise<RestoreOutcome> {
  const file = toDataFile(source);
  requireDataFile(file);
  if (!statSync(source).isFile()) throw storeInaccessible(source, 'it is not a file');
  if (existsSync(file.log)) return { kind: 'in-use' };
  const before = observeDirectory(target);
  const isNew = before.missing.length > 0;
  if (!isNew && options.existing === 'refuse' && hasContents(target)) return { kind: 'not-empty' };
  createDirectory(target.directory);
  const lock = new StoreLock(target);
  let isRestored = false;
  const remove = (): void => {
    if (!isRestored) discard(target, before);
  };
  const outcome = removingUnfinished(remove, async (): Promise<RestoreOutcome> => {
    // A killed restore may have left a journal, which SQLite would apply to this copy.
    removeUnfinished(target);
    await copyBytes(source, target.unfinished, options);
    const report = { ...(await checkCopy(target.unfinished, options)), file: source };
    if (report.count > 0) return { kind: 'damaged', report };
    if (!isStopped(target.unfinished)) return { kind: 'not-stopped' };
    skipSequences(target.unfinished, readMark(target.mark));
    syncFile(target.unfinished);
    checkpointLog(target);
    renameSync(target.unfinished, target.data);
    isRestored = true;
    syncDirectory(target.directory);
    return { kind: 'restored', report };
  });
  return outcome.finally(() => lock.close());
}

/** Removes unfinished files when the work ends, however it ends, or the process does. */
async function removingUnfinished<Outcome>(
  remove: () => void,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  process.once('exit', remove);
  try {
    return await work();
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/** Copies page by page from a connection pinned at one commit, so that it never has to restart. */
async function copyPages(source: DataFile, target: string, options: CopyOptions): Promise<void> {
  await readUndisturbed(source, async ({ database, missing }) => {
    if (missing !== undefined) throw missing;
    // Like the data directory, a copy is for its owner alone.
    closeSync(openSync(target, 'w', 0o600));
    await backup(database, target, {
      rate: PAGES_PER_STEP,
      progress: ({ remainingPages, totalPages }) =>
        options.onProgress({
          step: 'copying',
          done: totalPages - remainingPages,
          total: totalPages,
        }),
    });
  });
}

async function copyBytes(source: string, target: string, options: CopyOptions): Promise<void> {
  const total = statSync(source).size;
  await using from = await open(source, 'r');
  await using to = await open(target, 'w', 0o600);
  const buffer = Buffer.alloc(COPY_BYTES);
  for (let done = 0; done < total; ) {
    const { bytesRead } = await from.read(buffer, 0, COPY_BYTES, done);
    if (bytesRead === 0) break;
    await to.write(buffer, 0, bytesRead, done);
    done += bytesRead;
    options.onProgress({ step: 'copying', done, total });
  }
}

/** In a thread, so that signals are still handled. */
function checkCopy(file: string, { onProgress }: CopyOptions): Promise<StoreReport> {
  const thread = startThread('check', toDataFile(file));
  return new Promise((resolve, reject) => {
    thread.on('message', (message: FromCheck) => {
      if (message.kind === 'finished') resolve(message.report);
      else onProgress({ step: 'checking', ...message.progress });
    });
    thread.on('error', reject);
  });
}

/** Every backup is declared whole. The first format could not say so. */
function isStopped(file: string): boolean {
  const { close, database } = openStoreReader(toDataFile(file));
  try {
    if (readFormat(database, file) < FIRST_MARKED_FORMAT) return true;
    return readStoreRow(database, file).clean;
  } finally {
    close();
  }
}

/** Marks a copy as cleanly stopped: it is complete without a log, whatever its source was doing. */
function declareWhole(file: string): void {
  changeCopy(file, (database) => {
    const { sequence } = readStoreRow(database, file);
    createStoreStatement(database)({ sequence, clean: true });
  });
}

/** Skips sequences, and marks the copy as cleanly stopped, for it has just been checked. */
function skipSequences(file: string, replaced: Mark | undefined): void {
  changeCopy(file, (database) => {
    migrateStore(database, file, readFormat(database, file));
    const { sequence } = readStoreRow(database, file);
    createStoreStatement(database)({
      sequence: Math.max(sequence, replaced?.sequence ?? 0) + SKIPPED_SEQUENCES,
      clean: true,
    });
    // A gap in the log would be reported as damage. Followers get `gone`, as they should: changes
    // that they received may have been lost.
    database.exec('DELETE FROM changes');
  });
}

function changeCopy(file: string, change: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(file);
  try {
    // The copy must have no log, for the log would not be renamed with it.
    database.exec('PRAGMA journal_mode = DELETE');
    database.exec('PRAGMA synchronous = FULL');
    change(database);
  } finally {
    database.close();
  }
}

/**
 * Checkpoints and removes the log of the store that is replaced. Without the log a crash before the
 * rename would lose the old store's last commits; with it a crash after the rename would leave the
 * new store with a foreign log.
 */
function checkpointLog(target: StoreFiles): void {
  if (existsSync(target.log) && existsSync(target.data)) {
    try {
      const database = new DatabaseSync(target.data);
      try {
        database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } finally {
        database.close();
      }
    } catch {
      // A damaged store is replaced all the same, perhaps for that very reason.
    }
  }
  for (const ending of ['-wal', '-shm']) rmSync(target.data + ending, { force: true });
  syncDirectory(target.directory);
}

/** Whether there is anything but the lock and the file of an interrupted attempt. */
function hasContents(target: StoreFiles): boolean {
  const harmless = [target.lock, target.unfinished, `${target.unfinished}-journal`].map((file) =>
    basename(file),
  );
  return readdirSync(target.directory).some((name) => !harmless.includes(name));
}

/** Compares names, for files that do not exist yet, and inodes, for links. */
function isPartOf({ data, lock }: StoreFiles, target: string): boolean {
  if (target.startsWith(data) || target === lock) return true;
  const [one, other] = [data, target].map((file) => statSync(file, { throwIfNoEntry: false }));
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}

/** The directory is then as it was, and so are those above it. */
function discard(target: StoreFiles, before: DirectoryBefore): void {
  removeUnfinished(target);
  if (before.missing.length === 0) return;
  rmSync(target.lock, { force: true });
  removeCreatedDirectories(before);
}

function toDataFile(file: string): DataFile {
  return { data: file, log: `${file}-wal` };
}
