// The way from the main thread to the writer thread. Requests that come in
// during one turn of the event loop, or while the writer is busy, travel
// together; one message is under way at a time. So when an answer arrives the
// writer is idle, which is the moment to move readers on.

import type { Worker } from 'node:worker_threads';
import type { Change } from '../engine.ts';
import { type EngineError, engineClosed, storeFailed } from '../errors.ts';
import type { LogCopier } from './log-copier.ts';
import { packBatch, unpackAnswer } from './packed-batch.ts';
import { type ErrorMessage, fromErrorMessage } from './sqlite-errors.ts';
import type {
  BatchAnswer,
  FailureNotice,
  FromWriter,
  StoreOutcome,
  StoreReply,
  StoreRequest,
  ToWriter,
} from './store-request.ts';

const MAX_BATCH_REQUESTS = 1024;
/** Fewer requests than these always travel together: a commit costs more than the wait. */
const LEAST_SPLIT = 16;
/** A message is held several times on its way: as text, as bytes between the threads, as text. */
const MAX_BATCH_CHARACTERS = 4 * 1024 * 1024;
/** The log is copied into the data file when it has grown by this much, */
const CHECKPOINT_BYTES = 64 * 1024 * 1024;
/** but earlier, down to this, while the data file still finds as much room on the disk. */
const LEAST_CHECKPOINT_BYTES = 256 * 1024;
/** A log of fewer bytes is not worth another thread. */
const LEAST_COPIED_BYTES = 8 * 1024 * 1024;
/**
 * A log of this much is copied when nothing was written for so long: it has no place in the cache
 * of a reader, and a page of it costs three times a page of the data file, which is mapped.
 */
const LEAST_RESTING_BYTES = 1024 * 1024;
const REST_MS = 1000;

interface Pending {
  readonly request: StoreRequest;
  readonly resolve: (outcome: StoreOutcome) => void;
  readonly reject: (error: EngineError) => void;
}

export interface WriteQueueHooks {
  /** The writer has answered these requests and is idle; called before anything else is sent to it. */
  readonly onIdle: (
    answer: BatchAnswer | FailureNotice,
    answered: readonly { readonly request: StoreRequest }[],
  ) => void;
  /** A request was committed; called in commit order, before any promise of the batch settles. */
  readonly onCommitted: (
    request: StoreRequest,
    reply: Extract<StoreReply, { kind: 'done' }>,
  ) => void;
}

export interface StoreThreads {
  readonly writer: Worker;
  readonly copier: LogCopier;
}

export interface QueueOptions {
  /** The data file, for messages. */
  readonly file: string;
  /** For tests. */
  readonly checkpointBytes?: number | undefined;
}

export class WriteQueue {
  readonly #worker: Worker;
  readonly #file: string;
  readonly #hooks: WriteQueueHooks;
  readonly #copier: LogCopier;
  readonly #checkpointBytes: number;
  #pending: Pending[] = [];
  #underWay: readonly Pending[] = [];
  #isBusy = false;
  #isScheduled = false;
  /** To be sent before the next requests. */
  #checkpoint: Extract<ToWriter, { kind: 'checkpoint' }> | undefined;
  /** What the last checkpoint could not empty, because a snapshot needs it. */
  #pinnedLogBytes = 0;
  #rest: ReturnType<typeof setTimeout> | undefined;
  /** The writer thread has ended. */
  #isGone = false;
  #refusal: EngineError | undefined;
  #onDrained: (() => void) | undefined;
  #onClosed: (() => void) | undefined;

