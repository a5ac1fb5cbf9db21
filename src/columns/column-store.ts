// The tables of all regions, kept in step with commits and within a memory budget. Nothing here is
// the only copy of anything: a table that is worn, cleared or unused is simply let go, and the next
// query builds it again from the store.
//
// How a query uses it: pin the regions, then open a snapshot of the store at sequence S, then
// `prepare` each region for S, read, and release. Pinning first guarantees that no row visible at
// S is overwritten meanwhile.

import { buildColumns, type Pacer } from './build-columns.ts';
import type { Column } from './column.ts';
import { type ColumnPath, collectionPath, pathKey } from './column-path.ts';
import type { EntryBytes } from './entry-bytes.ts';
import { findExactly } from './find-exactly.ts';
import { type ItemLists, ItemReplay } from './item-lists.ts';
import type { WantedPaths } from './path-tree.ts';
import { RegionTable, type TableChange } from './region-table.ts';
import type { RowDirectory } from './row-directory.ts';
import { ValueIndex, type ValueIndexKind } from './value-index.ts';

/** A commit, as far as columns care. */
export interface StoreCommit {
  readonly sequence: number;
  readonly changes: readonly StoreChange[];
}

export type StoreChange =
  | (TableChange & { readonly region: string })
  | { readonly kind: 'clear' | 'create-region' | 'destroy-region'; readonly region: string };

/** An index on the values at a path; it is built when first asked for. */
export interface WantedIndex {
  /** Stands for the definition: another definition has another name. */
  readonly name: string;
  readonly kind: ValueIndexKind;
  readonly path: ColumnPath;
}

export interface PrepareRequest {
  /** The moment the query reads at; the caller's snapshot. */
  readonly sequence: number;
  readonly paths: readonly ColumnPath[];
  /** Collections that are iterated, by the paths of the collections themselves. */
  readonly collections: readonly ColumnPath[];
  readonly indexes?: readonly WantedIndex[];
  /** Entries of the region at `sequence`, and a scan of them all. */
  readonly entryCount: number;
  readonly scan: () => AsyncIterable<EntryBytes>;
  readonly pacer: Pacer;
}

interface TableState {
  readonly table: RegionTable;
  /** Commits that came between the first pin and the end of the first load. */
  readonly pending: { readonly change: TableChange; readonly sequence: number }[];
  /** Builds of one table run one after another. */
  work: Promise<void>;
  /** The earliest sequence a query may read at. */
  since: number | undefined;
}

/** What a query asked for. It keeps its parts even if the store drops them meanwhile. */
export interface PreparedTable {
  readonly rows: RowDirectory;
  column(path: ColumnPath): Column;
  lists(path: ColumnPath): ItemLists;
  /** Only those that were asked for. */
  index(name: string): ValueIndex | undefined;
}

/** Holds one region for one query. */
export class TablePin {
  readonly #prepare: (request: PrepareRequest) => Promise<PreparedTable | undefined>;
  readonly #release: () => void;
  #isReleased = false;

  constructor(
    prepare: (request: PrepareRequest) => Promise<PreparedTable | undefined>,
    release: () => void,
  ) {
    this.#prepare = prepare;
    this.#release = release;
  }

  /** The table with all wanted parts; undefined when the region changed too much meanwhile. */
  prepare(request: PrepareRequest): Promise<PreparedTable | undefined> {
    return this.#prepare(request);
  }

  /** Safe to call twice. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#release();
  }
}

/** Changes between two looks at the wear of a table. */
const CHANGES_PER_LOOK = 1024;

export class ColumnStore {
  readonly #budgetBytes: number;
  readonly #tables = new Map<string, TableState>();
  #sequence: number;
  #waiting: { readonly sequence: number; readonly resolve: () => void }[] = [];
  #uses = 0;
  #changes = 0;

  /** `sequence` is the last commit before the first one that `commit` will be called with. */
  constructor(budgetBytes: number, sequence: number) {
    this.#budgetBytes = budgetBytes;
    this.#sequence = sequence;
  }

