// The queue from the main thread to the writer thread. Requests of one turn of the event loop, and
// those that arrive while the writer is busy, form a batch. While the writer runs a batch, the next
// one may be on its way. The writer commits it only after the main thread has taken the answer to the
// batch before: until then readers can move to exactly the commits that were answered.

import type { Worker } from 'node:worker_threads';
import { countCharacters, MAX_BATCH_CHARACTERS, MAX_BATCH_REQUESTS } from '../batch-limits.ts';
import type { RegionWrite } from '../engine.ts';
import { type EngineError, engineClosed, storeFailed } from '../errors.ts';
import type { Checkpointer } from './checkpointer.ts';
import { checkpointBytes, longestLogBytes } from './log-size.ts';
import type { FromWriter, ToWriter } from './packed-batch.ts';
import { type PackedAnswer, packBatch, unpackAnswer } from './packed-batch.ts';
import { type ErrorMessage, fromErrorMessage } from './sqlite-errors.ts';
import type {
  BatchAnswer,
  FailureNotice,
  StoreOutcome,
  StoreReply,
  StoreRequest,
  Submit,
} from './store-request.ts';

/** The writer runs one batch while the next one is on its way to it. */
const MAX_IN_FLIGHT = 2;
/** Fewer requests than this are never split: a second commit costs more than the wait. */
const MIN_SPLIT = 16;
/** The log is checkpointed earlier, down to this size, when free space on the disk is short. */
const MIN_CHECKPOINT_BYTES = 256 * 1024;
/** The writer checkpoints a smaller log itself, without the checkpoint thread. */
const MIN_THREAD_CHECKPOINT_BYTES = 8 * 1024 * 1024;
/**
 * A log of this size is checkpointed after an idle time. It exceeds the cache of a reader, and a page
 * of it costs three times as much as a page of the data file, which is mapped.
 */
const MIN_IDLE_CHECKPOINT_BYTES = 1024 * 1024;
const IDLE_MS = 1000;

interface Pending {
  readonly request: StoreRequest;
  readonly resolve: (outcome: StoreOutcome) => void;
  readonly reject: (error: EngineError) => void;
}

export interface WriteQueueHooks {
  /** Called when the writer has answered these requests, before it commits anything else. */
  readonly onAnswer: (
    answer: BatchAnswer | FailureNotice,
    answered: readonly { readonly request: StoreRequest }[],
  ) => void;
  /** Called for each committed request, in commit order, before any promise of the batch settles. */
  readonly onCommitted: (
    request: StoreRequest,
    reply: Extract<StoreReply, { kind: 'done' }>,
  ) => void;
}

export interface StoreThreads {
  readonly writer: Worker;
  /** See `WriterThreadOptions`. */
  readonly answersTaken: Int32Array;
  readonly checkpointer: Checkpointer;
}

export interface QueueOptions {
  /** The data file. */
  readonly file: string;
  /** For tests. */
  readonly checkpointBytes?: number | undefined;
}

export class WriteQueue {
  readonly #worker: Worker;
  readonly #options: QueueOptions;
  readonly #hooks: WriteQueueHooks;
  readonly #checkpointer: Checkpointer;
  readonly #answersTaken: Int32Array;
  #pending: Pending[] = [];
  /** The batches that the writer has, oldest first. */
  readonly #inFlight: (readonly Pending[])[] = [];
  /** The writer runs a checkpoint, or closes the store. */
  #isReserved = false;
  #isScheduled = false;
  /** To be sent before the next requests. */
  #checkpoint: Extract<ToWriter, { kind: 'checkpoint' }> | undefined;
  /** Bytes that the last checkpoint could not copy, because a snapshot needs them. */
  #pinnedLogBytes = 0;
  #checkpointBytes: number;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  /** The writer thread has ended. */
  #isGone = false;
  #refusal: EngineError | undefined;
  #onDrained: (() => void) | undefined;
  #onClosed: (() => void) | undefined;