  constructor({ copier, writer }: StoreThreads, options: QueueOptions, hooks: WriteQueueHooks) {
    this.#worker = writer;
    this.#copier = copier;
    this.#file = options.file;
    this.#checkpointBytes = options.checkpointBytes ?? CHECKPOINT_BYTES;
    this.#hooks = hooks;
    writer.on('message', (message: FromWriter) => this.#receive(message));
    writer.on('error', (error) => this.#abandon(error));
    writer.on('exit', () => this.#abandon(new Error('the writer thread has ended')));
    // Only a message under way keeps the process alive.
    writer.unref();
  }

  /** No message is under way: all that the writer committed has been answered. */
  get isIdle(): boolean {
    return !this.#isBusy;
  }

  /** Why nothing is accepted any more. */
  get refusal(): EngineError | undefined {
    return this.#refusal;
  }

  submit(request: StoreRequest): Promise<StoreOutcome> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    return new Promise((resolve, reject) => {
      this.#pending.push({ request, resolve, reject });
      if (this.#isBusy || this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        if (!this.#isBusy) this.#sendNext();
      });
    });
  }

  /** Refuses further requests and resolves when those accepted are answered. */
  drain(): Promise<void> {
    this.#refusal ??= engineClosed();
    clearTimeout(this.#rest);
    if (this.#isGone) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onDrained = resolve;
      if (!this.#isBusy && !this.#isScheduled) this.#sendNext();
    });
  }

  /** Lets the writer finish and release the store. Nothing may be submitted any more. */
  async close(): Promise<void> {
    await this.#copier.close();
    if (this.#isGone) return;
    await new Promise<void>((resolve) => {
      this.#onClosed = resolve;
      this.#send({ kind: 'close' });
    });
  }

  /** `answered`: requests that were answered just now, whose senders may have the next ones. */
  #sendNext(answered = 0): void {
    if (this.#checkpoint !== undefined) {
      this.#send(this.#checkpoint);
      this.#checkpoint = undefined;
    } else if (this.#pending.length > 0) {
      const count = countBatch(this.#pending, mostAtOnce(this.#pending.length, answered));
      this.#underWay = this.#pending.slice(0, count);
      this.#pending = this.#pending.slice(count);
      this.#send(packBatch(this.#underWay.map(({ request }) => request)));
    } else if (!this.#copier.isCopying) this.#onDrained?.();
  }

  #send(message: ToWriter): void {
    this.#isBusy = true;
    this.#worker.ref();
    this.#worker.postMessage(message);
  }

  #receive(message: FromWriter): void {
    this.#isBusy = false;
    this.#worker.unref();
    if (message.kind === 'answer') this.#settle(unpackAnswer(message, this.#underWay.length));
    else if (message.kind === 'checkpointed') {
      this.#pinnedLogBytes = message.logBytes;
      this.#hooks.onIdle(message, []);
      this.#sendNext();
    } else if (message.kind === 'closed') this.#onClosed?.();
  }

  #settle(answer: BatchAnswer): void {
    const answered = this.#underWay;
    this.#underWay = [];
    this.#hooks.onIdle(answer, answered);
    this.#keepLogShort(answer);
    this.#sendNext(answered.length);
    for (const [i, { request }] of answered.entries()) {
      const reply = answer.replies[i];
      if (reply?.kind === 'done' && reply.sequence !== undefined) {
        this.#hooks.onCommitted(request, reply);
      }
    }
    for (const [i, { resolve, reject }] of answered.entries()) {
      const reply = answer.replies[i];
      if (reply?.kind === 'done') resolve(reply.outcome);
      else if (reply !== undefined) reject(fromErrorMessage(reply.error));
    }
  }

  /**
   * A log that has grown is copied by the checkpoint thread first. What was written meanwhile is
   * left to the writer, and a small log altogether.
   */
  #keepLogShort({ freeBytes, logBytes }: BatchAnswer): void {
    const grown = logBytes - this.#pinnedLogBytes;
    const enough = Math.max(LEAST_CHECKPOINT_BYTES, Math.min(this.#checkpointBytes, freeBytes / 4));
    clearTimeout(this.#rest);
    if (this.#copier.isCopying) return;
    if (grown >= enough) this.#copyLog(grown);
    else if (grown >= LEAST_RESTING_BYTES && this.#refusal === undefined) {
      this.#rest = setTimeout(() => this.#copyAtRest(grown), REST_MS).unref();
    }
  }

  #copyLog(grown: number): void {
    if (grown < LEAST_COPIED_BYTES) this.#checkpoint = { kind: 'checkpoint' };
    else this.#copier.copy((failure) => this.#finishCopy(failure));
  }

  #copyAtRest(grown: number): void {
    if (this.#isBusy || this.#isScheduled || this.#copier.isCopying) return;
    this.#copyLog(grown);
    if (this.#checkpoint !== undefined) this.#sendNext();
  }

  #finishCopy(failure: ErrorMessage | undefined): void {
    this.#checkpoint =
      failure === undefined ? { kind: 'checkpoint' } : { kind: 'checkpoint', failure };
    if (!this.#isBusy && !this.#isScheduled && !this.#isGone) this.#sendNext();
  }

  /** The writer is gone: nothing accepted can be promised any more. */
  #abandon(error: unknown): void {
    const failure = storeFailed(this.#file, error);
    this.#refusal ??= failure;
    this.#isGone = true;
    this.#isBusy = false;
    clearTimeout(this.#rest);
    const left = [...this.#underWay, ...this.#pending];
    this.#underWay = [];
    this.#pending = [];
    for (const { reject } of left) reject(failure);
    this.#onDrained?.();
    this.#onClosed?.();
  }
}

/**
 * Half of all requests that are there, so that the main thread takes in one half while the writer
 * commits the other. With all of them in one batch the two threads would wait for each other.
 */
function mostAtOnce(pending: number, answered: number): number {
  return pending < LEAST_SPLIT ? pending : Math.ceil((pending + answered) / 2);
}

/** How many of the first requests travel together; at least one. */
function countBatch(pending: readonly Pending[], mostRequests: number): number {
  const most = Math.min(pending.length, mostRequests, MAX_BATCH_REQUESTS);
  let characters = 0;
  for (let count = 0; count < most; count += 1) {
    characters += countCharacters(pending[count]?.request);
    if (characters >= MAX_BATCH_CHARACTERS) return count + 1;
  }
  return most;
}

function countCharacters(request: StoreRequest | undefined): number {
  if (request?.kind === 'write') return countValues(request.changes);
  if (request?.kind !== 'commit') return 0;
  return request.writes.reduce((sum, { changes }) => sum + countValues(changes), 0);
}

function countValues(changes: readonly Change[]): number {
  let characters = 0;
  for (const change of changes) if (change.kind === 'put') characters += change.value.length;
  return characters;
}
