// Has the write-ahead log copied into the data file beside the writer. Most of a checkpoint is
// waiting for the disk; the writer is left with the few frames that it wrote meanwhile.

import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Durability } from './open-store.ts';
import type { ErrorMessage } from './sqlite-errors.ts';
import type { StoreFiles } from './store-files.ts';

export interface CheckpointOptions {
  readonly directory: string;
  readonly durability: Durability;
  /** Of the data file and of its log. */
  readonly inodes: readonly number[];
}

export type ToCheckpoint = { readonly kind: 'copy' } | { readonly kind: 'close' };

export type FromCheckpoint =
  | { readonly kind: 'copied'; readonly failure?: ErrorMessage }
  | { readonly kind: 'closed' };

export class LogCopier {
  readonly #options: CheckpointOptions;
  #worker: Worker | undefined;
  #onCopied: ((failure?: ErrorMessage) => void) | undefined;
  #onClosed: (() => void) | undefined;

  /** To be made while the writer has the files open. */
  constructor(files: StoreFiles, durability: Durability) {
    this.#options = {
      directory: files.directory,
      durability,
      inodes: [files.data, files.log].map((file) => statSync(file).ino),
    };
  }

  get isCopying(): boolean {
    return this.#onCopied !== undefined;
  }

  /** `onCopied` is called when it is done, with the failure of the disk where there was one. */
  copy(onCopied: (failure?: ErrorMessage) => void): void {
    this.#worker ??= this.#start();
    this.#onCopied = onCopied;
    this.#worker.ref();
    this.#send({ kind: 'copy' });
  }

  /** Gives up its connection to the store; to be called before the writer closes its own. */
  close(): Promise<void> {
    if (this.#worker === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onClosed = resolve;
      this.#worker?.ref();
      this.#send({ kind: 'close' });
    });
  }

  /** The thread is started when a log has first grown: most stores never need it. */
  #start(): Worker {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const script = new URL(`./checkpoint-thread.${extension}`, import.meta.url);
    const worker = new Worker(script, { workerData: this.#options });
    worker.on('message', (message: FromCheckpoint) => {
      if (message.kind === 'copied') this.#finish(message.failure);
    });
    // Without the thread the writer copies the whole log itself.
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
    const onCopied = this.#onCopied;
    this.#onCopied = undefined;
    onCopied?.(failure);
  }

  #end(): void {
    this.#worker = undefined;
    this.#finish();
    this.#onClosed?.();
  }
}
