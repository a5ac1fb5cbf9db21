// Every use case of the service as one method: the table of contents. Knows no
// HTTP; knows the store only through the engine port.

import type { MaybePromise, RegionDefinition, RegionDescription } from '../engine/engine.ts';
import type { EngineHealth, EngineStats } from '../engine/engine-stats.ts';
import type { LiveFigures } from '../observe/live-metrics.ts';
import type { Catalog, Explanation } from '../oql/index.ts';
import { andThen } from './and-then.ts';
import { BulkLoad } from './bulk-load.ts';
import type { ChangeFeed } from './changes/change-feed.ts';
import { ChangeFeeds, type FeedRequest } from './changes/change-feeds.ts';
import { noRegions, regionExists, regionNotFound } from './errors.ts';
import { Expiry } from './expiry.ts';
import type { GridRegion } from './grid-region.ts';
import type { Moment } from './history.ts';
import { Indexes, type NewIndex, type UsedIndex } from './indexes.ts';
import { LiveQueries, type LiveRequest } from './live/live-queries.ts';
import type { LiveStream } from './live/live-stream.ts';
import { NamedQueries, type NamedQuery, QUERIES_REGION } from './named-queries.ts';
import { EntryFilters, type FilterRequest } from './query/entry-filters.ts';
import type { RunningQuery } from './query/query-admission.ts';
import type { QueryRunnerParts } from './query/query-parts.ts';
import { type CheckRequest, type QueryRequest, QueryRunner } from './query/query-runner.ts';
import type { FinishedQuery, NamedQueryStatistics } from './query/query-statistics.ts';
import { RegionStates } from './query/region-states.ts';
import { RegionDirectory } from './region-directory.ts';
import { openRegionPage, type PageRequest, type RegionPage } from './region-page.ts';
import {
  isReservedRegion,
  type NewRegion,
  refuseSettings,
  reservedRegion,
  toRegionDefinition,
} from './region-rules.ts';
import { openSnapshotOf } from './region-scan.ts';
import { checkTtls, parseAlteration, type SettingsRequest } from './region-settings.ts';
import type { RegionSchema } from './schema/infer-schema.ts';
import { inferSchema } from './schema/sample-region.ts';
import { StoredAnswers } from './stored-answers.ts';
import {
  type KeepAnswer,
  type Transaction,
  type TransactionResult,
  TransactionRun,
} from './transaction.ts';
import { showIndexes, UniqueIndexes } from './unique/unique-indexes.ts';
import type { UniqueParts } from './unique/unique-rules.ts';

/** A page of a region, with the text of a condition on its entries. */
export interface OpenPageRequest extends Omit<PageRequest, 'filter'> {
  readonly region: string;
  /** The requested moment; absent: now. */
  readonly at?: Moment | undefined;
  readonly filter: Omit<FilterRequest, 'region'> | undefined;
}

export interface GridParts extends QueryRunnerParts {
  /** Addresses of this member, as they are now. */
  readonly servers: () => readonly string[];
}

export class Grid {
  readonly #parts: GridParts & UniqueParts;
  readonly #queries: NamedQueries;
  readonly #regions: RegionDirectory;
  readonly #runner: QueryRunner;
  readonly #filters: EntryFilters;
  readonly #states: RegionStates;
  readonly #indexes: Indexes;
  readonly #live: LiveQueries;
  readonly #storedAnswers: StoredAnswers;
  readonly #feeds: ChangeFeeds;
  /** Unique indexes; `resume` completes builds that a crash interrupted. */
  readonly unique: UniqueIndexes;
  /** The expiry of entries; `start` begins to remove them. */
  readonly expiry: Expiry;

  /** Creates missing reserved regions. The caller closes the engine. */
  static async open(parts: GridParts): Promise<Grid> {
    const { engine } = parts;
    await engine.createRegion(reservedRegion(QUERIES_REGION));
    const queries = await engine.openRegion(QUERIES_REGION);
    if (queries === undefined) throw new Error(`The engine has no region ${QUERIES_REGION}`);
    const grid = new Grid(parts, new NamedQueries(engine, queries, parts.limits.maxValueBytes));
    await grid.expiry.open();
    return grid;
  }

