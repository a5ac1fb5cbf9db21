// The shortest correct engine: everything in this process, nothing kept beyond
// it. Every commit replaces immutable region states, so a snapshot is a copy of
// the region table and readers never see half a write.

import type {
  AddIndexOutcome,
  Change,
  ChangesOutcome,
  ChangesWanted,
  Commit,
  Committed,
  CommittedChange,
  Engine,
  EngineHealth,
  EngineListener,
  EngineStats,
  EntryBatch,
  EntryBytes,
  KeyRange,
  PlaceOutcome,
  Region,
  RegionDefinition,
  RegionDescription,
  Snapshot,
  StoredEntry,
  ValuesTogether,
  WriteGuard,
  WriteOutcome,
} from '../engine.ts';
import { checkChanges, checkRead } from '../entry-limits.ts';
import { engineClosed, regionGone } from '../errors.ts';
import { findTaken, type IndexDefinition } from '../index-definition.ts';
import { findLines, joinTexts } from '../joined-texts.ts';
import { findFailedGuard } from '../write-guards.ts';
import { MemoryChangeLog } from './memory-change-log.ts';
import { type KeyedEntry, SortedEntries } from './sorted-entries.ts';

const BATCH_CHARACTERS = 128 * 1024;
const BATCH_ENTRIES = 1024;
const DEFAULT_MAX_CHANGES = 100_000;

export interface MemoryEngineOptions {
  /** Changes kept for `readChanges`; older ones are forgotten. */
  readonly maxChanges?: number;
  /** Milliseconds since 1970. */
  readonly wallClock?: () => number;
}

/** One region at one moment. `id` tells a recreated region from the one before it. */
interface RegionState {
  readonly id: number;
  readonly definition: RegionDefinition;
  readonly indexes: readonly IndexDefinition[];
  readonly entries: SortedEntries;
}

export class MemoryEngine implements Engine {
  readonly #log: MemoryChangeLog;
  readonly #wallClock: () => number;
  readonly #regions = new Map<string, RegionState>();
  readonly #listeners = new Set<EngineListener>();
  readonly #snapshots = new Set<MemorySnapshot>();
  #sequence = 0;
  #closed = false;

  constructor(options: MemoryEngineOptions = {}) {
    this.#log = new MemoryChangeLog(options.maxChanges ?? DEFAULT_MAX_CHANGES);
    this.#wallClock = options.wallClock ?? Date.now;
  }