  /** Takes in one commit; must be called for each, in order. */
  commit(commit: StoreCommit): void {
    for (const change of commit.changes) this.#apply(change, commit.sequence);
    this.#sequence = commit.sequence;
    if (this.#waiting.length === 0) return;
    const reached = this.#waiting.filter((wait) => wait.sequence <= commit.sequence);
    this.#waiting = this.#waiting.filter((wait) => wait.sequence > commit.sequence);
    for (const { resolve } of reached) resolve();
  }

  /** To be called before the query's snapshot is opened. */
  pin(region: string): TablePin {
    const state = this.#requireState(region);
    state.table.pins += 1;
    return new TablePin(
      (request) => this.#prepare(region, state, request),
      () => {
        state.table.pins -= 1;
        // Nobody came to load it: it would put commits aside for ever.
        if (state.table.pins === 0 && !state.table.loaded) this.#forget(state);
      },
    );
  }

  /**
   * The keys of the entries that hold a value at the path of an index, as of the last commit taken
   * in. Undefined when the index is not in memory, does not know for sure, or names more than `most`.
   */
  findKeys(
    region: string,
    indexName: string,
    value: number | string,
    most: number,
  ): { readonly sequence: number; readonly keys: readonly string[] } | undefined {
    const table = this.#tables.get(region)?.table;
    const index = table?.loaded === true ? table.index(indexName) : undefined;
    if (table === undefined || index === undefined) return undefined;
    const rows = findExactly(index, value, most);
    if (rows === undefined) return undefined;
    const sequence = this.#sequence;
    const visible = rows.filter((row) => table.rows.isVisible(row, sequence));
    return { sequence, keys: visible.map((row) => table.rows.keyOf(row)).sort() };
  }

  sizeBytes(): number {
    let bytes = 0;
    for (const { table } of this.#tables.values()) bytes += table.sizeBytes();
    return bytes;
  }

  #requireState(region: string): TableState {
    const known = this.#tables.get(region);
    if (known !== undefined && !known.table.isWorn()) return known;
    const state: TableState = {
      table: new RegionTable(),
      pending: [],
      work: Promise.resolve(),
      since: undefined,
    };
    this.#tables.set(region, state);
    return state;
  }

  #apply(change: StoreChange, sequence: number): void {
    const state = this.#tables.get(change.region);
    if (state === undefined) return;
    if (change.kind !== 'put' && change.kind !== 'remove') {
      // Pinned queries keep the old table, which no commit reaches any more.
      this.#tables.delete(change.region);
    } else if (state.table.loaded) {
      this.#applyLoaded(state, change, sequence);
    } else {
      state.pending.push({ change, sequence });
    }
  }

  /** A commit must never fail for the sake of what is only derived from it. */
  #applyLoaded(state: TableState, change: TableChange, sequence: number): void {
    try {
      state.table.apply(change, sequence);
      this.#changes += 1;
      // Without this a region that is written and no longer queried would grow for ever.
      const isUnused = this.#changes % CHANGES_PER_LOOK === 0 && state.table.pins === 0;
      if (isUnused && state.table.isWorn()) this.#forget(state);
    } catch {
      // The next query builds the table anew; those under way never look at later rows.
      this.#forget(state);
    }
  }

  async #prepare(
    region: string,
    state: TableState,
    request: PrepareRequest,
  ): Promise<PreparedTable | undefined> {
    // The first to load a table decides from when on it can be read.
    state.since ??= request.sequence;
    if (request.sequence < state.since) return undefined;
    this.#uses += 1;
    const build = state.work.then(() => this.#build(state, request, this.#uses));
    state.work = build.then(
      () => undefined,
      () => undefined,
    );
    const prepared = await build;
    await this.#reached(request.sequence);
    // After a clear the store forgets the table; a later query must not be served from it.
    const isCurrent = this.#tables.get(region) === state;
    return isCurrent ? prepared : undefined;
  }

  async #build(
    state: TableState,
    request: PrepareRequest,
    use: number,
  ): Promise<PreparedTable | undefined> {
    const { table } = state;
    const collections = wantedCollections([...request.collections, ...nestedIn(request.paths)]);
    const lists = collections.filter((path) => table.lists(path) === undefined);
    const columns = request.paths.filter((path) => table.column(path) === undefined);
    const added = [...columns, ...lists];
    // Rows written after the snapshot but before the new parts came have no values in them.
    const isPassing = added.length > 0 && table.lastChange > request.sequence;
    if (!table.loaded || added.length > 0) {
      const replays = knownLists(table, added);
      const parts = table.addParts(columns, lists, use);
      try {
        await fill(state, request, {
          columns: parts.columns,
          lists: [...parts.lists, ...replays],
        });
      } catch (error) {
        // Half-filled parts must not be taken for whole ones.
        dropParts(table, columns, lists);
        if (!table.loaded) this.#forget(state);
        throw error;
      }
    }
    table.touch([...request.paths, ...request.collections], use);
    if (added.length > 0) this.#trim(table, request);
    if (isPassing) {
      const prepared = prepareTable(table, request);
      dropParts(table, columns, lists);
      return prepared;
    }
    for (const wanted of request.indexes ?? []) await buildIndex(table, wanted, request.pacer);
    return prepareTable(table, request);
  }

  #forget(state: TableState): void {
    for (const [region, known] of this.#tables) {
      if (known === state) this.#tables.delete(region);
    }
  }

  /** Resolves when every commit up to `sequence` was taken in. */
  #reached(sequence: number): Promise<void> {
    if (this.#sequence >= sequence) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ sequence, resolve });
    });
  }

  /** Drops the parts used longest ago until the budget is kept; never what was just asked for. */
  #trim(current: RegionTable, request: PrepareRequest): void {
    let excess = this.sizeBytes() - this.#budgetBytes;
    if (excess <= 0) return;
    const collections = wantedCollections([...request.collections, ...nestedIn(request.paths)]);
    const wanted = new Set([...request.paths, ...collections].map(pathKey));
    const parts = [...this.#tables.values()].flatMap(({ table }) =>
      table
        .droppable()
        .filter(({ key }) => table !== current || !wanted.has(key))
        .map((part) => ({ table, ...part })),
    );
    for (const { table, drop } of parts.sort((a, b) => a.lastUse - b.lastUse)) {
      const before = table.sizeBytes();
      drop();
      excess -= before - table.sizeBytes();
      if (excess <= 0) return;
    }
  }
}

