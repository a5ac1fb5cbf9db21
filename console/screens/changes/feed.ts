// Follows the changes of a region, and keeps the newest of them with the values that they replaced.

import { type ReadonlySignal, signal } from '@preact/signals';
import {
  type Change,
  type ChangeFeedOptions,
  type ChangeOperation,
  texts,
} from '../../../src/client/index.ts';
import { call } from '../../api/session.ts';
import { type Difference, diffJson } from '../../json/diff-json.ts';

export interface FeedFilter {
  readonly key?: string | undefined;
  readonly prefix?: string | undefined;
  readonly where?: string | undefined;
  readonly operations?: readonly ChangeOperation[] | undefined;
  /** Start after this sequence; only new changes when absent. */
  readonly since?: number | undefined;
}

export interface ShownChange {
  /** Increases with each change. */
  readonly id: number;
  readonly change: Change<string>;
  /** Differences to the previously seen value of the key; undefined if there was none. */
  readonly differences: readonly Difference[] | undefined;
}

export interface FeedState {
  /** Newest first. */
  readonly changes: readonly ShownChange[];
  /** Number of all received changes. */
  readonly count: number;
  readonly perSecond: number;
  /** Received since the list was paused; undefined while it is not. */
  readonly held: number | undefined;
  /** The last commit that was seen. */
  readonly sequence: number | undefined;
  /** Why it ended. */
  readonly error: unknown;
}

/** Older ones are dropped. */
export const MAX_CHANGES = 1000;
/** Cached values for comparison: their number and maximum length. */
const MAX_VALUES = 5000;
const LONGEST_VALUE = 64 * 1024;
const SHOWN_EVERY_MS = 150;
const RATE_SECONDS = 5;

const NOTHING: FeedState = {
  changes: [],
  count: 0,
  perSecond: 0,
  held: undefined,
  sequence: undefined,
  error: undefined,
};

export class Feed {
  readonly #state = signal<FeedState>(NOTHING);
  readonly #stop = new AbortController();
  readonly #values = new Map<string, string>();
  /** Newest first, before the changes already shown. */
  #changes: ShownChange[] = [];
  #count = 0;
  #sequence: number | undefined;
  /** The count when the list was paused. */
  #pausedAt: number | undefined;
  /** Counts of the last seconds, one per second. */
  #counts: number[] = [0];
  #timers: ReturnType<typeof setInterval>[] = [];

  get state(): ReadonlySignal<FeedState> {
    return this.#state;
  }

  /** Runs until it is closed, or refused. */
  async follow(region: string, filter: FeedFilter): Promise<void> {
    this.#timers = [
      setInterval(() => this.#show(), SHOWN_EVERY_MS),
      setInterval(() => this.#countSecond(), 1000),
    ];
    const options = toOptions(filter, this.#stop.signal);
    try {
      await call(async (client) => {
        for await (const { changes, sequence } of client.region(region, texts).commits(options)) {
          for (const change of changes) this.#take(change);
          this.#sequence = sequence;
        }
      });
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#show();
      this.#state.value = { ...this.#state.value, error };
    } finally {
      for (const timer of this.#timers) clearInterval(timer);
    }
  }

  close(): void {
    this.#stop.abort();
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** Freezes the list; new changes are held. */
  pause(): void {
    this.#show();
    this.#pausedAt = this.#count;
    this.#state.value = { ...this.#state.value, held: 0 };
  }

  resume(): void {
    this.#pausedAt = undefined;
    this.#state.value = { ...this.#state.value, held: undefined };
    this.#show();
  }

  #take(change: Change<string>): void {
    this.#count += 1;
    const differences = this.#compare(change);
    this.#changes.unshift({ id: this.#count, change, differences });
    if (this.#changes.length > 2 * MAX_CHANGES) this.#changes.length = MAX_CHANGES;
  }

  #compare({ key, operation, value }: Change<string>): readonly Difference[] | undefined {
    if (key === undefined) {
      this.#values.clear();
      return undefined;
    }
    const before = this.#values.get(key);
    this.#values.delete(key);
    if (value === undefined || value.length > LONGEST_VALUE) return undefined;
    this.#values.set(key, value);
    if (this.#values.size > MAX_VALUES) {
      const [oldest] = this.#values.keys();
      if (oldest !== undefined) this.#values.delete(oldest);
    }
    return before === undefined || operation !== 'put' ? undefined : diffJson(before, value);
  }

  #show(): void {
    const shown = this.#state.value;
    const held = this.#pausedAt === undefined ? undefined : this.#count - this.#pausedAt;
    const isSame = shown.count === this.#count && shown.held === held;
    if (isSame && shown.changes[0]?.id === this.#changes[0]?.id) return;
    this.#state.value = {
      ...shown,
      changes: held === undefined ? this.#changes.slice(0, MAX_CHANGES) : shown.changes,
      count: this.#count,
      sequence: this.#sequence,
      held,
    };
  }

  #countSecond(): void {
    this.#counts = [...this.#counts, this.#count].slice(-RATE_SECONDS - 1);
    const perSecond = (this.#count - (this.#counts[0] ?? 0)) / (this.#counts.length - 1);
    if (perSecond !== this.#state.value.perSecond) {
      this.#state.value = { ...this.#state.value, perSecond };
    }
  }
}

function toOptions(
  { key, operations, prefix, since, where }: FeedFilter,
  signal: AbortSignal,
): ChangeFeedOptions {
  return {
    signal,
    prefix,
    where,
    keys: key === undefined ? undefined : [key],
    operations,
    since: since ?? 'now',
  };
}
