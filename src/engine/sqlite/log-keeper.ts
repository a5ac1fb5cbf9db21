// Maintains the writer's write-ahead log: checks before a commit that the files are in place, updates the
// mark after each commit, and checkpoints.

import type { DatabaseSync } from 'node:sqlite';
import type { EngineError } from '../errors.ts';
import { FilesGuard } from './files-guard.ts';
import { keptLogBytes } from './log-size.ts';
import { PAGE_BYTES } from './schema.ts';
import type { StoreFiles } from './store-files.ts';
import type { StoreLock } from './store-lock.ts';
import type { Mark, StoreMark } from './store-mark.ts';

export class LogKeeper {
  readonly #database: DatabaseSync;
  readonly #durability: Mark['durability'];
  readonly #dataFile: string;
  readonly #guard: FilesGuard;
  readonly #storeMark: StoreMark;
  #bytes: number;
  /** The last commit known to be synced. */
  #synced: number;

  constructor(
    database: DatabaseSync,
    options: {
      readonly files: StoreFiles;
      readonly lock: StoreLock;
      readonly mark: StoreMark;
      readonly durability: Mark['durability'];
      readonly sequence: number;
    },
  ) {
    this.#database = database;
    this.#durability = options.durability;
    this.#dataFile = options.files.data;
    this.#guard = new FilesGuard(options.files, options.lock);
    this.#keepMore();
    this.#storeMark = options.mark;
    // A log that could not be emptied at the start is checkpointed again after the first writes.
    this.#bytes = this.#guard.logBytes;
    this.#synced = options.sequence;
  }

  /** Estimated bytes in the log since the last complete checkpoint. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the estimated size of a commit, before it is made. */
  addExpected(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Throws when a file of the store is not in place, or another process has the lock. */
  requireInPlace(): void {
    this.#guard.requireInPlace();
  }

  /** Replaces an error by the loss of a file that caused it, if there is one. */
  explain(error: unknown): unknown {
    try {
      this.#guard.requireInPlace();
      return error;
    } catch (loss) {
      return loss;
    }
  }

  /** Records that all commits up to this one are acknowledged. */
  mark(sequence: number): void {
    if (this.#durability === 'always') this.#synced = sequence;
    this.#writeMark(sequence);
  }

  /** Copies the log into the data file as far as readers allow; never waits for them. */
  checkpoint(sequence: number): void {
    this.#guard.requireInPlace();
    this.#checkpoint(sequence);
  }

  /** Checkpoints a log that only lost its name, while it is still open, so that nothing is lost. */
  rescue(sequence: number, failure: EngineError | undefined): void {
    if (failure?.code !== 'engine/store-damaged') return;
    try {
      if (this.#guard.isLogNameless()) this.#checkpoint(sequence);
    } catch {
      // The failure is known already; the next start reports missing commits.
    }
  }

  /** Checkpoints the whole log and leaves it empty. Readers must be closed. */
  truncate(sequence: number): void {
    const row = this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    this.#guard.noteLog();
    // Another process may still read from the log.
    if (row?.['busy'] === 0) this.#synced = sequence;
    this.#writeMark(sequence);
  }

  close(): void {
    this.#guard.close();
    this.#storeMark.close();
  }

  /** Keeps more of the log when the data file has grown. */
  #keepMore(): void {
    const bytes = keptLogBytes(this.#dataFile);
    if (bytes <= this.#guard.keptBytes) return;
    this.#database.exec(`PRAGMA journal_size_limit = ${bytes}`);
    this.#guard.keep(bytes);
  }

  #checkpoint(sequence: number): void {
    this.#keepMore();
    const row = this.#database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
    const frames = Number(row?.['log']);
    const left = frames - Number(row?.['checkpointed']);
    this.#bytes = left * PAGE_BYTES;
    const isComplete = left === 0 && frames > 0;
    // SQLite syncs the log before it copies it, but not if a snapshot leaves nothing to copy.
    if (isComplete) this.#synced = sequence;
    this.#writeMark(sequence, isComplete ? { checkpointed: this.#guard.describeLog(frames) } : {});
  }

  #writeMark(sequence: number, log: Pick<Mark, 'checkpointed'> = {}): void {
    const durability = this.#durability;
    this.#storeMark.write({ sequence, synced: this.#synced, durability, ...log });
  }
}
