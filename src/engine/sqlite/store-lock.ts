// The lock of a data directory: SQLite's own, on a separate empty file. It ends with the process,
// unlike a pid file. A lock on a file that was removed excludes no other process, so it is taken again.

import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { storeLocked } from '../errors.ts';
import { BUSY, primaryCode } from './sqlite-errors.ts';
import type { StoreFiles } from './store-files.ts';

export class StoreLock {
  readonly #files: StoreFiles;
  #locked: DatabaseSync;
  #inode: number | undefined;

  /** Throws `engine/store-locked` if another process has the lock. */
  constructor(files: StoreFiles) {
    this.#files = files;
    this.#locked = lockFile(files);
    this.#inode = inodeOf(files.lock);
  }

  /**
   * Takes the lock again if its file was removed or replaced. Throws `engine/store-locked` if another
   * process was faster.
   */
  requireHeld(): void {
    if (this.#inode !== undefined && inodeOf(this.#files.lock) === this.#inode) return;
    const locked = lockFile(this.#files);
    this.#locked.close();
    this.#locked = locked;
    this.#inode = inodeOf(this.#files.lock);
  }

  close(): void {
    this.#locked.close();
  }
}

function lockFile(files: StoreFiles): DatabaseSync {
  const database = new DatabaseSync(files.lock, { timeout: 0 });
  try {
    // Nothing is ever written to this file, so it needs no journal.
    database.exec('PRAGMA journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (primaryCode(error) === BUSY) throw storeLocked(files.directory);
    throw error;
  }
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}
