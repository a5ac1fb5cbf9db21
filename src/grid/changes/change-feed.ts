// A change feed: reads the log from its own position, filtered, and waits at its end. A feed keeps
// only its position; unread changes are in the log.

import {
  type CompletedChange,
  type CompletedChanges,
  completeChanges,
} from '../../engine/complete-changes.ts';
import type { Engine, RecordedChange } from '../../engine/engine.ts';
import type { ValueCondition } from '../../oql/index.ts';
import { changesGone } from '../errors.ts';
import { isReservedRegion } from '../region-rules.ts';
import type { ChangeHub, WaitingFeed } from './change-hub.ts';

/** A change of an entry or a region. */
export type ChangeOperation = Exclude<
  RecordedChange['kind'],
  'add-index' | 'drop-index' | 'alter-region'
>;

/** A change as feeds show it. */
export interface FeedChange {
  /** Sequence of the commit; for a put, also the version of the entry. */
  readonly sequence: number;
  readonly atMs: number;
  readonly region: string;
  readonly operation: ChangeOperation;
  /** Absent where the change concerns the region. */
  readonly key?: string;
  /** The value that was put, as JSON text, where values are requested. */
  readonly value?: string;
  /** The value was overwritten or removed since, and is not kept. */
  readonly isSuperseded?: true;
  /** The value before the change, as JSON text, if old values are requested and there was one. */
  readonly old?: string;
  /** The value before the change is not kept, or it is unknown whether there was one. */
  readonly isOldGone?: true;
}

/** The values that come with changes: none, the new ones, or the old ones too. */
export type FeedValues = 'none' | 'new' | 'new-and-old';

export interface FeedSelection {
  /** Undefined for all regions, including future ones. */
  readonly regions: ReadonlySet<string> | undefined;
  /** Decided before any value is read. */
  readonly accepts: (
    region: string,
    operation: ChangeOperation,
    key: string | undefined,
  ) => boolean;
  readonly values: FeedValues;
  /** The condition on the values of a region; undefined for none. */
  readonly conditionOf?: ((region: string) => ValueCondition) | undefined;
}

export interface FeedPage {
  readonly changes: readonly FeedChange[];
  /** Everything up to this commit is in this page or was in an earlier one. */
  readonly through: number;
  /** Whether this page reaches the end of the log. */
  readonly isLast: boolean;
}

/** Changes read at a time: more would delay other requests. */
const READ_CHANGES = 256;
/** Maximum bytes of values in a page, unless one commit has more. */
const PAGE_BYTES = 256 * 1024;

export interface FeedParts {
  readonly engine: Engine;
  readonly hub: ChangeHub;
  readonly wallClock: () => number;
  /** Yields to other requests. */
  readonly pause: () => Promise<void>;
}

export class ChangeFeed {
  readonly #parts: FeedParts;
  readonly #selection: FeedSelection;
  #position: number;
  /** Whether more can be read now. */
  #isBehind = false;
  #waiting: WaitingFeed | undefined;
  #unsubscribe: (() => void) | undefined;

  /** Starts after `position`, the sequence of a commit. */
  constructor(parts: FeedParts, selection: FeedSelection, position: number) {
    this.#parts = parts;
    this.#selection = selection;
    this.#position = position;
  }

  /** The sequence to resume after: everything up to it was read or filtered out. */
  get resumeAfter(): number {
    return this.#waiting?.resumeAfter ?? this.#position;
  }

  /**
   * How often the store was reset so far, for example by a restore. After a reset the same
   * sequences may have other changes.
   */
  get resets(): number {
    return this.#parts.hub.resets;
  }

  /** Continues after this commit, as if everything before it had been read. */
  skipTo(through: number): void {
    this.#position = through;
  }

