// The port to the store of regions. The layers above use only this file; `app` alone chooses an
// adapter (memory, sqlite, postgres).
//
// A store may have several servers. The layers above must not assume that every commit was made
// through their own engine: `catchUp` and `subscribe` deliver the commits of other servers.
//
// A value is compact JSON text. It holds no raw newline, so batches carry values as UTF-8 bytes,
// one per line, and are split into strings only on demand.

import type { RegionType } from '../value/region-words.ts';
import type { EngineHealth, EngineStats } from './engine-stats.ts';
import type { IndexDefinition } from './index-definition.ts';
import type { RegionAlteration, RegionSettings } from './region-settings.ts';
import type { ScanBatches, ScanForm } from './scan-batches.ts';

export interface Engine {
  /** Every region, reserved ones (`_…`) included, ordered by name. */
  describeRegions(): Promise<readonly RegionDescription[]>;
  openRegion(name: string): Promise<Region | undefined>;
  createRegion(definition: RegionDefinition): Promise<'created' | 'exists'>;
  /** Removes the region, its entries and its index definitions in one step. */
  destroyRegion(name: string): Promise<'destroyed' | 'missing'>;
  /**
   * Alters the settings of a region in one step. History begins with the commit that turns it on;
   * the commit that turns it off deletes the kept history.
   */
  alterRegion(name: string, alteration: RegionAlteration): Promise<AlterRegionOutcome>;
  /**
   * Adds an index definition to a region, unless one with the same name or the same content exists.
   * The engine stores definitions as data. From the commit that adds a unique index on, writes that
   * put entries fail with `engine/indexes-changed` unless they name its records in
   * `RegionWrite.unique`.
   */
  addIndex(region: string, index: IndexDefinition): Promise<AddIndexOutcome>;
  dropIndex(region: string, index: string): Promise<DropIndexOutcome>;

  /**
   * Writes to several regions as one commit, for readers and for listeners: all changes or none.
   * Every guard of every write is tested in the same atomic step; one that fails refuses the whole.
   * Each region may occur once, and each key once among its changes. Settles when the commit is
   * durable. `roll-back` does all of it, answers as if it had been kept, and keeps nothing.
   */
  commit(writes: readonly RegionWrite[], end?: CommitEnd): Promise<CommitOutcome>;

  /**
   * One consistent view over all regions, to be closed by its opener. It sees every
   * commit that any server acknowledged before the call. A snapshot holds resources
   * of the engine: keep it for the length of one request, never longer. Where an engine
   * limits open snapshots the call waits; `signal` ends the wait with `engine/aborted`.
   */
  openSnapshot(signal?: ReadSignal): Promise<Snapshot>;

  /**
   * When it settles, listeners have received every commit that any server acknowledged before the
   * call. Call it before anything derived from commits is used as an answer. Returns undefined at
   * once where this engine is the only server of its store; otherwise it takes one round trip,
   * shared by all calls of one turn.
   */
  catchUp(): MaybePromise<void>;
  /**
   * Calls `onCommit` with each commit of any server, in commit order. For commits made through this
   * engine the call comes in the turn in which their writers are answered, or earlier, and before
   * the writers' promises settle. A listener must not throw. Returns a function that unsubscribes.
   */
  subscribe(listener: EngineListener): () => void;
  /**
   * Changes recorded after `afterSequence`, oldest first; old ones are trimmed. The answer
   * covers whole commits, so that a reader can continue after `through`. At most `limit` changes
   * are read, or one commit that alone has more. None is ever skipped: a reader whose changes are
   * trimmed receives `gone`.
   */
  readChanges(
    afterSequence: number,
    limit: number,
    wanted?: ChangesWanted,
  ): Promise<ChangesOutcome>;
  /**
   * A sequence such that every change made at or after this time comes after it in the log. `gone`
   * when such changes may have been trimmed.
   */
  findSequenceAt(atMs: number): Promise<SequenceAtOutcome>;

