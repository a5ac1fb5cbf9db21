// Runs checkpoints in a separate thread: it copies the write-ahead log into the data file and syncs
// it. Most of a checkpoint is waiting for the disk. The writer then copies the few frames written
// meanwhile.

import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import type { SyncLevel } from './open-store.ts';
import type { ErrorMessage } from './sqlite-errors.ts';
import type { StoreFiles } from './store-files.ts';
import { startThread } from './threads.ts';

export interface CheckpointOptions {
  readonly directory: string;
  readonly durability: SyncLevel;
  /** A descriptor of the data file. */
  readonly dataFile: number;
  /** Of the data file and of its log. */
  readonly inodes: readonly number[];
}

export type ToCheckpoint =
  | { readonly kind: 'copy'; readonly longestLogBytes: number }
  | { readonly kind: 'close' };

export type FromCheckpoint =
  | { readonly kind: 'copied'; readonly failure?: ErrorMessage }
  | { readonly kind: 'closed' };

export class Checkpointer {
  readonly #options: CheckpointOptions;
  #worker: Worker | undefined;
  #onDone: ((failure?: ErrorMessage) => void) | undefined;
  #onClosed: (() => void) | undefined;

  /** Create it while the writer has the files open. */
  constructor(files: StoreFiles, durability: SyncLevel) {
    const dataFile = openSync(files.data, 'r+');
    this.#options = {
      directory: files.directory,
      durability,
      dataFile,
      inodes: [fstatSync(dataFile).ino, statSync(files.log).ino],
    };
  }

  get isRunning(): boolean {
    return this.#onDone !== undefined;
  }

  /**
   * Stops copying when the log becomes longer than `longestLogBytes`. `onDone` is called when it is
   * done, with the failure of the disk where there was one.
   */
  run(longestLogBytes: number, onDone: (failure?: ErrorMessage) => void): void {
    this.#worker ??= this.#start();
    this.#onDone = onDone;
    this.#worker.ref();
    this.#send({ kind: 'copy', longestLogBytes });
  }

  /** Closes the thread's connection to the store. Call it before the writer closes its own. */
  close(): Promise<void> {
    if (this.#worker === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onClosed = resolve;
      this.#worker?.ref();
      this.#send({ kind: 'close' });
    });
  }

  /**
   * Closes the data file. Call it only when this process has no open connection to the store:
   * closing the file releases SQLite's locks on it, and another process could then delete the log.
   */
  release(): void {
    closeSync(this.#options.dataFile);
  }

  /** The thread starts with the first checkpoint: most stores never need it. */
  #start(): Worker {
    const worker = startThread('checkpoint', this.#options);
    worker.on('message', (message: FromCheckpoint) => {
      if (message.kind === 'copied') this.#finish(message.failure);
    });
    // Without the thread the writer checkpoints the whole log itself.
    worker.on('error', () => this.#end());
    worker.on('exit', () => this.#end());
    worker.unref();
    return worker;
  }

  #send(message: ToCheckpoint): void {
    this.#worker?.postMessage(message);
  }

  #finish(failure?: ErrorMessage): void {
    this.#worker?.unref();
    const onDone = this.#onDone;
    this.#onDone = undefined;
    onDone?.(failure);
  }

  #end(): void {
    this.#worker = undefined;
    this.#finish();
    this.#onClosed?.();
  }
}
