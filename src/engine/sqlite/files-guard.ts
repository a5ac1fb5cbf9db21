// Detects that the files of an open store were removed, replaced or truncated. SQLite continues with
// the files it has open, and everything written to them would be lost when they are closed.

import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { storeDamaged } from '../errors.ts';
import type { StoreFiles } from './store-files.ts';
import type { StoreLock } from './store-lock.ts';
import type { CheckpointedLog } from './store-mark.ts';
import { readSalts } from './write-ahead-log.ts';

export class FilesGuard {
  readonly #files: StoreFiles;
  readonly #lock: StoreLock;
  readonly #dataInode: number;
  readonly #logInode: number;
  /** A descriptor of the log. Closing it is safe: SQLite holds no locks on the log. */
  readonly #log: number;
  /** SQLite never truncates the log below this while it is in use. */
  #keptBytes = 0;
  /** Minimum size of the log; a shorter one was cut. */
  #logBytes = 0;

  /** The log must exist: SQLite creates it when it opens the store. */
  constructor(files: StoreFiles, lock: StoreLock) {
    this.#files = files;
    this.#lock = lock;
    this.#dataInode = statSync(files.data).ino;
    this.#log = openSync(files.log, 'r');
    this.#logInode = fstatSync(this.#log).ino;
  }

  /** Call this when SQLite no longer truncates the log below this size. */
  keep(bytes: number): void {
    this.#keptBytes = bytes;
    this.noteLog();
  }

  /**
   * Throws when a file is no longer the one that was opened, when the log is shorter than before, or
   * when another process has the lock.
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
    this.#logBytes = Math.min(found.size, this.#keptBytes);
    this.#lock.requireHeld();
  }

  get keptBytes(): number {
    return this.#keptBytes;
  }

  get logBytes(): number {
    return fstatSync(this.#log).size;
  }

  /** Whether the log has lost its name but is complete, and the data file is still there. */
  isLogNameless(): boolean {
    const [data, log] = [this.#files.data, this.#files.log].map(
      (file) => statSync(file, { throwIfNoEntry: false })?.ino,
    );
    const hasOnlyLogMoved = data === this.#dataInode && log !== this.#logInode;
    return hasOnlyLogMoved && fstatSync(this.#log).size >= this.#logBytes;
  }

  /** Call this when SQLite may have emptied the log. */
  noteLog(): void {
    this.#logBytes = Math.min(fstatSync(this.#log).size, this.#keptBytes);
  }

  /** The state of the log, for the mark. */
  describeLog(frames: number): CheckpointedLog {
    return { frames, salts: readSalts(this.#log) };
  }

  close(): void {
    closeSync(this.#log);
  }
}
