// A snapshot of the memory engine: a copy of the region table, whose states are immutable.

import type { KeyedEntry, KeyRange, Snapshot, StoredEntry } from '../engine.ts';
import { engineClosed } from '../errors.ts';
import { toBatch } from '../joined-texts.ts';
import { BATCH_BYTES, MAX_BATCH_ROWS, type ScanBatches, type ScanForm } from '../scan-batches.ts';
import type { RegionState } from './region-state.ts';
import { SortedEntries, type SortedEntry } from './sorted-entries.ts';

export class MemorySnapshot implements Snapshot {
  readonly sequence: number;
  readonly #onClose: () => void;
  #regions: ReadonlyMap<string, RegionState> | undefined;

  constructor(sequence: number, regions: ReadonlyMap<string, RegionState>, onClose: () => void) {
    this.sequence = sequence;
    this.#regions = regions;
    this.#onClose = onClose;
  }

  count(region: string): number | undefined {
    return this.#find(region)?.entries.count;
  }

  async read(
    region: string,
    keys: readonly string[],
    maxBytes: number = Number.POSITIVE_INFINITY,
  ): Promise<readonly (StoredEntry | undefined)[]> {
    const entries = this.#find(region)?.entries;
    return takeWithin(keys, maxBytes, (key) => entries?.find(key));
  }

  async readNext(
    region: string,
    keys: readonly string[],
    maxBytes: number = Number.POSITIVE_INFINITY,
  ): Promise<readonly (KeyedEntry | undefined)[]> {
    const entries = this.#find(region)?.entries ?? SortedEntries.empty;
    return takeWithin(keys, maxBytes, (after) => {
      for (const [key, entry] of entries.iterate({ after, limit: 1 })) return { key, ...entry };
      return undefined;
    });
  }

  async *scan<Form extends ScanForm>(
    region: string,
    range: KeyRange,
    form: Form,
  ): AsyncGenerator<ScanBatches[Form]> {
    for (const batch of this.#batches(region, range)) {
      const entries = batch.map(([key, { value }]): readonly [string, string] => [key, value]);
      yield toBatch(entries, form);
    }
  }

  close(): void {
    this.#regions = undefined;
    this.#onClose();
  }

  /** Checks after each batch whether the snapshot was closed meanwhile. */
  *#batches(region: string, range: KeyRange): Generator<readonly SortedEntry[]> {
    const entries = this.#find(region)?.entries ?? SortedEntries.empty;
    let batch: SortedEntry[] = [];
    let characters = 0;
    for (const item of entries.iterate(range)) {
      batch.push(item);
      characters += item[1].value.length;
      if (batch.length < MAX_BATCH_ROWS && characters < BATCH_BYTES) continue;
      yield batch;
      this.#requireOpen();
      batch = [];
      characters = 0;
    }
    if (batch.length > 0) yield batch;
  }

  #find(region: string): RegionState | undefined {
    return this.#requireOpen().get(region);
  }

  #requireOpen(): ReadonlyMap<string, RegionState> {
    if (this.#regions === undefined) throw engineClosed();
    return this.#regions;
  }
}

/** One per key, up to the one whose value reaches `maxBytes`; at least one. */
function takeWithin<Entry extends StoredEntry>(
  keys: readonly string[],
  maxBytes: number,
  find: (key: string) => Entry | undefined,
): readonly (Entry | undefined)[] {
  const found: (Entry | undefined)[] = [];
  let characters = 0;
  for (const key of keys) {
    if (characters >= maxBytes && found.length > 0) break;
    const entry = find(key);
    found.push(entry);
    characters += entry?.value.length ?? 0;
  }
  return found;
}
