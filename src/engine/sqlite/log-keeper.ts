// The writer's care for its write-ahead log: that it is still there before a commit, that the
// mark follows each commit, and that it is copied into the data file in time.

import type { DatabaseSync } from 'node:sqlite';
import type { EngineError } from '../errors.ts';
import { FilesGuard } from './files-guard.ts';
import { PAGE_BYTES } from './schema.ts';
import type { StoreFiles } from './store-files.ts';
import type { Mark, StoreMark } from './store-mark.ts';

export class LogKeeper {
  readonly #database: DatabaseSync;
  readonly #durability: Mark['durability'];
  readonly #guard: FilesGuard;
  readonly #storeMark: StoreMark;
  #bytes: number;
  /** The last commit known to be synced. */
  #synced: number;

  constructor(
    database: DatabaseSync,
    options: {
      readonly files: StoreFiles;
      readonly mark: StoreMark;
      readonly durability: Mark['durability'];
      readonly sequence: number;
    },
  ) {
    this.#database = database;
    this.#durability = options.durability;
    this.#guard = new FilesGuard(options.files);
    this.#storeMark = options.mark;
    // A log that could not be emptied at the start is tried again with the first writes.
    this.#bytes = this.#guard.logBytes;
    this.#synced = options.sequence;
  }

  /** Roughly what the log holds beyond the last complete checkpoint. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Call it with the size of a commit, before it is made. */
  expect(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Throws when a file of the store was removed, replaced or cut; to be asked before a commit. */
  requireInPlace(): void {
    this.#guard.requireInPlace();
  }

  /** The loss of a file, where there is one, instead of a failure that came of it. */
  explain(error: unknown): unknown {
    try {
      this.#guard.requireInPlace();
      return error;
    } catch (loss) {
      return loss;
    }
  }

  /** Writes that everything up to this commit is acknowledged. */
  mark(sequence: number): void {
    if (this.#durability === 'always') this.#synced = sequence;
    this.#storeMark.write({ sequence, synced: this.#synced, durability: this.#durability });
  }

  /** Copies the log into the data file as far as readers allow; never waits for them. */
  copy(sequence: number): void {
    this.#guard.requireInPlace();
    this.#copy(sequence);
  }

  /** A log that only lost its name is copied while it is still open, so that nothing is lost. */
  rescue(sequence: number, failure: EngineError | undefined): void {
    if (failure?.code !== 'engine/store-damaged') return;
    try {
      if (this.#guard.isLogNameless()) this.#copy(sequence);
    } catch {
      // The failure is known already; the next start reports missing commits.
    }
  }

  /** Copies all of it and leaves it empty; readers must be closed. */
  empty(sequence: number): void {
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#guard.noteLog();
    this.#storeMark.write({ sequence, synced: sequence, durability: this.#durability });
  }

  close(): void {
    this.#guard.close();
    this.#storeMark.close();
  }

  #copy(sequence: number): void {
    const row = this.#database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
    const frames = Number(row?.['log']);
    const left = frames - Number(row?.['checkpointed']);
    this.#bytes = left * PAGE_BYTES;
    // SQLite syncs the log before it copies it.
    this.#synced = sequence;
    const mark = { sequence, synced: sequence, durability: this.#durability };
    const isSettled = left === 0 && frames > 0;
    this.#storeMark.write(isSettled ? { ...mark, settled: this.#guard.describeLog(frames) } : mark);
  }
}