  private constructor(parts: GridParts, queries: NamedQueries) {
    this.#queries = queries;
    this.unique = new UniqueIndexes(parts);
    this.#parts = { ...parts, unique: this.unique.rules };
    this.expiry = new Expiry(this.#parts);
    const onCleared = (region: string): void => this.unique.purge(region);
    this.#regions = new RegionDirectory({ ...this.#parts, expiry: this.expiry, onCleared });
    this.#runner = new QueryRunner(parts);
    this.#live = new LiveQueries(parts, this.#runner.shared, (text) => this.#runner.check(text));
    this.#storedAnswers = new StoredAnswers({ ...parts, keepMs: parts.limits.keepAnswersMs });
    this.#filters = new EntryFilters(parts, this.#runner.shared);
    this.#states = new RegionStates(parts.engine, this.#runner.shared);
    const catalog = (): Promise<Catalog> => this.#runner.shared.catalog.current();
    this.#feeds = new ChangeFeeds({ ...parts, catalog });
    this.#indexes = new Indexes({
      engine: parts.engine,
      describe: (region) => this.describeRegion(region),
      check: (definition, region) => this.#runner.checkIndex(definition, region),
      findUse: (region, index) => this.#runner.shared.columns.indexUses.find(region, index),
      unique: this.unique,
    });
  }

  /** Stops using the engine, which the caller closes. */
  close(): void {
    void this.expiry.close();
    this.unique.close();
    this.#live.close();
    this.#feeds.close();
    this.#runner.close();
    this.#states.close();
    this.#queries.close();
    this.#regions.close();
  }

  // Regions

  /** Spec 4.1: an empty list is an error, also if no region is visible. */
  async listRegions(
    isVisible: (name: string) => boolean = () => true,
  ): Promise<readonly RegionDescription[]> {
    const regions = (await this.describeRegions()).filter(({ name }) => isVisible(name));
    if (regions.length === 0) throw noRegions();
    return regions;
  }

  async describeRegions(): Promise<readonly RegionDescription[]> {
    const regions = await this.#parts.engine.describeRegions();
    return regions.filter(({ name }) => !isReservedRegion(name)).map(showIndexes);
  }

  async describeRegion(name: string): Promise<RegionDescription> {
    const regions = await this.describeRegions();
    const found = regions.find((region) => region.name === name);
    if (found === undefined) throw await this.#regionNotFound(name);
    return found;
  }

  /** The schema of a region, inferred from this many documents. */
  async inferSchema(name: string, sample: number): Promise<RegionSchema> {
    const { engine, pause } = this.#parts;
    await this.region(name);
    return inferSchema(engine, name, sample, pause);
  }

  /** The entries of a region; synchronous if it was opened before and cannot be stale. */
  region(name: string): GridRegion | Promise<GridRegion> {
    return andThen(
      this.#parts.engine.catchUp(),
      () => this.#regions.find(name) ?? this.#openRegion(name),
    );
  }

  /** A page of entries in key order. Throws for an unknown region or an invalid condition. */
  async openPage({ at, filter, region, ...request }: OpenPageRequest): Promise<RegionPage> {
    const { name, definition } = await this.region(region);
    const opened = filter && (await this.#filters.open({ ...filter, at, region: name }));
    const { now, pause } = this.#parts;
    const snapshot = await openSnapshotOf(this.#parts, name, at, filter?.signal);
    return openRegionPage(
      {
        snapshot,
        region: name,
        now,
        pause,
        hasExpiry: at === undefined && this.expiry.mayExpire(name),
      },
      // A region of that type has no entries to test, and queries refuse to read it.
      { ...request, filter: definition.type === 'EMPTY' ? undefined : opened },
    );
  }

  async createRegion(request: NewRegion): Promise<void> {
    const definition = toRegionDefinition(request);
    if ((await this.#parts.engine.createRegion(definition)) === 'exists') {
      throw regionExists(definition.name);
    }
    this.#parts.observe({ kind: 'region-created', region: definition.name });
  }

  /** Alters history and times to live; absent members stay. */
  async alterRegion(name: string, request: SettingsRequest): Promise<RegionDescription> {
    const alteration = parseAlteration(request);
    const current = await this.describeRegion(name);
    if (current.type === 'EMPTY') refuseSettings(alteration);
    checkTtls(alteration, current);
    if ((await this.#parts.engine.alterRegion(name, alteration)) === 'missing') {
      throw await this.#regionNotFound(name);
    }
    this.#parts.observe({ kind: 'region-altered', region: name });
    return this.describeRegion(name);
  }

  async destroyRegion(name: string): Promise<void> {
    const outcome = isReservedRegion(name)
      ? 'missing'
      : await this.#parts.engine.destroyRegion(name);
    if (outcome === 'missing') throw await this.#regionNotFound(name);
    await this.unique.release();
    this.#parts.observe({ kind: 'region-destroyed', region: name });
  }

  // Entries of several regions

  /** All operations as one commit, or none of them. */
  async transact(transaction: Transaction, keep?: KeepAnswer): Promise<TransactionResult> {
    const definitions = new Map<string, RegionDefinition>();
    for (const { region } of [...transaction.conditions, ...transaction.operations]) {
      if (!definitions.has(region)) definitions.set(region, (await this.region(region)).definition);
    }
    const run = new TransactionRun(this.#parts, transaction, definitions);
    return keep === undefined ? run.run() : run.runOnce(keep);
  }

  /** Many writes to one region, each on its own. */
  async bulkLoad(region: string): Promise<BulkLoad> {
    const { definition } = await this.region(region);
    return new BulkLoad(this.#parts, definition);
  }

  /** Answers to requests with an idempotency key. */
  get storedAnswers(): StoredAnswers {
    return this.#storedAnswers;
  }

  // Changes

  /** The changes of regions, from a position in the log. */
  openFeed(request: FeedRequest): Promise<ChangeFeed> {
    return this.#feeds.open(request);
  }

  // Named queries

  /** Each as the JSON text `{"id","oql"}`, by id. */
  listQueries(isVisible: (id: string) => boolean = () => true): Promise<readonly string[]> {
    return this.#queries.list(isVisible);
  }

  /** As the JSON text `{"id","oql"}`. */
  readQuery(id: string): Promise<string> {
    return this.#queries.requireJson(id);
  }

  async createQuery(query: NamedQuery): Promise<void> {
    await this.#queries.create(query);
    this.#parts.observe({ kind: 'named-query-changed', queryId: query.id, change: 'created' });
  }

  async updateQuery(query: NamedQuery): Promise<void> {
    await this.#queries.update(query);
    this.#parts.observe({ kind: 'named-query-changed', queryId: query.id, change: 'updated' });
  }

  async deleteQuery(id: string): Promise<void> {
    await this.#queries.remove(id);
    this.#parts.observe({ kind: 'named-query-changed', queryId: id, change: 'deleted' });
  }

  /** The text, to be run; synchronous if it was run before. */
  readQueryText(id: string): string | Promise<string> {
    return this.#queries.requireOql(id);
  }

  // Running queries

  /** Refuses a text that does not compile; returns warnings otherwise. */
  checkQuery(request: CheckRequest): Promise<readonly string[]> {
    return this.#runner.check(request);
  }

  /**
   * The result as JSON elements joined by commas: a string for a point query that an index in
   * memory answers, else a stream of pieces.
   */
  answerQuery(request: QueryRequest): MaybePromise<string | AsyncGenerator<Uint8Array>> {
    return this.#runner.answer(request);
  }

  /** The state that a result depends on, besides the text; undefined if the time matters too. */
  describeState(request: Pick<QueryRequest, 'oql' | 'mayRead'>): Promise<string | undefined> {
    return this.#states.describe(request);
  }

  /** Pieces of the result: JSON elements joined by commas. */
  runQuery(request: QueryRequest): AsyncGenerator<Uint8Array> {
    return this.#runner.run(request);
  }

  /** The plan of a query; with `analyze`, measured by running it. */
  explainQuery(request: QueryRequest, mode: 'estimate' | 'analyze'): Promise<Explanation> {
    return this.#runner.explain(request, mode);
  }

  /** The store's current failures. */
  health(): EngineHealth {
    return this.#parts.engine.health();
  }

  listRunningQueries(): readonly RunningQuery[] {
    return this.#runner.shared.running.list();
  }

  /** Statistics of queries on this server since it started. */
  queryStatistics(): {
    readonly named: readonly NamedQueryStatistics[];
    readonly slow: readonly FinishedQuery[];
  } {
    const { statistics } = this.#runner;
    return {
      named: statistics.listNamed(),
      slow: statistics.listSlow(this.#parts.wallClock()),
    };
  }

  countQueries(state: RunningQuery['state']): number {
    return this.listRunningQueries().filter((query) => query.state === state).length;
  }

  cancelQuery(id: string): void {
    this.#runner.shared.running.cancel(id);
  }

  /** A consumer of a live query; the caller closes it. */
  openLiveQuery(request: LiveRequest): Promise<LiveStream> {
    return this.#live.open(request);
  }

  liveFigures(): LiveFigures {
    return this.#live.figures();
  }

  // Indexes

  async createIndex(region: string, request: NewIndex): Promise<void> {
    await this.#indexes.create(region, request);
    this.#parts.observe({ kind: 'index-created', region, index: request.name });
  }

  /** With usage figures of queries on this server. */
  listIndexes(region: string): Promise<readonly UsedIndex[]> {
    return this.#indexes.list(region);
  }

  describeIndex(region: string, index: string): Promise<UsedIndex> {
    return this.#indexes.require(region, index);
  }

  async dropIndex(region: string, index: string): Promise<void> {
    await this.#indexes.drop(region, index);
    this.#parts.observe({ kind: 'index-dropped', region, index });
  }

  // Members

  /** Of this server. */
  get address(): string {
    return this.#parts.servers()[0] ?? '';
  }

  /** Addresses of all servers of the store if the engine knows them, else of this one. */
  async listServers(): Promise<readonly string[]> {
    return (await this.#parts.engine.listServers()) ?? this.#parts.servers();
  }

  stats(): EngineStats {
    return this.#parts.engine.stats();
  }

  async #openRegion(name: string): Promise<GridRegion> {
    const region = await this.#regions.open(name);
    if (region === undefined) throw await this.#regionNotFound(name);
    return region;
  }

  async #regionNotFound(name: string): Promise<Error> {
    const regions = await this.describeRegions();
    return regionNotFound(
      name,
      regions.map((region) => region.name),
    );
  }
}
