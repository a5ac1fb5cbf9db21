// The tables of all regions, kept up to date with commits and within a memory budget. All of it is
// derived: a stale, cleared or unused table is dropped, and the next query builds it again from the
// store.
//
// A query pins its regions, and then chooses S: the last commit received, or that of a snapshot of
// the store. It prepares each region for S, reads, and releases. Pinning first guarantees that no
// row visible at S is overwritten meanwhile.

import { buildColumns, type ColumnBuild, TooLarge } from './build-columns.ts';
import { evictParts } from './evict-parts.ts';
import { FollowedTable } from './followed-table.ts';
import { IdleApply, type IdleTime } from './idle-apply.ts';
import { buildIndex } from './indexes/build-index.ts';
import type { ValueIndex } from './indexes/value-index.ts';
import {
  dropAbsent,
  isWorthSummary,
  type MissingParts,
  missingParts,
  neededUnits,
} from './missing-parts.ts';
import {
  knownLists,
  type PreparedTable,
  type PrepareRequest,
  prepareTable,
  type TableLoad,
} from './prepared-table.ts';
import type { RegionTable, TableChange } from './region-table.ts';
import { TableSizes } from './table-sizes.ts';

/** The part of a commit that columns use. */
export interface StoreCommit {
  readonly sequence: number;
  readonly changes: readonly StoreChange[];
}

export type StoreChange =
  | (TableChange & { readonly region: string })
  | { readonly kind: 'clear' | 'create-region' | 'destroy-region'; readonly region: string }
  | { readonly kind: 'add-index' | 'drop-index' | 'alter-region'; readonly region: string };

interface ColumnStoreOptions {
  readonly maxParts?: number;
  readonly spareBytes?: number;
  /** Absent: changes stay pending until the next query. */
  readonly idle?: IdleTime | undefined;
  /** With this many pending changes, background work applies them before the next query. */
  readonly manyPending?: number;
}

/** Default of `manyPending`; applying so many takes about ten milliseconds. */
const MANY_PENDING = 1024;
/** Columns, lists and indexes of all tables; the least recently used are evicted. */
const MAX_PARTS = 4096;
/** Changes of an index that a look-up merges; with more, it runs as a query. */
const FEW_ENTRIES = 256;
/**
 * Memory that one table may take beyond the budget while a query needs it; beyond that the query
 * reads rows.
 */
const SPARE_BYTES = 64 << 20;

/** Pins one region for one query. */
export interface TablePin {
  /** The table with all requested parts; undefined when the region changed too much meanwhile. */
  prepare(request: PrepareRequest): Promise<PreparedTable | undefined>;
  /** Safe to call twice. */
  release(): void;
}

export class ColumnStore {
  readonly #budgetBytes: number;
  readonly #tables = new Map<string, FollowedTable>();
  readonly #sizes = new TableSizes(this.#tables);
  #sequence: number;
  #waiters: { readonly sequence: number; readonly resolve: () => void }[] = [];
  #uses = 0;
  readonly #maxParts: number;
  readonly #spareBytes: number;
  readonly #idleApply: IdleApply | undefined;

  /** `sequence` is the last commit before the first one that `commit` will be called with. */
  constructor(budgetBytes: number, sequence: number, options: ColumnStoreOptions = {}) {
    const { maxParts = MAX_PARTS, spareBytes = SPARE_BYTES, idle } = options;
    this.#budgetBytes = budgetBytes;
    this.#maxParts = maxParts;
    this.#spareBytes = spareBytes;
    this.#idleApply = idle && new IdleApply(idle, options.manyPending ?? MANY_PENDING);
    this.#sequence = sequence;
  }