  constructor(
    { answersTaken, checkpointer, writer }: StoreThreads,
    options: QueueOptions,
    hooks: WriteQueueHooks,
  ) {
    this.#worker = writer;
    this.#answersTaken = answersTaken;
    this.#checkpointer = checkpointer;
    this.#options = options;
    this.#checkpointBytes = this.#chooseCheckpointBytes();
    this.#hooks = hooks;
    writer.on('message', (message: FromWriter) => this.#receive(message));
    writer.on('error', (error) => this.#abandon(error));
    writer.on('exit', () => this.#abandon(new Error('the writer thread has ended')));
    // Only a message in flight keeps the process alive.
    writer.unref();
  }

  /** No message is in flight: everything that the writer committed has been answered. */
  get isIdle(): boolean {
    return this.#inFlight.length === 0 && !this.#isReserved;
  }

  /** Why requests are refused; undefined while they are accepted. */
  get refusal(): EngineError | undefined {
    return this.#refusal;
  }

  readonly submit: Submit = (request) => {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    return new Promise((resolve, reject) => {
      // The writer answers each kind of request with its outcome.
      this.#pending.push({ request, resolve: resolve as Pending['resolve'], reject });
      if (this.#isScheduled || !this.#canSend()) return;
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        this.#sendNext();
      });
    });
  };

  /** Refuses further requests and resolves when those accepted are answered. */
  drain(): Promise<void> {
    this.#refusal ??= engineClosed();
    clearTimeout(this.#idleTimer);
    if (this.#isGone) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onDrained = resolve;
      if (!this.#isScheduled) this.#sendNext();
    });
  }

  /** Lets the writer finish and release the store. Nothing may be submitted any more. */
  async close(): Promise<void> {
    await this.#checkpointer.close();
    if (this.#isGone) return;
    await new Promise<void>((resolve) => {
      this.#onClosed = resolve;
      this.#sendAlone({ kind: 'close' });
    });
  }

  /**
   * A busy writer gets a second batch only if it has as many requests as the first, because small
   * batches cost more per request. A checkpoint waits until the writer is idle: then readers have
   * moved, and the whole log can be copied.
   */
  #canSend(): boolean {
    if (this.#isReserved || this.#pending.length === 0) return false;
    if (this.#inFlight.length === 0) return true;
    if (this.#inFlight.length >= MAX_IN_FLIGHT || this.#checkpoint !== undefined) return false;
    return this.#pending.length >= (this.#inFlight[0]?.length ?? 0);
  }

  /** `answered`: number of requests just answered, whose senders may send the next ones. */
  #sendNext(answered = 0): void {
    if (this.isIdle) {
      if (this.#checkpoint !== undefined) {
        this.#sendAlone(this.#checkpoint);
        this.#checkpoint = undefined;
      } else if (this.#pending.length === 0 && !this.#checkpointer.isRunning) this.#onDrained?.();
    }
    while (this.#canSend()) this.#sendBatch(answered);
  }

  #sendBatch(answered: number): void {
    const others = (this.#inFlight[0]?.length ?? 0) + answered;
    const count = countBatch(this.#pending, mostAtOnce(this.#pending.length, others));
    const batch = this.#pending.slice(0, count);
    this.#pending = this.#pending.slice(count);
    this.#inFlight.push(batch);
    this.#send(packBatch(batch.map(({ request }) => request)));
  }

  #sendAlone(message: ToWriter): void {
    this.#isReserved = true;
    this.#send(message);
  }

  #send(message: ToWriter): void {
    this.#worker.ref();
    this.#worker.postMessage(message);
  }

  #receive(message: FromWriter): void {
    if (message.kind === 'answer') this.#settle(message);
    else if (message.kind === 'checkpointed') {
      this.#isReserved = false;
      this.#pinnedLogBytes = message.logBytes;
      this.#checkpointBytes = this.#chooseCheckpointBytes();
      this.#hooks.onAnswer(message, []);
      this.#sendNext();
    } else if (message.kind === 'closed') this.#onClosed?.();
    if (this.isIdle) this.#worker.unref();
  }

  #settle(packed: PackedAnswer): void {
    const answered = this.#inFlight.shift() ?? [];
    const answer = unpackAnswer(packed, answered.length);
    this.#hooks.onAnswer(answer, answered);
    Atomics.add(this.#answersTaken, 0, 1);
    Atomics.notify(this.#answersTaken, 0);
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
   * Checkpoints a log that has grown. The checkpoint thread copies most of it; the writer copies
   * what was written meanwhile, and small logs as a whole. After a failure nothing is copied: a sync
   * would succeed although pages are lost.
   */
  #keepLogShort({ failure, freeBytes, logBytes }: BatchAnswer): void {
    const grown = logBytes - this.#pinnedLogBytes;
    const enough = Math.max(MIN_CHECKPOINT_BYTES, Math.min(this.#checkpointBytes, freeBytes / 4));
    clearTimeout(this.#idleTimer);
    const isCopying = this.#checkpointer.isRunning || this.#checkpoint !== undefined;
    if (isCopying || failure !== undefined) return;
    if (grown >= enough) this.#startCheckpoint(grown);
    else if (grown >= MIN_IDLE_CHECKPOINT_BYTES && this.#refusal === undefined) {
      this.#idleTimer = setTimeout(() => this.#checkpointWhileIdle(grown), IDLE_MS).unref();
    }
  }

  /** Depends on the size of the data file, which changes with checkpoints. */
  #chooseCheckpointBytes(): number {
    return this.#options.checkpointBytes ?? checkpointBytes(this.#options.file);
  }

  #startCheckpoint(grown: number): void {
    if (grown < MIN_THREAD_CHECKPOINT_BYTES) this.#checkpoint = { kind: 'checkpoint' };
    else {
      const longest = longestLogBytes(this.#checkpointBytes);
      this.#checkpointer.run(longest, (failure) => this.#finishCheckpoint(failure));
    }
  }

  #checkpointWhileIdle(grown: number): void {
    if (!this.isIdle || this.#isScheduled || this.#checkpointer.isRunning) return;
    this.#startCheckpoint(grown);
    if (this.#checkpoint !== undefined) this.#sendNext();
  }

  #finishCheckpoint(failure: ErrorMessage | undefined): void {
    this.#checkpoint =
      failure === undefined ? { kind: 'checkpoint' } : { kind: 'checkpoint', failure };
    if (this.isIdle && !this.#isScheduled && !this.#isGone) this.#sendNext();
  }

  /** The writer thread has ended, so all pending requests fail. */
  #abandon(error: unknown): void {
    const failure = storeFailed(this.#options.file, error);
    this.#refusal ??= failure;
    this.#isGone = true;
    this.#isReserved = false;
    clearTimeout(this.#idleTimer);
    const left = [...this.#inFlight.flat(), ...this.#pending];
    this.#inFlight.length = 0;
    this.#pending = [];
    for (const { reject } of left) reject(failure);
    this.#onDrained?.();
    this.#onClosed?.();
  }
}

/**
 * Half of all requests, so that the main thread processes one half while the writer commits the
 * other. With all of them in one batch the two threads would take turns waiting. `others`: requests
 * that the writer has or has just answered.
 */
function mostAtOnce(pending: number, others: number): number {
  return pending < MIN_SPLIT ? pending : Math.ceil((pending + others) / 2);
}

/** How many of the first requests form the next batch; at least one. */
function countBatch(pending: readonly Pending[], mostRequests: number): number {
  const most = Math.min(pending.length, mostRequests, MAX_BATCH_REQUESTS);
  let characters = 0;
  for (let count = 0; count < most; count += 1) {
    characters += countCharacters(writesOf(pending[count]?.request));
    if (characters >= MAX_BATCH_CHARACTERS) return count + 1;
  }
  return most;
}

function writesOf(request: StoreRequest | undefined): readonly Pick<RegionWrite, 'changes'>[] {
  if (request?.kind === 'write') return [request];
  return request?.kind === 'commit' ? request.writes : [];
}