  async describeRegions(): Promise<readonly RegionDescription[]> {
    this.#requireOpen();
    return [...this.#regions.values()].map(describe).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async openRegion(name: string): Promise<Region | undefined> {
    this.#requireOpen();
    const state = this.#regions.get(name);
    if (state === undefined) return undefined;
    return new MemoryRegion(state.definition, {
      current: () => this.#find(name, state.id),
      write: (changes, guards) => this.#write(name, state.id, changes, guards),
      clear: () => this.#clear(name, state.id),
    });
  }

  async createRegion(definition: RegionDefinition): Promise<'created' | 'exists'> {
    this.#requireOpen();
    const { name } = definition;
    if (this.#regions.has(name)) return 'exists';
    const id = this.#sequence + 1;
    this.#regions.set(name, { id, definition, indexes: [], entries: SortedEntries.empty });
    this.#commit([{ kind: 'create-region', region: name }]);
    return 'created';
  }

  async destroyRegion(name: string): Promise<'destroyed' | 'missing'> {
    this.#requireOpen();
    if (!this.#regions.delete(name)) return 'missing';
    this.#commit([{ kind: 'destroy-region', region: name }]);
    return 'destroyed';
  }

  async addIndex(region: string, index: IndexDefinition): Promise<AddIndexOutcome> {
    this.#requireOpen();
    const state = this.#regions.get(region);
    if (state === undefined) return { kind: 'region-missing' };
    const by = findTaken(state.indexes, index);
    if (by !== undefined) return { kind: 'taken', by };
    this.#regions.set(region, { ...state, indexes: [...state.indexes, index] });
    this.#commit([{ kind: 'add-index', region, index: index.name }]);
    return { kind: 'added' };
  }

  async dropIndex(
    region: string,
    index: string,
  ): Promise<'dropped' | 'index-missing' | 'region-missing'> {
    this.#requireOpen();
    const state = this.#regions.get(region);
    if (state === undefined) return 'region-missing';
    const indexes = state.indexes.filter(({ name }) => name !== index);
    if (indexes.length === state.indexes.length) return 'index-missing';
    this.#regions.set(region, { ...state, indexes });
    this.#commit([{ kind: 'drop-index', region, index }]);
    return 'dropped';
  }

  async openSnapshot(): Promise<Snapshot> {
    this.#requireOpen();
    const snapshot = new MemorySnapshot(this.#sequence, new Map(this.#regions), () =>
      this.#snapshots.delete(snapshot),
    );
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  catchUp(): void {}

  listServers(): undefined {}

  async announce(): Promise<void> {}

  subscribe(listener: EngineListener): () => void {
    // Copied, so that one listener subscribed twice is two subscriptions.
    const entry = { ...listener };
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  async readChanges(
    afterSequence: number,
    limit: number,
    wanted: ChangesWanted = {},
  ): Promise<ChangesOutcome> {
    this.#requireOpen();
    return this.#log.read({ afterSequence, limit, latest: this.#sequence }, wanted, (name, key) =>
      this.#regions.get(name)?.entries.find(key),
    );
  }

  async findPlace(atMs: number): Promise<PlaceOutcome> {
    this.#requireOpen();
    return this.#log.findPlace(atMs, this.#sequence);
  }

  health(): EngineHealth {
    return {};
  }

  stats(): EngineStats {
    return {
      sequence: this.#sequence,
      commits: this.#sequence,
      writes: this.#sequence,
      batchSizes: [this.#sequence],
      commitSeconds: 0,
      openSnapshots: this.#snapshots.size,
      fileBytes: 0,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const snapshot of this.#snapshots) snapshot.close();
    this.#regions.clear();
    this.#listeners.clear();
    this.#log.clear();
  }

  #requireOpen(): void {
    if (this.#closed) throw engineClosed();
  }

  #find(name: string, id: number): RegionState | undefined {
    this.#requireOpen();
    const state = this.#regions.get(name);
    return state?.id === id ? state : undefined;
  }

  #write(
    name: string,
    id: number,
    changes: readonly Change[],
    guards: readonly WriteGuard[],
  ): WriteOutcome {
    const state = this.#find(name, id);
    if (state === undefined) throw regionGone(name);
    const failed = findFailedGuard(guards, changes, (key) => state.entries.find(key));
    if (failed !== undefined) return failed;

    const keepsNothing = state.definition.type === 'EMPTY';
    const version = this.#sequence + 1;
    const committed: CommittedChange[] = [];
    let entries = state.entries;
    for (const change of changes) {
      const before = entries;
      if (!keepsNothing) entries = applyChange(entries, change, version);
      if (keepsNothing || entries !== before) committed.push({ ...change, region: name });
    }
    if (committed.length === 0) return { kind: 'committed', version: this.#sequence };
    this.#regions.set(name, { ...state, entries });
    return this.#commit(committed);
  }

  #clear(name: string, id: number): Committed {
    const state = this.#find(name, id);
    if (state === undefined) throw regionGone(name);
    if (state.entries.count === 0) return { kind: 'committed', version: this.#sequence };
    this.#regions.set(name, { ...state, entries: SortedEntries.empty });
    return this.#commit([{ kind: 'clear', region: name }]);
  }

  #commit(changes: readonly CommittedChange[]): Committed {
    this.#sequence += 1;
    const sequence = this.#sequence;
    this.#log.record(sequence, changes, this.#wallClock());
    const commit: Commit = { sequence, changes };
    for (const { onCommit } of this.#listeners) onCommit(commit);
    return { kind: 'committed', version: sequence };
  }
}

interface RegionAccess {
  /** The state now; undefined when the region was destroyed. */
  readonly current: () => RegionState | undefined;
  readonly write: (changes: readonly Change[], guards: readonly WriteGuard[]) => WriteOutcome;
  readonly clear: () => Committed;
}

class MemoryRegion implements Region {
  readonly definition: RegionDefinition;
  readonly #access: RegionAccess;

  constructor(definition: RegionDefinition, access: RegionAccess) {
    this.definition = definition;
    this.#access = access;
  }

  async count(): Promise<number> {
    return this.#access.current()?.entries.count ?? 0;
  }

  async read(keys: readonly string[]): Promise<readonly (StoredEntry | undefined)[]> {
    const entries = this.#access.current()?.entries;
    const found = keys.map((key) => entries?.find(key));
    checkRead(found);
    return found;
  }

  async readTogether(keys: readonly string[]): Promise<ValuesTogether | undefined> {
    const found = (await this.read(keys)).filter((entry) => entry !== undefined);
    if (found.length < keys.length) return undefined;
    const values = new TextEncoder().encode(found.map(({ value }) => value).join(','));
    return { versions: found.map(({ version }) => version), values };
  }

  async readFirst(limit: number): Promise<EntryBatch> {
    const entries = this.#access.current()?.entries ?? SortedEntries.empty;
    return toBatch([...entries.iterate({ limit })]);
  }

  async write(
    changes: readonly Change[],
    guards: readonly WriteGuard[] = [],
  ): Promise<WriteOutcome> {
    checkChanges(changes);
    return this.#access.write(changes, guards);
  }

  async clear(): Promise<Committed> {
    return this.#access.clear();
  }
}

class MemorySnapshot implements Snapshot {
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
    const read: (StoredEntry | undefined)[] = [];
    let characters = 0;
    for (const key of keys) {
      if (characters >= maxBytes && read.length > 0) break;
      const entry = entries?.find(key);
      read.push(entry);
      characters += entry?.value.length ?? 0;
    }
    return read;
  }

  async *scan(region: string, range: KeyRange): AsyncGenerator<EntryBytes> {
    for (const batch of this.#batches(region, range)) {
      const { keys, values } = toBatch(batch);
      yield { keys: joinTexts(keys), values: findLines(values) };
    }
  }

  async *scanValues(region: string, limit?: number): AsyncGenerator<Uint8Array> {
    for (const batch of this.#batches(region, limit === undefined ? {} : { limit })) {
      yield Buffer.from(batch.map(([, { value }]) => value).join(','));
    }
  }

  async *scanKeys(region: string, range: KeyRange): AsyncGenerator<readonly string[]> {
    for (const batch of this.#batches(region, range)) yield batch.map(([key]) => key);
  }

  close(): void {
    this.#regions = undefined;
    this.#onClose();
  }

  /** Looks after each batch whether the snapshot was closed while its reader had it. */
  *#batches(region: string, range: KeyRange): Generator<readonly KeyedEntry[]> {
    const entries = this.#find(region)?.entries ?? SortedEntries.empty;
    let batch: KeyedEntry[] = [];
    let characters = 0;
    for (const item of entries.iterate(range)) {
      batch.push(item);
      characters += item[1].value.length;
      if (batch.length < BATCH_ENTRIES && characters < BATCH_CHARACTERS) continue;
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

function applyChange(entries: SortedEntries, change: Change, version: number): SortedEntries {
  return change.kind === 'put'
    ? entries.put(change.key, { value: change.value, version })
    : entries.remove(change.key);
}

function describe(state: RegionState): RegionDescription {
  const { count, valueBytes } = state.entries;
  return { ...state.definition, indexes: state.indexes, entryCount: count, valueBytes };
}

function toBatch(items: readonly KeyedEntry[]): EntryBatch {
  return {
    keys: items.map(([key]) => key),
    values: Buffer.from(items.map(([, entry]) => entry.value).join('\n')),
  };
}
