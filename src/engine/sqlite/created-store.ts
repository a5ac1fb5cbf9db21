// Removes the files and directories that opening a data directory created, for a command that failed.

import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { EngineError } from '../errors.ts';
import { readStoreRow } from './schema.ts';
import { removeUnfinished, type StoreFiles } from './store-files.ts';
import { StoreLock } from './store-lock.ts';
import { openStoreReader } from './store-reader.ts';

/** The state of a data directory before a command used it. */
export interface DirectoryBefore {
  /** Directories that did not exist, the innermost first. */
  readonly missing: readonly string[];
  /** Whether there was neither a store nor a trace of one. */
  readonly hadNoStore: boolean;
}

export function observeDirectory(files: StoreFiles): DirectoryBefore {
  const missing: string[] = [];
  for (let each = files.directory; !existsSync(each); each = dirname(each)) missing.push(each);
  const hadNoStore = [files.data, files.log, files.mark].every((file) => !existsSync(file));
  return { missing, hadNoStore };
}

/**
 * Removes a store that was empty when the caller opened it, and has been closed. Anything that was
 * there before stays, and so does a store that another process uses or has written to. `sequence`
 * is the last commit that the caller knows.
 */
export function removeCreatedStore(
  files: StoreFiles,
  before: DirectoryBefore,
  sequence: number,
): void {
  if (!before.hadNoStore) return;
  let lock: StoreLock;
  try {
    lock = new StoreLock(files);
  } catch (error) {
    if (error instanceof EngineError) return;
    throw error;
  }
  if (existsSync(files.data) && readSequence(files) !== sequence) {
    lock.close();
    return;
  }
  for (const file of [files.log, files.index, files.data, files.mark, files.reserve]) {
    rmSync(file, { force: true });
  }
  removeUnfinished(files);
  lock.close();
  rmSync(files.lock, { force: true });
  removeCreatedDirectories(before);
}

function readSequence(files: StoreFiles): number {
  const { close, database } = openStoreReader(files);
  try {
    return readStoreRow(database, files.data).sequence;
  } finally {
    close();
  }
}

/** Leaves directories in which another process has created files meanwhile. */
export function removeCreatedDirectories({ missing }: DirectoryBefore): void {
  for (const directory of missing) {
    if (!existsSync(directory)) continue;
    if (readdirSync(directory).length > 0) return;
    rmdirSync(directory);
  }
}