  /** The last commit received. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Receives one commit; must be called for each, in order. */
  commit(commit: StoreCommit): void {
    for (const change of commit.changes) this.#apply(change, commit.sequence);
    this.#sequence = commit.sequence;
    if (this.#waiters.length === 0) return;
    const reached = this.#waiters.filter(({ sequence }) => sequence <= commit.sequence);
    this.#waiters = this.#waiters.filter(({ sequence }) => sequence > commit.sequence);
    for (const { resolve } of reached) resolve();
  }

  /** Commits up to `sequence` were missed: drops everything; commits after it follow. */
  reset(sequence: number): void {
    this.#tables.clear();
    this.#sequence = sequence;
    // Running queries find their tables gone and read the store instead.
    for (const { resolve } of this.#waiters.splice(0)) resolve();
  }

  /** Call it before the query chooses the sequence that it reads at. */
  pin(region: string): TablePin {
    const state = this.#requireState(region);
    state.table.pins += 1;
    let isReleased = false;
    return {
      prepare: (request) => this.#prepare(region, state, request),
      release: () => {
        if (isReleased) return;
        isReleased = true;
        state.release();
        if (state.isStale) this.#forget(state);
        else this.#watch(state);
      },
    };
  }

  /**
   * The keys of the entries at the rows that an index finds, in order, as of the last commit
   * received. Undefined when the index is not in memory, or cannot answer.
   */
  findKeys(
    region: string,
    indexName: string,
    findRows: (index: ValueIndex) => readonly number[] | undefined,
  ): { readonly sequence: number; readonly keys: readonly string[] } | undefined {
    const state = this.#tables.get(region);
    if (state?.table.loaded !== true) return undefined;
    if (state.pendingCount > 0 && !state.catchUpAtOnce()) {
      if (state.isStale) this.#forget(state);
      return undefined;
    }
    const { table } = state;
    const index = table.index(indexName);
    if (index === undefined || index.pending > FEW_ENTRIES) return undefined;
    const rows = findRows(index);
    if (rows === undefined) return undefined;
    const sequence = this.#sequence;
    const keys: string[] = [];
    for (const row of rows) {
      if (table.rows.isVisible(row, sequence)) keys.push(table.rows.keyOf(row));
    }
    return { sequence, keys: keys.length > 1 ? keys.sort() : keys };
  }

  sizeBytes(): number {
    return this.#sizes.measure().bytes;
  }

  #requireState(region: string): FollowedTable {
    const known = this.#tables.get(region);
    if (known !== undefined && !known.table.isStale()) return known;
    const state = new FollowedTable(() => this.#budgetBytes - this.#sizes.estimate().bytes);
    this.#tables.set(region, state);
    return state;
  }

  #apply(change: StoreChange, sequence: number): void {
    const state = this.#tables.get(change.region);
    if (state === undefined) return;
    switch (change.kind) {
      case 'add-index':
      case 'drop-index':
      case 'alter-region':
        return;
      case 'put':
      case 'remove':
      case 'expire':
        state.take(change, sequence);
        this.#watch(state);
        if (state.isStale) this.#tables.delete(change.region);
        return;
      case 'clear':
      case 'create-region':
      case 'destroy-region':
        // Pinned queries keep the old table, which receives no more commits.
        this.#tables.delete(change.region);
    }
  }

  async #prepare(
    region: string,
    state: FollowedTable,
    request: PrepareRequest,
  ): Promise<PreparedTable | undefined> {
    if (request.load === undefined && !state.table.loaded) return undefined;
    // The first load of a table determines its earliest readable sequence.
    state.since ??= request.sequence;
    if (request.sequence < state.since) return undefined;
    this.#uses += 1;
    const ready = this.#findReady(region, state, request);
    if (ready !== undefined) return ready;
    const build = state.work.then(() => this.#build(region, state, request));
    state.work = build.then(
      () => undefined,
      () => undefined,
    );
    const prepared = await build;
    await this.#waitFor(request.sequence);
    // After a clear the store has dropped the table; a later query must not use it.
    const isCurrent = this.#tables.get(region) === state;
    return isCurrent ? prepared : undefined;
  }

  /**
   * The table if it has all that the query needs. So queries of parts in memory wait neither for a
   * build for another query, nor for the pauses of one another.
   */
  #findReady(
    region: string,
    state: FollowedTable,
    request: PrepareRequest,
  ): PreparedTable | undefined {
    const { table } = state;
    if (!table.loaded || state.isBuilding || state.pendingCount > 0) return undefined;
    if (this.#sequence < request.sequence || this.#tables.get(region) !== state) return undefined;
    const missing = missingParts(table, request);
    if (missing.size > 0 || !hasIndexes(table, request)) return undefined;
    table.touch([...request.paths, ...request.collections], this.#uses);
    return prepareTable(table, request, missing.absent);
  }

  async #build(
    region: string,
    state: FollowedTable,
    request: PrepareRequest,
  ): Promise<PreparedTable | undefined> {
    const ready = this.#findReady(region, state, request);
    if (ready !== undefined) return ready;
    try {
      return await this.#buildMissing(region, state, request);
    } finally {
      state.isBuilding = false;
    }
  }

  async #buildMissing(
    region: string,
    state: FollowedTable,
    request: PrepareRequest,
  ): Promise<PreparedTable | undefined> {
    const { table } = state;
    const use = this.#uses;
    if (table.loaded && !(await this.#applyCommits(region, state, request))) return undefined;
    const missing = missingParts(table, request);
    if (request.pacer.isSliceOver()) await request.pacer.pause();
    // Rows written after the snapshot but before the new parts were added have no values in them.
    const isTemporary = missing.size > 0 && table.lastChange > request.sequence;
    const hasAllParts = table.loaded && missing.size === 0;
    state.isBuilding = !hasAllParts || !hasIndexes(table, request);
    if (!hasAllParts && !(await this.#fill(state, request, missing, use))) return undefined;
    if (!(await this.#catchUp(state, request))) return undefined;
    table.touch([...request.paths, ...request.collections], use);
    if (missing.size > 0) this.#evict(state, request);
    if (!isTemporary) await buildIndexes(table, request);
    await mergePending(table, request);
    if (request.pacer.isSliceOver()) await request.pacer.pause();
    const prepared = prepareTable(table, request, missing.absent);
    if (isTemporary) table.drop(missing.columns, missing.lists);
    else dropAbsent(table, request, missing);
    return prepared;
  }

  /** False when there is no source to read from, or they would exceed the memory budget. */
  async #fill(
    state: FollowedTable,
    request: PrepareRequest,
    { columns, lists, size }: MissingParts,
    use: number,
  ): Promise<boolean> {
    const { table } = state;
    const { load } = request;
    if (load === undefined) return false;
    const replays = knownLists(table, [...columns, ...lists]);
    const isSummarizing = table.summary === undefined && isWorthSummary(table, request, size);
    const summary = isSummarizing ? table.beginSummary() : undefined;
    const parts = table.addParts(columns, lists, use);
    try {
      await fill(state, request, load, {
        columns: parts.columns,
        lists: [...parts.lists, ...replays],
        summary,
        isTooLarge: () => table.sizeBytes() > this.#budgetBytes + this.#spareBytes,
      });
      if (summary !== undefined) summary.isComplete = true;
      return true;
    } catch (error) {
      // Partly filled parts must not pass as complete, nor a partial summary.
      table.drop(columns, lists);
      if (summary !== undefined) table.dropSummary();
      if (!table.loaded) this.#forget(state);
      if (error instanceof TooLarge) return false;
      throw error;
    }
  }

  /**
   * Lets a loaded table apply every commit up to the snapshot. Afterwards new parts can be filled
   * from the snapshot into the rows of its keys; a path is absent only if no such commit added it.
   * False when the table must be rebuilt, or was dropped and may have missed a commit.
   */
  async #applyCommits(
    region: string,
    state: FollowedTable,
    request: PrepareRequest,
  ): Promise<boolean> {
    await this.#waitFor(request.sequence);
    return this.#tables.get(region) === state && this.#catchUp(state, request);
  }

  /** False when the table must be rebuilt. */
  async #catchUp(state: FollowedTable, request: PrepareRequest): Promise<boolean> {
    if (state.pendingCount === 0) return true;
    await state.catchUp(request.sequence, request.pacer, neededUnits(state.table, request));
    if (state.isStale) this.#forget(state);
    return !state.isStale;
  }

  #evict(state: FollowedTable, request: PrepareRequest): void {
    const limits = { bytes: this.#budgetBytes, parts: this.#maxParts };
    evictParts(this.#tables, this.#sizes, limits, { state, request });
  }

  #watch(state: FollowedTable): void {
    this.#idleApply?.watch(state, () => this.#forget(state));
  }

  #forget(state: FollowedTable): void {
    for (const [region, known] of this.#tables) {
      if (known === state) this.#tables.delete(region);
    }
  }

  /** Resolves when every commit up to `sequence` was received. */
  #waitFor(sequence: number): Promise<void> {
    if (this.#sequence >= sequence) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiters.push({ sequence, resolve });
    });
  }
}

async function fill(
  state: FollowedTable,
  request: PrepareRequest,
  load: TableLoad,
  parts: Pick<ColumnBuild, 'columns' | 'lists' | 'summary' | 'isTooLarge'>,
): Promise<void> {
  const { table } = state;
  if (!table.loaded) table.rows.expect(load.entryCount);
  await buildColumns({ ...request, ...parts, table, scan: load.scan() });
  if (!table.loaded) state.endLoad();
}

/** Whether the requested indexes are built, and have merged all changes. */
function hasIndexes(table: RegionTable, { indexes = [] }: PrepareRequest): boolean {
  return indexes.every(({ name }) => table.index(name)?.pending === 0);
}

/** Lets indexes merge the changes since their last read. */
async function mergePending(table: RegionTable, request: PrepareRequest): Promise<void> {
  for (const { name } of request.indexes ?? []) {
    for (const _ of table.index(name)?.mergePending() ?? []) {
      if (request.pacer.isSliceOver()) await request.pacer.pause();
    }
  }
}

async function buildIndexes(table: RegionTable, request: PrepareRequest): Promise<void> {
  for (const index of request.indexes ?? []) await buildIndex(table, index, request.pacer);
}
