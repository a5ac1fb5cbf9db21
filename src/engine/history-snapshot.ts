// A snapshot of an earlier commit: the current state, with the changes since then undone.

import type { KeyedEntry, KeyRange, Snapshot, StoredEntry } from './engine.ts';
import { toBatch, toTexts } from './joined-texts.ts';
import type { KeyedState, RegionHistory } from './region-history.ts';
import { BATCH_BYTES, MAX_BATCH_ROWS, type ScanBatches, type ScanForm } from './scan-batches.ts';

type EntryTexts = readonly [key: string, value: string];

interface SnapshotRegion {
  readonly history: RegionHistory;
  readonly count: number;
}

/** Shows only the regions it was opened with. Closes the underlying snapshot. */
export class HistorySnapshot implements Snapshot {
  readonly sequence: number;
  readonly #current: Snapshot;
  readonly #regions: ReadonlyMap<string, SnapshotRegion>;

  static async open(
    current: Snapshot,
    sequence: number,
    histories: ReadonlyMap<string, RegionHistory>,
  ): Promise<HistorySnapshot> {
    const regions = new Map<string, SnapshotRegion>();
    for (const [name, history] of histories) {
      regions.set(name, { history, count: await history.countAt(sequence) });
    }
    return new HistorySnapshot(current, sequence, regions);
  }

  private constructor(
    current: Snapshot,
    sequence: number,
    regions: ReadonlyMap<string, SnapshotRegion>,
  ) {
    this.#current = current;
    this.sequence = sequence;
    this.#regions = regions;
  }

  count(region: string): number | undefined {
    return this.#regions.get(region)?.count;
  }

  async read(
    region: string,
    keys: readonly string[],
    maxBytes: number = Number.POSITIVE_INFINITY,
  ): Promise<readonly (StoredEntry | undefined)[]> {
    const found = this.#regions.get(region);
    if (found === undefined) return keys.map(() => undefined);
    const entries = await found.history.readAt(this.sequence, keys);
    let characters = 0;
    // Stops after the value that reaches the bound.
    const end = entries.findIndex((entry) => {
      characters += entry?.value.length ?? 0;
      return characters >= maxBytes;
    });
    return end < 0 ? entries : entries.slice(0, end + 1);
  }

  async readNext(
    region: string,
    keys: readonly string[],
    maxBytes?: number,
  ): Promise<readonly (KeyedEntry | undefined)[]> {
    const found = await Promise.all(keys.map((after) => this.#findAfter(region, after)));
    const entries = await this.read(
      region,
      found.map((key) => key ?? ''),
      maxBytes,
    );
    return entries.map((entry, i) => entry && { ...entry, key: found[i] ?? '' });
  }

  async #findAfter(region: string, after: string): Promise<string | undefined> {
    for await (const [key] of this.scan(region, { after, limit: 1 }, 'keys')) return key;
    return undefined;
  }

  async *scan<Form extends ScanForm>(
    region: string,
    range: KeyRange,
    form: Form,
  ): AsyncGenerator<ScanBatches[Form]> {
    for await (const batch of this.#batches(region, range)) yield toBatch(batch, form);
  }

  close(): void {
    this.#current.close();
  }

  async *#batches(region: string, range: KeyRange): AsyncGenerator<readonly EntryTexts[]> {
    let left = range.limit ?? Number.POSITIVE_INFINITY;
    let batch: EntryTexts[] = [];
    let characters = 0;
    if (left <= 0) return;
    for await (const entry of this.#entries(region, range)) {
      batch.push(entry);
      characters += entry[1].length;
      left -= 1;
      if (left <= 0) break;
      if (batch.length < MAX_BATCH_ROWS && characters < BATCH_BYTES) continue;
      yield batch;
      batch = [];
      characters = 0;
    }
    if (batch.length > 0) yield batch;
  }

  /**
   * Merges both streams in the order of the range; an earlier state hides the current entry of its
   * key.
   */
  async *#entries(region: string, range: KeyRange): AsyncGenerator<EntryTexts> {
    const found = this.#regions.get(region);
    if (found === undefined) return;
    const { limit, ...keys } = range;
    const states = found.history.statesAt(this.sequence, keys);
    const undone = new UndoneStates(states, range.order);
    try {
      for await (const batch of this.#current.scan(region, keys, 'entries')) {
        for (const entry of toTexts(batch)) {
          for (
            let old = await undone.takeBefore(entry[0]);
            old;
            old = await undone.takeBefore(entry[0])
          ) {
            yield old;
          }
          if (!(await undone.hides(entry[0]))) yield entry;
        }
      }
      for (let old = await undone.takeBefore(); old; old = await undone.takeBefore()) yield old;
    } finally {
      await states.return(undefined);
    }
  }
}

/** Earlier states, read in the same order as a scan of the current entries. */
class UndoneStates {
  readonly #states: AsyncGenerator<KeyedState>;
  readonly #order: KeyRange['order'];
  #next: Promise<KeyedState | undefined>;

  constructor(states: AsyncGenerator<KeyedState>, order: KeyRange['order']) {
    this.#states = states;
    this.#order = order;
    this.#next = nextOf(states);
  }

  /** The next earlier entry that sorts before a key, or before the end. */
  async takeBefore(key?: string): Promise<EntryTexts | undefined> {
    for (;;) {
      const state = await this.#next;
      if (state === undefined || (key !== undefined && !this.#isBefore(state.key, key))) {
        return undefined;
      }
      this.#next = nextOf(this.#states);
      if (state.value !== undefined) return [state.key, state.value];
    }
  }

  /** Whether the earlier entry of a key was different or absent. */
  async hides(key: string): Promise<boolean> {
    return (await this.#next)?.key === key;
  }

  #isBefore(left: string, right: string): boolean {
    return this.#order === 'desc' ? left > right : left < right;
  }
}

async function nextOf(states: AsyncGenerator<KeyedState>): Promise<KeyedState | undefined> {
  const { done, value } = await states.next();
  return done === true ? undefined : value;
}
