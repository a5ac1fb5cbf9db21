// Notices when the files of an open store are removed, replaced or cut. SQLite goes on with the
// files it has open, and everything written to them would be gone at the end.

import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { storeDamaged } from '../errors.ts';
import type { StoreFiles } from './store-files.ts';
import type { SettledLog } from './store-mark.ts';
import { readSalts } from './write-ahead-log.ts';

/** The size to which SQLite truncates a log that it restarts (`journal_size_limit`). */
export const LOG_KEPT_BYTES: number = 96 * 1024 * 1024;

export class FilesGuard {
  readonly #files: StoreFiles;
  readonly #dataInode: number;
  readonly #logInode: number;
  /** SQLite has no locks on the log that closing a descriptor could give up. */
  readonly #log: number;
  /** The log has this many bytes at least. */
  #logBytes = 0;

  /** The log must be there: SQLite makes it when it opens the store. */
  constructor(files: StoreFiles) {
    this.#files = files;
    this.#dataInode = statSync(files.data).ino;
    this.#log = openSync(files.log, 'r');
    this.#logInode = fstatSync(this.#log).ino;
    this.noteLog();
  }

  /**
   * Throws when a file is no longer the one that was opened, or the log shorter than it was seen
   * before. SQLite itself shortens it to `LOG_KEPT_BYTES` at most while it is in use.
   */
  requireInPlace(): void {
    const { data, log } = this.#files;
    if (statSync(data, { throwIfNoEntry: false })?.ino !== this.#dataInode) {
      throw storeDamaged(data, 'it was removed or replaced while it was in use');
    }
    const found = statSync(log, { throwIfNoEntry: false });
    if (found?.ino !== this.#logInode) {
      throw storeDamaged(log, 'it was removed or replaced while it was in use');
    }
    if (found.size < this.#logBytes) {
      throw storeDamaged(
        log,
        `it was cut from ${this.#logBytes} to ${found.size} bytes while it was in use`,
      );
    }
    this.#logBytes = Math.min(found.size, LOG_KEPT_BYTES);
  }

  get logBytes(): number {
    return fstatSync(this.#log).size;
  }

  /** Whether the log is no longer in its place, but whole, and the data file is still there. */
  isLogNameless(): boolean {
    const [data, log] = [this.#files.data, this.#files.log].map(
      (file) => statSync(file, { throwIfNoEntry: false })?.ino,
    );
    const isAstray = data === this.#dataInode && log !== this.#logInode;
    return isAstray && fstatSync(this.#log).size >= this.#logBytes;
  }

  /** To be called when SQLite may have emptied the log. */
  noteLog(): void {
    this.#logBytes = Math.min(fstatSync(this.#log).size, LOG_KEPT_BYTES);
  }

  /** The log as it is, for the mark. */
  describeLog(frames: number): SettledLog {
    return { frames, salts: readSalts(this.#log) };
  }

  close(): void {
    closeSync(this.#log);
  }
}