  stats(): EngineStats;
  /** The store's current failures. A passing failure of one request does not show here. */
  health(): EngineHealth;
  /** Addresses of the servers of this store that are alive; undefined where there is only one. */
  listServers(): MaybePromise<readonly string[] | undefined>;
  /** Publishes the addresses of this server to the other servers of the store. */
  announce(urls: readonly string[]): Promise<void>;
  /** Finishes accepted work, then releases all resources. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * A plain value where it is available without waiting, as nearly always in a local store. For a
 * small read, a promise costs more than some of its steps. A failure is always a rejection.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Polled, never waited for. */
export interface ReadSignal {
  readonly aborted: boolean;
}

export type AlterRegionOutcome = 'altered' | 'unchanged' | 'missing';

export type AddIndexOutcome =
  | { readonly kind: 'added' }
  | { readonly kind: 'region-missing' }
  /** The index that has this name or this content. */
  | { readonly kind: 'taken'; readonly by: IndexDefinition };

export type DropIndexOutcome = 'dropped' | 'index-missing' | 'region-missing';

export interface RegionDefinition extends RegionSettings {
  readonly name: string;
  readonly type: RegionType;
  readonly keyConstraint: string | null;
  readonly valueConstraint: string | null;
}

export interface RegionDescription extends RegionDefinition {
  readonly indexes: readonly IndexDefinition[];
  readonly entryCount: number;
  /** UTF-8 bytes of all values. */
  readonly valueBytes: number;
}

/**
 * One region. The handle goes stale when the region is destroyed: reads then
 * find nothing and writes fail with `engine/region-gone`.
 */
export interface Region {
  readonly definition: RegionDefinition;
  /** O(1). */
  count(): MaybePromise<number>;
  /**
   * One element per key, in order, all from one snapshot. More than `MAX_READ_BYTES` of values
   * fail with `engine/read-too-large`.
   */
  read(keys: readonly string[]): MaybePromise<readonly (StoredEntry | undefined)[]>;
  /**
   * Like `read`, with joined values, for many keys. Undefined when a key is absent or the values are
   * large; then use `read`.
   */
  readTogether(keys: readonly string[]): MaybePromise<ValuesTogether | undefined>;
  /** The first entries in key order, from one snapshot; for small limits. */
  readFirst(limit: number): MaybePromise<FirstEntries>;
  /**
   * All changes or none, for readers too. Guards are tested in order inside the same atomic step;
   * the first that fails decides the outcome and nothing is written. Each key may occur once.
   * Settles when the commit is durable. Keys and values beyond `entry-limits.ts` are refused and
   * nothing is written. A region of type EMPTY stores nothing but still reports the changes.
   */
  write(changes: readonly Change[], guards?: readonly WriteGuard[]): Promise<WriteOutcome>;
  /** Removes every entry in one step. */
  clear(): Promise<Committed>;
}

export interface StoredEntry {
  readonly value: string;
  readonly version: number;
}

export interface KeyedEntry extends StoredEntry {
  readonly key: string;
}

/** Several entries in the order they were asked for. */
export interface ValuesTogether {
  readonly versions: readonly number[];
  readonly values: JoinedValues;
}

/** Entries in key order. */
export interface FirstEntries {
  readonly keys: readonly string[];
  readonly values: JoinedValues;
}

/**
 * UTF-8, compact JSON joined by commas like the elements of an array. The receiver owns the whole
 * underlying buffer, and may write into the padding before and after the values.
 */
export type JoinedValues = Uint8Array;

export type Change =
  | { readonly kind: 'put'; readonly key: string; readonly value: string }
  | { readonly kind: 'remove'; readonly key: string }
  /** Removes the entry while it has this version; changes nothing otherwise. */
  | { readonly kind: 'expire'; readonly key: string; readonly version: number };

export type WriteGuard =
  /** Every key of the write exists. */
  | { readonly kind: 'all-present' }
  /** No key of the write exists. */
  | { readonly kind: 'all-absent' }
  /** The entry of `key` exists and has one of these versions. */
  | { readonly kind: 'version-is'; readonly key: string; readonly versions: readonly number[] }
  /** The entry of `key` is absent, or has none of these versions. */
  | { readonly kind: 'version-is-not'; readonly key: string; readonly versions: readonly number[] }
  /** The entry of `key` exists. */
  | { readonly kind: 'present'; readonly key: string }
  /** There is no entry of `key`. */
  | { readonly kind: 'absent'; readonly key: string };

export interface Committed {
  readonly kind: 'committed';
  /** Version of every entry written; for a write that changed nothing, the latest commit. */
  readonly version: number;
}

export type WriteOutcome = Committed | GuardFailure;

export type GuardFailure =
  /** `all-present` failed: the absent keys, in the order of the changes. */
  | { readonly kind: 'keys-missing'; readonly keys: readonly string[] }
  /** `all-absent` failed: the existing entries, in the order of the changes. */
  | { readonly kind: 'keys-present'; readonly entries: readonly KeyedEntry[] }
  /** A guard of one key failed; `current` is absent when the key is. */
  | { readonly kind: 'version-differs'; readonly current?: StoredEntry };

/** The part of a commit that concerns one region. */
export interface RegionWrite {
  readonly region: string;
  readonly changes: readonly Change[];
  readonly guards?: readonly WriteGuard[];
  /** Keys to read as of the commit, its own changes included. */
  readonly reads?: readonly string[];
  /** The unique indexes that the writer maintained, by their `records`. */
  readonly unique?: readonly string[];
}

export type CommitEnd = 'keep' | 'roll-back';

export type CommitOutcome =
  | CommittedRegions
  /** Every guard that failed, by the index of its write and its own index there. */
  | { readonly kind: 'refused'; readonly refusals: readonly FailedGuard[] }
  /** The first of the regions that does not exist. */
  | { readonly kind: 'region-missing'; readonly region: string };

export interface CommittedRegions extends Committed {
  /** Per write one element per key of `reads`, in order. */
  readonly reads: readonly (readonly (StoredEntry | undefined)[])[];
}

export interface FailedGuard {
  readonly write: number;
  readonly guard: number;
  readonly failure: GuardFailure;
}

/** Read access to the whole store as of one commit. */
export interface Snapshot {
  /** The last commit this snapshot sees. */
  readonly sequence: number;
  /** Entry count of the region at that commit; undefined when there is no such region. */
  count(region: string): number | undefined;
  /**
   * One per key, in order. With `maxBytes`, reading stops after the value that reaches it; at least
   * one key is read.
   */
  read(
    region: string,
    keys: readonly string[],
    maxBytes?: number,
  ): Promise<readonly (StoredEntry | undefined)[]>;
  /** The first entry after each of these keys, bounded like `read`. */
  readNext(
    region: string,
    keys: readonly string[],
    maxBytes?: number,
  ): Promise<readonly (KeyedEntry | undefined)[]>;
  /**
   * A range in its order, in batches of bounded bytes, in the requested form. The cost depends on
   * the size of the range, not on its position; keys are read without their values.
   */
  scan<Form extends ScanForm>(
    region: string,
    range: KeyRange,
    form: Form,
  ): AsyncIterable<ScanBatches[Form]>;
  /**
   * Open scans then fail with `engine/closed`, as any later use does: a scan cut short never passes
   * for a complete one. Safe to call twice.
   */
  close(): void;
}

/**
 * Keys are ordered by UTF-16 code units, as JavaScript's `<` orders strings. All bounds hold
 * together; `key-window.ts` makes one lower and one upper bound of them.
 */
export interface KeyRange {
  /** Start after this key in the order of the scan: above it, or below it in descending order. */
  readonly after?: string | undefined;
  /** The least key, inclusive, in either order. */
  readonly from?: string | undefined;
  /** Keys below this one, exclusive, in either order: ranges laid end to end share no key. */
  readonly to?: string | undefined;
  readonly prefix?: string | undefined;
  /** Ascending when absent. */
  readonly order?: ScanOrder;
  readonly limit?: number | undefined;
}

export type ScanOrder = 'asc' | 'desc';

export interface EngineListener {
  readonly onCommit: (commit: Commit) => void;
  /**
   * Commits were missed (the log was trimmed before they were read, or the store
   * was replaced by another copy): everything derived from earlier commits is void.
   * The commits after `sequence` follow; it may be lower than one received before.
   */
  readonly onReset: (sequence: number) => void;
}

export interface Commit {
  readonly sequence: number;
  readonly changes: readonly CommittedChange[];
}

export type CommittedChange =
  | { readonly kind: 'put'; readonly region: string; readonly key: string; readonly value: string }
  | { readonly kind: 'remove' | 'expire'; readonly region: string; readonly key: string }
  | { readonly kind: 'clear'; readonly region: string }
  | { readonly kind: 'create-region'; readonly region: string }
  | { readonly kind: 'destroy-region'; readonly region: string }
  /** The settings of the region were changed. */
  | { readonly kind: 'alter-region'; readonly region: string }
  /** An index definition was added or dropped. */
  | { readonly kind: 'add-index' | 'drop-index'; readonly region: string; readonly index: string };

/** A change as the log keeps it. An entry that was put has the sequence as its version. */
export interface RecordedChange {
  readonly sequence: number;
  /** When it was committed, in milliseconds since 1970; it may go back where the clock did. */
  readonly atMs: number;
  readonly kind: CommittedChange['kind'];
  readonly region: string;
  /** The key of an entry or the name of an index; null where the change concerns the region. */
  readonly key: string | null;
  /**
   * The value that was put, where values are requested. Always present while the entry has this
   * version; once it is overwritten or removed, only where the log itself keeps values.
   */
  readonly value?: string;
}

/** Which of the changes a reader wants, decided before any value is read. */
export interface ChangesWanted {
  /** Without values when absent. */
  readonly values?: 'none' | 'kept';
  /** The answer ends after the commit with which its values reach this many bytes. */
  readonly maxBytes?: number;
  /** Regions outside of which nothing is wanted; all when absent. */
  readonly regions?: ReadonlySet<string> | undefined;
  /** All when absent. */
  readonly isWanted?: (change: RecordedChange) => boolean;
}

export type ChangesOutcome =
  | {
      readonly kind: 'changes';
      readonly changes: readonly RecordedChange[];
      /** Everything wanted up to this commit is in `changes` or was in an earlier answer. */
      readonly through: number;
      /** The latest commit. When it is `through`, nothing is left to read. */
      readonly latest: number;
    }
  | ChangesGone;

/**
 * Changes after that sequence were trimmed, or the store has not reached it, for example after the
 * restore of a backup. Followers read everything again from a snapshot and continue after its
 * sequence. Changes after any sequence from `oldest` to `latest` can be read.
 */
export interface ChangesGone {
  readonly kind: 'gone';
  readonly oldest: number;
  readonly latest: number;
}

export type SequenceAtOutcome = { readonly kind: 'found'; readonly sequence: number } | ChangesGone;