  /**
   * The next page, of whole commits. A page may be empty and not the last one: all of it was
   * filtered out. Yields to other requests between pages, however fast the caller reads. Throws
   * `grid/changes-gone` when changes after the position were trimmed.
   */
  async read(limit: number = READ_CHANGES): Promise<FeedPage> {
    if (this.#isBehind) await this.#parts.pause();
    const { accepts, conditionOf, regions, values } = this.#selection;
    const after = this.#position;
    const outcome = await this.#parts.engine.readChanges(after, READ_CHANGES, {
      regions,
      values: values !== 'none' || conditionOf !== undefined ? 'kept' : 'none',
      maxBytes: PAGE_BYTES,
      isWanted: ({ key, kind, region }) =>
        isShown(kind) && !isReservedRegion(region) && accepts(region, kind, key ?? undefined),
    });
    if (outcome.kind === 'gone') throw changesGone(after, outcome);
    // A large commit comes as a whole, so its processing gets its own turn.
    if (outcome.changes.length > READ_CHANGES) await this.#parts.pause();
    const completed = await this.#complete(outcome.changes);
    const through = completed.isCut
      ? (completed.changes.at(-1)?.sequence ?? after)
      : outcome.through;
    const wanted = completed.changes.filter((change) => this.#meetsCondition(change));
    const { changes, next } = takeCommits(wanted, limit);
    this.#position = next === undefined ? through : next - 1;
    const isLast = this.#position === outcome.latest;
    this.#isBehind = !isLast;
    return {
      changes: changes.map((change) => toFeedChange(change, values)),
      through: this.#position,
      isLast,
    };
  }

  /** Call it before the reads that precede `wait`; ended by `close`. */
  subscribe(): void {
    this.#unsubscribe ??= this.#parts.hub.subscribe();
  }

  /** Waits for more after the last page; false when the signal aborted the wait. */
  async wait(signal: AbortSignal): Promise<boolean> {
    this.#waiting = this.#parts.hub.wait(this.#selection.regions, this.#position, signal);
    const hasNews = await this.#waiting.woken;
    this.#position = this.#waiting.resumeAfter;
    this.#waiting = undefined;
    return hasNews;
  }

  close(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  /** Adds values that the log does not have, from history. */
  #complete(changes: readonly RecordedChange[]): Promise<CompletedChanges> {
    const { conditionOf, values } = this.#selection;
    const hasCondition = conditionOf !== undefined;
    return completeChanges(this.#parts.engine, changes, {
      values: values !== 'none' || hasCondition,
      before: ({ kind }) => values === 'new-and-old' || (hasCondition && kind !== 'put'),
      maxBytes: PAGE_BYTES,
      nowMs: this.#parts.wallClock(),
    });
  }

  /**
   * A put is tested by its value, a removal by the value it removed. A removal with an unknown
   * value passes.
   */
  #meetsCondition({ before, key, kind, region, value }: CompletedChange): boolean {
    const { conditionOf } = this.#selection;
    if (conditionOf === undefined || key === null) return true;
    const isPut = kind === 'put';
    const removed = before?.kind === 'present' ? before.value : undefined;
    const tested = isPut ? value : removed;
    // A superseded put is omitted: a later change of the key follows and is tested.
    if (tested === undefined) return !isPut;
    return conditionOf(region)(key, tested, this.#parts.wallClock());
  }
}

function isShown(kind: RecordedChange['kind']): kind is ChangeOperation {
  return kind !== 'add-index' && kind !== 'drop-index' && kind !== 'alter-region';
}

/**
 * Whole commits of up to `limit` changes, at least one, and the sequence of the first one omitted.
 */
function takeCommits(
  changes: readonly CompletedChange[],
  limit: number,
): { readonly changes: readonly CompletedChange[]; readonly next: number | undefined } {
  const beyond = changes[limit];
  if (beyond === undefined) return { changes, next: undefined };
  const isFirst = changes[0]?.sequence === beyond.sequence;
  const last = isFirst ? beyond.sequence : beyond.sequence - 1;
  const end = changes.findIndex(({ sequence }) => sequence > last);
  if (end < 0) return { changes, next: undefined };
  return { changes: changes.slice(0, end), next: changes[end]?.sequence };
}

function toFeedChange(
  { atMs, before, key, kind, region, sequence, value }: CompletedChange,
  values: FeedValues,
): FeedChange {
  // Changes of definitions were filtered out before.
  const operation = kind as ChangeOperation;
  if (key === null) return { sequence, atMs, region, operation };
  if (values === 'new' && value !== undefined) {
    return { sequence, atMs, region, operation, key, value };
  }
  const change = { sequence, atMs, region, operation, key };
  if (values === 'none') return change;
  const put = value === undefined ? { isSuperseded: true as const } : { value };
  return {
    ...change,
    ...(kind === 'put' ? put : {}),
    ...(values === 'new-and-old' ? toOld(before) : {}),
  };
}

function toOld(before: CompletedChange['before']): Pick<FeedChange, 'old' | 'isOldGone'> {
  if (before?.kind === 'present') return { old: before.value };
  return before?.kind === 'absent' ? {} : { isOldGone: true };
}
