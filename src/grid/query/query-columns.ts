// The columns of all regions, in step with the engine's commits, and queries over them.

import { ColumnStore, type IdleTime } from '../../columns/index.ts';
import type { CommittedChange, Engine } from '../../engine/engine.ts';
import { EngineError } from '../../engine/errors.ts';
import {
  type BoundQuery,
  type Catalog,
  type ColumnSource,
  type Explanation,
  executeQuery,
  explainQuery,
  findUnknownMembers,
  isIndexLookup,
  type OqlError,
  type QuerySource,
  queryCancelled,
  type RunContext,
} from '../../oql/index.ts';
import { type Moment, openPast } from '../past.ts';
import type { KnownQuery } from './compiled-queries.ts';
import { createColumnSource, pinRegions } from './open-columns.ts';
import { type KnownRequest, PointLookups, type PointResult } from './point-lookups.ts';
import { describeIndexes, type RegionIndexes } from './region-indexes.ts';
import { createSnapshotSource } from './snapshot-source.ts';

/** Result rows as JSON, joined by commas. */
export type ResultPiece =
  ReturnType<typeof executeQuery> extends AsyncGenerator<infer Piece> ? Piece : never;

/** What a query reads: the same moment twice, as columns and as rows. */
interface OpenMoment {
  readonly sequence: number;
  readonly columns: ColumnSource;
  readonly source: QuerySource;
  close(): void;
}

function isIndexChange({ kind }: CommittedChange): boolean {
  return kind === 'add-index' || kind === 'drop-index';
}

export class QueryColumns {
  readonly #engine: Engine;
  readonly #wallClock: () => number;
  readonly #store: ColumnStore;
  readonly #points: PointLookups;
  readonly #unsubscribe: () => void;
  /** Raised when an index definition comes or goes: what is being read meanwhile is not kept. */
  #generation = 0;
  #indexes: { readonly catalog: Catalog; readonly indexes: RegionIndexes } | undefined;

  /** Without idle time, changes wait for the next query. */
  constructor(
    engine: Engine,
    budgetBytes: number,
    idle?: IdleTime,
    wallClock: () => number = Date.now,
  ) {
    this.#engine = engine;
    this.#wallClock = wallClock;
    this.#store = new ColumnStore(budgetBytes, engine.stats().sequence, { idle });
    this.#points = new PointLookups(engine, this.#store);
    this.#unsubscribe = engine.subscribe({
      onCommit: (commit) => {
        if (commit.changes.some(isIndexChange)) this.#forgetIndexes();
        this.#store.commit(commit);
      },
      onReset: (sequence) => {
        this.#forgetIndexes();
        this.#store.reset(sequence);
      },
    });
  }

  /**
   * The whole result of a query that an index in memory answers with a few entries; undefined when
   * it has to be executed.
   */
  async findPoint(
    query: BoundQuery,
    catalog: Catalog,
    context: Pick<RunContext, 'form' | 'parameters'>,
  ): Promise<PointResult | undefined> {
    return this.#points.find(query, await this.#readIndexes(catalog), context);
  }

  /** The same for a query that was compiled before; undefined also where something is wrong. */
  findKnownPoint(
    known: KnownQuery,
    catalog: Catalog,
    request: KnownRequest,
  ): PointResult | Promise<PointResult | undefined> | undefined {
    const indexes = this.#indexes;
    if (indexes?.catalog !== catalog) return undefined;
    return this.#points.findKnown(known, indexes.indexes, request);
  }

  /** Whether an index leads a query to its rows, as far as can be told without looking at data. */
  isLookup(query: BoundQuery, catalog: Catalog): boolean {
    const indexes = this.#indexes;
    if (indexes?.catalog !== catalog) return false;
    return isIndexLookup(query, (region) => indexes.indexes.get(region)?.map(({ facts }) => facts));
  }

  /**
   * Runs a query on one snapshot, which is held until the last row was taken. `onOpen` hears the
   * sequence of the snapshot before the first row comes.
   */
  async *execute(
    query: BoundQuery,
    catalog: Catalog,
    context: RunContext,
    options: {
      readonly at?: Moment | undefined;
      readonly onOpen?: (sequence: number) => void;
    } = {},
  ): AsyncGenerator<ResultPiece> {
    const moment = await this.#openAt(query, catalog, context.signal, options.at);
    options.onOpen?.(moment.sequence);
    try {
      yield* executeQuery(query, moment.columns, moment.source, context);
    } finally {
      moment.close();
    }
  }

  /** Members that the query names and no document has, as errors that point at them. */
  async findUnknownMembers(
    query: BoundQuery,
    catalog: Catalog,
    context: RunContext,
  ): Promise<readonly OqlError[]> {
    const moment = await this.#open(query, catalog, context.signal);
    try {
      return await findUnknownMembers(query, moment.columns, context);
    } finally {
      moment.close();
    }
  }

  /** How a query would run, or did run. */
  async explain(
    query: BoundQuery,
    catalog: Catalog,
    context: RunContext,
    mode: 'estimate' | 'analyze',
    at?: Moment,
  ): Promise<Explanation> {
    const moment = await this.#openAt(query, catalog, context.signal, at);
    try {
      return await explainQuery(query, moment.columns, moment.source, context, mode);
    } finally {
      moment.close();
    }
  }

  #forgetIndexes(): void {
    this.#generation += 1;
    this.#indexes = undefined;
  }

  /** As of an earlier moment a query reads rows: columns follow the present. */
  async #openAt(
    query: BoundQuery,
    catalog: Catalog,
    signal: RunContext['signal'],
    at: Moment | undefined,
  ): Promise<OpenMoment> {
    if (at === undefined) return this.#open(query, catalog, signal);
    const parts = { engine: this.#engine, wallClock: this.#wallClock };
    const snapshot = await openPast(parts, query.regions, at, signal);
    return {
      sequence: snapshot.sequence,
      columns: { indexesOf: () => [], openTables: async () => undefined },
      source: createSnapshotSource(snapshot, catalog),
      close: () => snapshot.close(),
    };
  }

  /** Callers have caught up with the engine: changes that come behind the pin cost the query time. */
  async #open(
    query: BoundQuery,
    catalog: Catalog,
    signal: RunContext['signal'],
  ): Promise<OpenMoment> {
    const pins = pinRegions(this.#store, query.regions);
    const release = (): void => {
      for (const pin of pins.values()) pin.release();
    };
    try {
      const indexes = await this.#readIndexes(catalog);
      const snapshot = await this.#engine.openSnapshot(signal);
      return {
        sequence: snapshot.sequence,
        columns: createColumnSource(snapshot, pins, indexes),
        source: createSnapshotSource(snapshot, catalog),
        close: () => {
          snapshot.close();
          release();
        },
      };
    } catch (error) {
      release();
      const isGivenUp = error instanceof EngineError && error.code === 'engine/aborted';
      throw isGivenUp ? queryCancelled(query.text) : error;
    }
  }

  async #readIndexes(catalog: Catalog): Promise<RegionIndexes> {
    const known = this.#indexes;
    if (known !== undefined && known.catalog === catalog) return known.indexes;
    const generation = this.#generation;
    const indexes = describeIndexes(await this.#engine.describeRegions(), catalog);
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
