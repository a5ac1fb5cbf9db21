// The files of a data directory. Nothing in this process may open `gridkeep.db`
// or `gridkeep.lock` by other means than SQLite while the store is open: closing
// such a descriptor would silently give up the locks of the whole process.

import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

export interface StoreFiles {
  readonly directory: string;
  readonly data: string;
  readonly log: string;
  /** How far the store must reach; see store-mark.ts. */
  readonly mark: string;
  /** Index of the log, shared by the connections. */
  readonly index: string;
  readonly lock: string;
  /** See reserve.ts. */
  readonly reserve: string;
  /** A new store is made here and renamed, so `data` is never a half-made file. */
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

/** Makes the directory, for its owner alone. */
export function createDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
}

/** Makes a rename in the directory survive a power cut. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
