// The files of a data directory. While the store is open, only SQLite may open `gridkeep.db` and
// `gridkeep.lock` in this process: closing any other descriptor of them would silently release the
// locks of the whole process.

import { closeSync, fsyncSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface StoreFiles {
  readonly directory: string;
  readonly data: string;
  readonly log: string;
  /** Records the commits that the store must have; see store-mark.ts. */
  readonly mark: string;
  /** Index of the log, in memory that the connections share. */
  readonly index: string;
  readonly lock: string;
  /** See reserve.ts. */
  readonly reserve: string;
  /** A new store is created here and then renamed, so that `data` is never incomplete. */
  readonly unfinished: string;
}

export function storeFiles(directory: string): StoreFiles {
  const data = join(directory, 'gridkeep.db');
  return {
    directory,
    data,
    log: `${data}-wal`,
    mark: `${data}-mark`,
    index: `${data}-shm`,
    reserve: `${data}-reserve`,
    lock: join(directory, 'gridkeep.lock'),
    unfinished: `${data}.new`,
  };
}

/** Creates the directory, accessible to its owner only. */
export function createDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
}

/** Removes the file of an unfinished store. A journal would be applied to the next file of its name. */
export function removeUnfinished({ unfinished }: Pick<StoreFiles, 'unfinished'>): void {
  for (const ending of ['-journal', '']) rmSync(unfinished + ending, { force: true });
}

/** Makes a rename in the directory survive a power cut. */
export function syncDirectory(directory: string): void {
  sync(directory, 'r');
}

export function syncFile(file: string): void {
  sync(file, 'r+');
}

function sync(path: string, flags: string): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
