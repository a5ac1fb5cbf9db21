// The shortest correct engine: everything is in memory and nothing is durable. Every commit replaces
// immutable region states, so a snapshot is a copy of the region table, and readers never see half a
// write.

import { DEFAULT_MAX_CHANGES } from '../../value/default-limits.ts';
import { changeIndexes } from '../change-indexes.ts';
import { describeRegions } from '../describe-regions.ts';
import type {
  AddIndexOutcome,
  AlterRegionOutcome,
  Change,
  ChangesOutcome,
  ChangesWanted,
  Commit,
  CommitEnd,
  CommitOutcome,
  Committed,
  CommittedChange,
  DropIndexOutcome,
  Engine,
  EngineListener,
  FirstEntries,
  Region,
  RegionDefinition,
  RegionDescription,
  RegionWrite,
  SequenceAtOutcome,
  Snapshot,
  StoredEntry,
  ValuesTogether,
  WriteGuard,
  WriteOutcome,
} from '../engine.ts';
import type { EngineHealth, EngineStats } from '../engine-stats.ts';
import { checkChanges, checkRead, checkWrites } from '../entry-limits.ts';
import { engineClosed, regionGone } from '../errors.ts';
import { historyRegion } from '../history-records.ts';
import type { IndexDefinition } from '../index-definition.ts';
import { joinEntries, joinValues } from '../joined-texts.ts';
import { Listeners } from '../listeners.ts';
import { alterDefinition } from '../region-definition.ts';
import type { IndexRequest } from '../region-requests.ts';
import type { RegionAlteration } from '../region-settings.ts';
import { checkUnique } from '../unique-indexes.ts';
import { findRefusals } from '../write-guards.ts';
import { MemoryChangeLog } from './memory-change-log.ts';
import { MemorySnapshot } from './memory-snapshot.ts';
import { applyChanges, type RegionState } from './region-state.ts';
import { SortedEntries } from './sorted-entries.ts';
import { updateHistory, writeHistory } from './write-history.ts';

export interface MemoryEngineOptions {
  /** Changes kept for `readChanges`; older ones are trimmed. */
  readonly maxChanges?: number;
  /** Milliseconds since 1970. */
  readonly wallClock?: () => number;
}

export class MemoryEngine implements Engine {
  readonly #log: MemoryChangeLog;
  readonly #wallClock: () => number;
  readonly #regions = new Map<string, RegionState>();
  readonly #listeners = new Listeners();
  readonly #snapshots = new Set<MemorySnapshot>();
  #sequence = 0;
  #closed = false;

  constructor(options: MemoryEngineOptions = {}) {
    this.#log = new MemoryChangeLog(options.maxChanges ?? DEFAULT_MAX_CHANGES);
    this.#wallClock = options.wallClock ?? Date.now;
  }

  async describeRegions(): Promise<readonly RegionDescription[]> {
    this.#requireOpen();
    return describeRegions(
      Array.from(this.#regions.values(), ({ definition, entries, indexes }) => {
        const { count: entryCount, valueBytes } = entries;
        return { definition, indexes, entryCount, valueBytes };
      }),
    );
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
    const state = { id, definition, indexes: [], entries: SortedEntries.empty };
    this.#regions.set(name, state);
    updateHistory(this.#regions, state, this.#stamp);
    this.#commit([{ kind: 'create-region', region: name }]);
    return 'created';
  }

