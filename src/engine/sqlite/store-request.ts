// What the main thread asks of the writer thread, and what it hears back. Plain
// data only: everything here is copied between threads.

import type { CommitEnd, CommitOutcome, RegionWrite, WriteOutcome } from '../engine.ts';
import type { RegionOutcome } from '../region-outcome.ts';
import type { RegionRequest, WriteRequest } from '../region-requests.ts';
import type { PackedAnswer, PackedBatch } from './packed-batch.ts';
import type { RegionRow } from './schema.ts';
import type { ErrorMessage } from './sqlite-errors.ts';

export type StoreRequest =
  | WriteRequest
  | CommitRequest
  | RegionRequest
  /** Writes what is there already, to see whether anything can be written. */
  | { readonly kind: 'probe' };

/** See `Engine.commit`. */
export interface CommitRequest {
  readonly kind: 'commit';
  readonly writes: readonly RegionWrite[];
  readonly end: CommitEnd;
}

export type StoreOutcome =
  | WriteOutcome
  | CommitOutcome
  | RegionOutcome
  | { readonly kind: 'probed' };

export type StoreReply =
  | {
      readonly kind: 'done';
      readonly outcome: StoreOutcome;
      /** The commit this request made; absent when it changed nothing. */
      readonly sequence?: number;
      /**
       * Positions of the changes that changed nothing; absent when all did. Those of a commit are
       * counted through all its writes.
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
  /** `id, entryCount, valueBytes, largestValue, digest` of each region written, end to end. */
  readonly counters: readonly number[];
  /** Roughly what the write-ahead log holds beyond the last complete checkpoint. */
  readonly logBytes: number;
  /** Room left on the disk. */
  readonly freeBytes: number;
  readonly seconds: number;
}

export interface FailureNotice {
  /** Why the writer has given up: nothing more is written until the store is opened again. */
  readonly failure?: ErrorMessage;
}

/** A crash or a broken promise on purpose, for tests; see `SqliteEngineOptions.testing`. */
export interface TestingOptions {
  /** Kills the process at the nth time this point is passed. */
  readonly crash?: {
    readonly at: 'mid-write' | 'before-commit' | 'after-commit';
    readonly pass: number;
  };
  /** Answers before the commit, which follows some time later: the control of crash tests. */
  readonly answersBeforeCommit?: true;
  /** Leaves the disk to the system: the control of power cuts. */
  readonly neverSyncs?: true;
  /** Copies the log when it has grown by fewer bytes than usual. */
  readonly checkpointBytes?: number;
}

export interface WriterOptions {
  readonly directory: string;
  readonly durability: 'always' | 'relaxed';
  readonly maxChanges: number;
  readonly maxChangeAgeMs: number;
  readonly testing: TestingOptions;
}

export type ToWriter =
  | PackedBatch
  /** `failure`: what the checkpoint thread met. */
  | { readonly kind: 'checkpoint'; readonly failure?: ErrorMessage }
  | { readonly kind: 'close' };

export type FromWriter =
  | {
      readonly kind: 'ready';
      readonly sequence: number;
      readonly notes: readonly string[];
      readonly lacksRoom: boolean;
      readonly regions: readonly RegionRow[];
    }
  | { readonly kind: 'refused'; readonly error: ErrorMessage }
  | PackedAnswer
  | ({ readonly kind: 'checkpointed'; readonly logBytes: number } & FailureNotice)
  | { readonly kind: 'closed' };
