// Keeps the columns of all regions up to date with commits of the engine, and runs queries over
// them.

import { ColumnStore, type IdleTime } from '../../columns/index.ts';
import type { CommittedChange, Engine, MaybePromise } from '../../engine/engine.ts';
import { EngineError } from '../../engine/errors.ts';
import {
  type BoundQuery,
  type Catalog,
  type ColumnSource,
  type Explanation,
  explainQuery,
  findUnknownMembers,
  type IndexFacts,
  isIndexLookup,
  type OqlError,
  queryCancelled,
  type RunContext,
} from '../../oql/index.ts';
import { type Moment, openSnapshotAt } from '../history.ts';
import type { KnownQuery } from './compiled-queries.ts';
import { IndexUses } from './index-uses.ts';
import { createColumnSource, pinRegions } from './open-columns.ts';
import { type KnownRequest, PointLookups, type PointResult } from './point-lookups.ts';
import { ColumnReadPoint, type ReadPoint, ReadPointPassed, readPointOf } from './read-point.ts';
import { RegionHandles } from './region-handles.ts';
import { describeIndexes, type RegionIndexes } from './region-indexes.ts';
import { type QueryAt, type ResultPiece, runAt } from './run-at.ts';
import { createReadPointSource } from './snapshot-source.ts';

interface OpenReadPoint {
  readonly readPoint: ReadPoint;
  readonly columns: ColumnSource;
  close(): void;
}

export class QueryColumns {
  readonly indexUses: IndexUses;
  readonly #engine: Engine;
  readonly #wallClock: () => number;
  readonly #store: ColumnStore;
  readonly #handles: RegionHandles;
  readonly #points: PointLookups;
  /** Queries that read more of the store than a few entries: they begin with a snapshot. */
  readonly #snapshotQueries = new WeakSet<BoundQuery>();
  readonly #unsubscribe: () => void;
  /** Incremented when an index is created or dropped, so that a read in progress is not cached. */
  #generation = 0;
  #indexes: { readonly catalog: Catalog; readonly indexes: RegionIndexes } | undefined;

