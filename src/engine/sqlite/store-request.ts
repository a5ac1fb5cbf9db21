// Requests to the writer thread, and its answers and options. They are plain data, because they are
// copied between threads (packed-batch.ts).

import type { CommitEnd, RegionWrite } from '../engine.ts';
import type { Outcomes, RegionRequest, WriteRequest } from '../region-requests.ts';
import type { RegionRow } from './schema.ts';
import type { ErrorMessage } from './sqlite-errors.ts';

export type StoreRequest =
  | WriteRequest
  | CommitRequest
  | RegionRequest
  /** Writes the store row again, to test whether anything can be written. */
  | { readonly kind: 'probe' };

/** See `Engine.commit`. */
export interface CommitRequest {
  readonly kind: 'commit';
  readonly writes: readonly RegionWrite[];
  readonly end: CommitEnd;
}

interface StoreOutcomes extends Outcomes {
  readonly probe: 'probed';
}

export type StoreOutcome = StoreOutcomes[keyof StoreOutcomes];

/** Sends a request to the writer. */
export type Submit = <Request extends StoreRequest>(
  request: Request,
) => Promise<StoreOutcomes[Request['kind']]>;

export type StoreReply =
  | {
      readonly kind: 'done';
      readonly outcome: StoreOutcome;
      /** The commit this request made; absent when it changed nothing. */
      readonly sequence?: number;
      /**
       * Positions of the changes without an effect; absent when all had one. In a commit positions
       * count through all its writes.
       */
      readonly unchanged?: readonly number[];
    }
  | { readonly kind: 'failed'; readonly error: ErrorMessage };

export interface BatchAnswer extends FailureNotice {
  readonly kind: 'answer';
  /** One per request, in order. */
  readonly replies: readonly StoreReply[];
  readonly sequence: number;
  /** Regions created or redefined, as they are now. */
  readonly defined: readonly RegionRow[];
  readonly destroyed: readonly number[];
  /** `id, entryCount, valueBytes, largestValue, digest` of each written region, in one flat list. */
  readonly counters: readonly number[];
  /** Estimated bytes in the write-ahead log since the last complete checkpoint. */
  readonly logBytes: number;
  /** Free space on the disk. */
  readonly freeBytes: number;
  readonly seconds: number;
}

export interface FailureNotice {
  /** Why the writer has stopped: nothing is written until the store is opened again. */
  readonly failure?: ErrorMessage;
}

/** Deliberate crashes and faults for tests; see `SqliteEngineOptions.testing`. */
export interface TestingOptions {
  /** Kills the process at the nth time this point is passed. */
  readonly crash?: {
    readonly at: 'mid-write' | 'before-commit' | 'after-commit';
    readonly pass: number;
  };
  /** Answers before it commits: crash tests must detect this fault. */
  readonly answersBeforeCommit?: true;
  /** Never syncs: tests of power cuts must detect this fault. */
  readonly neverSyncs?: true;
  /** Checkpoints the log when it has grown by this many bytes. */
  readonly checkpointBytes?: number;
}

export interface WriterOptions {
  readonly directory: string;
  readonly durability: 'always' | 'relaxed';
  readonly maxChanges: number;
  readonly maxChangeAgeMs: number;
  /** See `StoreOptions`. */
  readonly cacheBytes?: number | undefined;
  readonly testing: TestingOptions;
}

export interface WriterThreadOptions extends WriterOptions {
  /** Shared: how many answers to batches the main thread has taken. The writer waits for it. */
  readonly answersTaken: Int32Array;
}