  async destroyRegion(name: string): Promise<'destroyed' | 'missing'> {
    this.#requireOpen();
    if (!this.#regions.delete(name)) return 'missing';
    this.#regions.delete(historyRegion(name));
    this.#commit([{ kind: 'destroy-region', region: name }]);
    return 'destroyed';
  }

  async alterRegion(name: string, alteration: RegionAlteration): Promise<AlterRegionOutcome> {
    this.#requireOpen();
    const state = this.#regions.get(name);
    if (state === undefined) return 'missing';
    const definition = alterDefinition(state.definition, alteration);
    if (definition === undefined) return 'unchanged';
    const altered = { ...state, definition };
    this.#regions.set(name, altered);
    updateHistory(this.#regions, altered, this.#stamp);
    this.#commit([{ kind: 'alter-region', region: name }]);
    return 'altered';
  }

  async addIndex(region: string, index: IndexDefinition): Promise<AddIndexOutcome> {
    // The outcome of adding one.
    return this.#changeIndexes({ kind: 'add-index', region, index }) as AddIndexOutcome;
  }

  async dropIndex(region: string, index: string): Promise<DropIndexOutcome> {
    // The outcome of dropping one.
    return this.#changeIndexes({ kind: 'drop-index', region, index }) as DropIndexOutcome;
  }

  async commit(writes: readonly RegionWrite[], end: CommitEnd = 'keep'): Promise<CommitOutcome> {
    this.#requireOpen();
    checkWrites(writes);
    return this.#commitWrites(writes, end);
  }

  #commitWrites(writes: readonly RegionWrite[], end: CommitEnd): CommitOutcome {
    const missing = writes.find(({ region }) => !this.#regions.has(region));
    if (missing !== undefined) return { kind: 'region-missing', region: missing.region };
    const states = writes.flatMap(({ region }) => this.#regions.get(region) ?? []);
    for (const [i, write] of writes.entries()) checkUnique(write, states[i]?.indexes);
    const refusals = findRefusals(writes, (write, key) => states[write]?.entries.find(key));
    if (refusals.length > 0) return { kind: 'refused', refusals };

    const version = this.#sequence + 1;
    const applied = states.map((state, i) =>
      applyChanges(state, writes[i]?.changes ?? [], version),
    );
    const reads = writes.map((write, i) =>
      (write.reads ?? []).map((key) => applied[i]?.entries.find(key)),
    );
    checkRead(reads.flat());
    const committed = applied.flatMap((each) => each.committed);
    if (committed.length === 0) return { kind: 'committed', version: this.#sequence, reads };
    if (end === 'roll-back') return { kind: 'committed', version, reads };
    for (const { committed: own, entries, state } of applied) {
      this.#regions.set(state.definition.name, { ...state, entries });
      if (own.length > 0) writeHistory(this.#regions, state, own, this.#stamp);
    }
    return { ...this.#commit(committed), reads };
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
    return this.#listeners.add(listener);
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

  async findSequenceAt(atMs: number): Promise<SequenceAtOutcome> {
    this.#requireOpen();
    return this.#log.findSequenceAt(atMs, this.#sequence);
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

  /** The stamp of the commit that is being made. */
  get #stamp(): { readonly sequence: number; readonly nowMs: number } {
    return { sequence: this.#sequence + 1, nowMs: this.#wallClock() };
  }

  #requireOpen(): void {
    if (this.#closed) throw engineClosed();
  }

  #changeIndexes(request: IndexRequest): AddIndexOutcome | DropIndexOutcome {
    this.#requireOpen();
    const { kind, region } = request;
    const state = this.#regions.get(region);
    const { indexes, name, outcome } = changeIndexes(state?.indexes, request);
    if (state !== undefined && indexes !== undefined) {
      this.#regions.set(region, { ...state, indexes });
      this.#commit([{ kind, region, index: name }]);
    }
    return outcome;
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
    if (this.#find(name, id) === undefined) throw regionGone(name);
    const outcome = this.#commitWrites([{ region: name, changes, guards }], 'keep');
    if (outcome.kind === 'committed') return { kind: 'committed', version: outcome.version };
    const [failed] = outcome.kind === 'refused' ? outcome.refusals : [];
    if (failed === undefined) throw regionGone(name);
    return failed.failure;
  }

  #clear(name: string, id: number): Committed {
    const state = this.#find(name, id);
    if (state === undefined) throw regionGone(name);
    if (state.entries.count === 0) return { kind: 'committed', version: this.#sequence };
    this.#regions.set(name, { ...state, entries: SortedEntries.empty });
    const changes = [{ kind: 'clear', region: name }] as const;
    writeHistory(this.#regions, state, changes, this.#stamp);
    return this.#commit(changes);
  }

  #commit(changes: readonly CommittedChange[]): Committed {
    this.#sequence += 1;
    const sequence = this.#sequence;
    this.#log.record(sequence, changes, this.#wallClock());
    const commit: Commit = { sequence, changes };
    this.#listeners.notify(commit);
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
    return joinEntries(await this.read(keys));
  }

  async readFirst(limit: number): Promise<FirstEntries> {
    const entries = this.#access.current()?.entries ?? SortedEntries.empty;
    const first = [...entries.iterate({ limit })];
    return {
      keys: first.map(([key]) => key),
      values: joinValues(first.map(([, { value }]) => value)),
    };
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