  /** Without idle time, changes stay pending until the next query. */
  constructor(
    engine: Engine,
    budgetBytes: number,
    idle?: IdleTime,
    wallClock: () => number = Date.now,
  ) {
    this.#engine = engine;
    this.#wallClock = wallClock;
    this.#store = new ColumnStore(budgetBytes, engine.stats().sequence, { idle });
    this.#handles = new RegionHandles(engine);
    this.indexUses = new IndexUses(wallClock);
    this.#points = new PointLookups(this.#handles, this.#store, this.indexUses);
    this.#unsubscribe = engine.subscribe({
      onCommit: (commit) => {
        for (const change of commit.changes) this.#applyToIndexes(change);
        this.#store.commit(commit);
      },
      onReset: (sequence) => {
        this.#forgetIndexes();
        this.#store.reset(sequence);
      },
    });
  }

  /**
   * The complete result of a query that an index in memory answers with a few entries; undefined
   * when it must be executed.
   */
  async findPoint(
    query: BoundQuery,
    catalog: Catalog,
    context: Pick<RunContext, 'form' | 'parameters'>,
  ): Promise<PointResult | undefined> {
    return this.#points.find(query, await this.#readIndexes(catalog), context);
  }

  /** `findPoint` for a query that was compiled before; undefined for errors too. */
  findKnownPoint(
    known: KnownQuery,
    catalog: Catalog,
    request: KnownRequest,
  ): MaybePromise<PointResult | undefined> {
    const indexes = this.#indexes;
    if (indexes?.catalog !== catalog) return undefined;
    return this.#points.findKnown(known, indexes.indexes, request);
  }

  /** Whether a query finds its rows by an index, as far as is known without reading data. */
  isLookup(query: BoundQuery, catalog: Catalog): boolean {
    const indexes = this.#indexes;
    if (indexes?.catalog !== catalog) return false;
    return isIndexLookup(query, (region) => indexes.indexes.get(region)?.map(({ facts }) => facts));
  }

  /**
   * Runs a query at one commit. Calls `onOpen` with the sequence of that commit before the first
   * row. The caller has called `Engine.catchUp`.
   */
  async *execute(
    query: BoundQuery,
    catalog: Catalog,
    context: RunContext,
    { at, onOpen }: { readonly at?: Moment | undefined; readonly onOpen?: QueryAt['onOpen'] } = {},
  ): AsyncGenerator<ResultPiece> {
    if (at === undefined && !this.#snapshotQueries.has(query)) {
      yield* this.#executeFromMemory({ query, catalog, onOpen }, context);
      return;
    }
    const { close, columns, readPoint } = await this.#openAt(query, catalog, context.signal, at);
    try {
      yield* runAt({ query, catalog, columns: this.#count(columns), readPoint, onOpen }, context);
    } finally {
      close();
    }
  }

  /** At the last commit that the columns include; through a snapshot if columns are not enough. */
  async *#executeFromMemory(
    { query, ...run }: Pick<QueryAt, 'query' | 'catalog' | 'onOpen'>,
    context: RunContext,
  ): AsyncGenerator<ResultPiece> {
    const { catalog } = run;
    const indexes = await this.#readIndexes(catalog);
    const pins = pinRegions(this.#store, query.regions);
    const readPoint = new ColumnReadPoint({
      engine: this.#engine,
      sequence: this.#store.sequence,
      catalog,
      handles: this.#handles,
      signal: context.signal,
    });
    const runIn = (readPoint: ReadPoint): AsyncGenerator<ResultPiece> => {
      const columns = this.#count(createColumnSource(readPoint, pins, indexes));
      return runAt({ ...run, query, readPoint, columns }, context);
    };
    try {
      yield* runIn(readPoint);
    } catch (error) {
      const { opened } = readPoint;
      if (!(error instanceof ReadPointPassed) || opened === undefined)
        throw asQueryError(error, query);
      yield* runIn(readPointOf(opened, catalog));
    } finally {
      if (readPoint.needsSnapshot) this.#snapshotQueries.add(query);
      readPoint.opened?.close();
      for (const pin of pins.values()) pin.release();
    }
  }

  /** Counts the use of indexes, for a query that runs. */
  #count(columns: ColumnSource): ColumnSource {
    return { ...columns, onIndexUsed: (index: IndexFacts) => this.indexUses.count(index) };
  }

  /** Members that the query names and no document has, as errors that point at them. */
  async findUnknownMembers(
    query: BoundQuery,
    catalog: Catalog,
    context: RunContext,
  ): Promise<readonly OqlError[]> {
    const { close, columns } = await this.#open(query, catalog, context.signal);
    try {
      return await findUnknownMembers(query, columns, context);
    } finally {
      close();
    }
  }

  /** The plan of a query, estimated or measured. */
  async explain(
    query: BoundQuery,
    catalog: Catalog,
    context: RunContext,
    mode: 'estimate' | 'analyze',
    at?: Moment,
  ): Promise<Explanation> {
    const { close, columns, readPoint } = await this.#openAt(query, catalog, context.signal, at);
    try {
      const source = createReadPointSource(readPoint, catalog);
      return await explainQuery(query, { columns, source, context }, mode);
    } finally {
      close();
    }
  }

  #applyToIndexes(change: CommittedChange): void {
    if (change.kind === 'put' || change.kind === 'remove') return;
    if (change.kind === 'add-index' || change.kind === 'drop-index') this.#forgetIndexes();
    this.indexUses.apply(change);
  }

  #forgetIndexes(): void {
    this.#generation += 1;
    this.#indexes = undefined;
  }

  /**
   * Opens an earlier moment. The query reads rows from a snapshot, because columns have only the
   * current state.
   */
  async #openAt(
    query: BoundQuery,
    catalog: Catalog,
    signal: RunContext['signal'],
    at: Moment | undefined,
  ): Promise<OpenReadPoint> {
    if (at === undefined) return this.#open(query, catalog, signal);
    const parts = { engine: this.#engine, wallClock: this.#wallClock };
    const snapshot = await openSnapshotAt(parts, query.regions, at, signal);
    const readPoint = readPointOf(snapshot, catalog);
    return {
      readPoint,
      columns: createColumnSource(readPoint, new Map()),
      close: () => snapshot.close(),
    };
  }

  /** The caller has called `Engine.catchUp`. Changes that arrive after the pin delay the query. */
  async #open(
    query: BoundQuery,
    catalog: Catalog,
    signal: RunContext['signal'],
  ): Promise<OpenReadPoint> {
    const pins = pinRegions(this.#store, query.regions);
    const release = (): void => {
      for (const pin of pins.values()) pin.release();
    };
    try {
      const indexes = await this.#readIndexes(catalog);
      const snapshot = await this.#engine.openSnapshot(signal);
      const readPoint = readPointOf(snapshot, catalog);
      return {
        readPoint,
        columns: createColumnSource(readPoint, pins, indexes),
        close: () => {
          snapshot.close();
          release();
        },
      };
    } catch (error) {
      release();
      throw asQueryError(error, query);
    }
  }

  async #readIndexes(catalog: Catalog): Promise<RegionIndexes> {
    const known = this.#indexes;
    if (known !== undefined && known.catalog === catalog) return known.indexes;
    const generation = this.#generation;
    const indexes = describeIndexes(await this.#engine.describeRegions(), catalog);
    this.indexUses.register(indexes);
    if (generation === this.#generation) this.#indexes = { catalog, indexes };
    return indexes;
  }

  /** Memory in use. */
  sizeBytes(): number {
    return this.#store.sizeBytes();
  }

  close(): void {
    this.#unsubscribe();
  }
}

/** Turns a timeout of the snapshot into an error of the query. */
function asQueryError(error: unknown, { text }: BoundQuery): unknown {
  const isAborted = error instanceof EngineError && error.code === 'engine/aborted';
  return isAborted ? queryCancelled(text) : error;
}