async function fill(state: TableState, request: PrepareRequest, parts: WantedPaths): Promise<void> {
  const { table } = state;
  if (!table.loaded) table.rows.expect(request.entryCount);
  await buildColumns({ ...request, ...parts, table, scan: request.scan() });
  if (!table.loaded) finishLoading(state);
}

function dropParts(
  table: RegionTable,
  columns: readonly ColumnPath[],
  lists: readonly ColumnPath[],
): void {
  for (const path of columns) table.dropColumn(path);
  for (const path of lists) table.dropLists(path);
}

/** Pinned as the table is, rows only come to it meanwhile: those are added at the end. */
async function buildIndex(table: RegionTable, wanted: WantedIndex, pacer: Pacer): Promise<void> {
  const { name, kind, path } = wanted;
  const column = table.column(path);
  if (column === undefined || table.index(name) !== undefined) return;
  const lists = path.slice(1).map((_, depth) => table.lists(path.slice(0, depth + 1)));
  if (lists.includes(undefined)) return;
  const keyOf = (row: number): string => table.rows.keyOf(row);
  const source = { column, lists: lists.filter((list) => list !== undefined), keyOf };
  const index = new ValueIndex(kind, source);
  const { size } = table.rows;
  for (const _ of index.build(size)) if (pacer.isDue()) await pacer.pause();
  if (table.column(path) !== column) return;
  for (let row = size; row < table.rows.size; row += 1) index.add(row);
  table.setIndex(name, path, index);
}

/** Undefined when another query's need of memory cost this one its parts. */
function prepareTable(table: RegionTable, request: PrepareRequest): PreparedTable | undefined {
  const { paths, collections } = request;
  const indexes = new Map((request.indexes ?? []).map(({ name }) => [name, table.index(name)]));
  const columns = new Map(paths.map((path) => [pathKey(path), table.column(path)]));
  const lists = new Map(
    wantedCollections([...collections, ...nestedIn(paths)]).map((path) => [
      pathKey(path),
      table.lists(path),
    ]),
  );
  const parts = [...columns.values(), ...lists.values()];
  if (parts.includes(undefined)) return undefined;
  return {
    rows: table.rows,
    column: (path) => columns.get(pathKey(path)) ?? notAskedFor(path),
    lists: (path) => lists.get(pathKey(path)) ?? notAskedFor(path),
    index: (name) => indexes.get(name),
  };
}

function notAskedFor(path: ColumnPath): never {
  throw new Error(`${pathKey(path)} was not asked for`);
}

function nestedIn(paths: readonly ColumnPath[]): ColumnPath[] {
  return paths.map(collectionPath).filter((path) => path !== undefined);
}

/** The collections, and those they are nested in. */
function wantedCollections(paths: readonly ColumnPath[]): ColumnPath[] {
  const wanted = new Map<string, ColumnPath>();
  for (const path of paths) {
    for (let at: ColumnPath | undefined = path; at !== undefined; at = collectionPath(at)) {
      wanted.set(pathKey(at), at);
    }
  }
  return [...wanted.values()];
}

/** Collections that new parts are below of and that were filled by an earlier build. */
function knownLists(table: RegionTable, parts: readonly ColumnPath[]): [ColumnPath, ItemReplay][] {
  return wantedCollections(nestedIn(parts)).flatMap((path): [ColumnPath, ItemReplay][] => {
    const lists = table.lists(path);
    return lists === undefined ? [] : [[path, new ItemReplay(lists)]];
  });
}

function finishLoading(state: TableState): void {
  state.table.loaded = true;
  const since = state.since ?? 0;
  for (const { change, sequence } of state.pending) {
    if (sequence > since) state.table.apply(change, sequence);
  }
  state.pending.length = 0;
}
