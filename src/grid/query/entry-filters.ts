// Filters on the entries of a region, outside of queries: returns the matching entries of each
// batch. A filter is admitted, yields, is limited in time and reported like a query.

import type { Snapshot } from '../../engine/engine.ts';
import { regionGone } from '../../engine/errors.ts';
import {
  type BoundQuery,
  bindCondition,
  bindParameters,
  type Catalog,
  type FilteredEntries,
  filterEntries,
  isCertainMistake,
  lowMemory,
  type SourceEntry,
} from '../../oql/index.ts';
import type { Moment } from '../history.ts';
import { queryTimeoutMs, toParseLimits } from '../limits.ts';
import type { MayRead } from './query-access.ts';
import { requireReadable, restrictCatalog } from './query-access.ts';
import type { QueryParts, QueryRunnerParts } from './query-parts.ts';
import { createSnapshotSource } from './snapshot-source.ts';

export interface FilterRequest {
  readonly region: string;
  /** For example `total > 100 AND status = 'paid'`. */
  readonly where: string;
  /** The entries are of an earlier moment; absent: they are current. */
  readonly at?: Moment | undefined;
  /** Which regions its subqueries may read; absent: all. */
  readonly mayRead?: MayRead;
  /** Can only lower the limit of the grid. */
  readonly timeoutMs?: number | undefined;
  /** Aborted when the client disconnects; checked between slices. */
  readonly signal: { readonly aborted: boolean };
}

/** A compiled condition on the entries of a region. */
export interface EntryFilter {
  /** One result per batch; the entries and the snapshot are of one moment. */
  apply(
    snapshot: Snapshot,
    batches: AsyncIterable<readonly SourceEntry[]>,
  ): AsyncGenerator<FilteredEntries>;
}

export class EntryFilters {
  readonly #parts: QueryRunnerParts;
  readonly #shared: QueryParts;

  constructor(parts: QueryRunnerParts, shared: QueryParts) {
    this.#parts = parts;
    this.#shared = shared;
  }

  /** Throws when the text is not a valid condition on the region. The time limit starts here. */
  async open(request: FilterRequest): Promise<EntryFilter> {
    await this.#parts.engine.catchUp();
    const startedAt = this.#parts.now();
    const queryTime = this.#parts.wallClock();
    const catalog = await this.#shared.catalog.current();
    // Its text is not to blame when the region was destroyed meanwhile.
    if (catalog.findRegion(request.region) === undefined) throw regionGone(request.region);
    const query = this.#bind(request, catalog);
    // Members of an earlier moment may be in no current document.
    if (request.at === undefined) await this.#refuseMistakes(request, query, catalog, startedAt);
    return {
      apply: (snapshot, batches) =>
        this.#apply({ ...request, query, catalog, startedAt, queryTime }, snapshot, batches),
    };
  }

  #bind({ mayRead, region, where }: FilterRequest, catalog: Catalog): BoundQuery {
    const limits = toParseLimits(this.#parts.limits);
    try {
      const query = bindCondition(where, region, catalog, limits);
      requireReadable(query, mayRead);
      return query;
    } catch (error) {
      // Its errors mention only the regions that it may read.
      if (mayRead !== undefined) {
        bindCondition(where, region, restrictCatalog(catalog, mayRead), limits);
      }
      throw error;
    }
  }

  /** A name in double quotes that no document has is a mistake, as in queries. */
  async #refuseMistakes(
    request: FilterRequest,
    query: BoundQuery,
    catalog: Catalog,
    startedAt: number,
  ): Promise<void> {
    if (!request.where.includes('"')) return;
    const { limits, now } = this.#parts;
    const pause = (): Promise<void> => this.#shared.turns.take();
    const timeoutMs = queryTimeoutMs(limits, request.timeoutMs);
    const { signal } = request;
    const context = { parameters: [], now, pause, timeoutMs, startedAt, signal };
    const unknown = await this.#shared.columns.findUnknownMembers(query, catalog, context);
    const mistake = unknown.find(isCertainMistake);
    if (mistake !== undefined) throw mistake;
  }

  async *#apply(
    filter: FilterRequest & {
      readonly query: BoundQuery;
      readonly catalog: Catalog;
      readonly startedAt: number;
      readonly queryTime: number;
    },
    snapshot: Snapshot,
    batches: AsyncIterable<readonly SourceEntry[]>,
  ): AsyncGenerator<FilteredEntries> {
    const { isMemoryLow, limits, now } = this.#parts;
    const { catalog, query, startedAt, where } = filter;
    if (isMemoryLow()) throw lowMemory(where);
    const timeoutMs = queryTimeoutMs(limits, filter.timeoutMs);
    const { id, signal } = await this.#shared.running.begin({
      oql: where,
      signal: filter.signal,
      deadlineMs: timeoutMs === undefined ? undefined : startedAt + timeoutMs,
      isShort: () => false,
    });
    try {
      const context = {
        parameters: bindParameters(query, [], filter.queryTime),
        now,
        pause: () => this.#shared.turns.take(),
        isMemoryLow,
        timeoutMs,
        startedAt,
        maxRowsKept: limits.maxRowsKept,
        signal,
      };
      yield* filterEntries(query, createSnapshotSource(snapshot, catalog), context, batches);
    } finally {
      this.#shared.running.end(id);
    }
  }
}
