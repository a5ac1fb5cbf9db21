// One run of a query: compile, bind, take a snapshot, execute, print. A query that was compiled
// before and that an index in memory answers takes none of these steps.

import type { MaybePromise } from '../../engine/engine.ts';
import type { IndexDefinition } from '../../engine/index-definition.ts';
import {
  type BoundQuery,
  bindParameters,
  type Catalog,
  type Explanation,
  isCertainMistake,
  lowMemory,
  OqlError,
  type ParameterRequest,
  type ResultColumns,
  type RunContext,
  resultColumns,
  type TimeSlice,
} from '../../oql/index.ts';
import type { ResultForm } from '../../value/result-form.ts';
import { andThen } from '../and-then.ts';
import { GridError } from '../errors.ts';
import type { Moment } from '../history.ts';
import { queryTimeoutMs } from '../limits.ts';
import type { PointResult } from './point-lookups.ts';
import { type MayRead, mayReadAll } from './query-access.ts';
import type { AdmittedQuery } from './query-admission.ts';
import type { QueryColumns } from './query-columns.ts';
import { outcomeOf } from './query-outcome.ts';
import { openQueryParts, type QueryParts, type QueryRunnerParts } from './query-parts.ts';
import { QueryStatistics } from './query-statistics.ts';
import { requireUsable } from './region-indexes.ts';
import type { ResultPiece } from './run-at.ts';

/** The facts about a result that are known before its rows. */
export interface BegunQuery {
  /** The commit that it shows. */
  readonly sequence: number;
  readonly columns: ResultColumns | undefined;
}

export interface QueryRequest {
  readonly oql: string;
  /** Absent for an ad-hoc query. */
  readonly queryId?: string;
  readonly parameters: readonly ParameterRequest[];
  /** The treatment of surplus parameters; absent: they are refused. */
  readonly surplus?: 'ignored';
  /** The form of rows; absent: that of the service's own API. */
  readonly form?: ResultForm;
  /** Which regions it may read; absent: all. */
  readonly mayRead?: MayRead;
  /** Whether members that no document has are errors, and not only warnings. */
  readonly isStrict?: boolean | undefined;
  /** Called before the first piece with warnings about the query, if there are any. */
  readonly onWarnings?: ((warnings: readonly string[]) => void) | undefined;
  /** Called before the first piece. */
  readonly onBegin?: ((begun: BegunQuery) => void) | undefined;
  /** Can only lower the limit of the grid. */
  readonly timeoutMs?: number | undefined;
  /** The requested moment; absent: now. */
  readonly at?: Moment | undefined;
  /** Aborted when the client disconnects; checked between slices. */
  readonly signal: { readonly aborted: boolean };
}

/** A text to check without running it. */
export type CheckRequest = Pick<QueryRequest, 'oql' | 'mayRead' | 'isStrict'>;

interface PreparedQuery {
  readonly catalog: Catalog;
  readonly query: BoundQuery;
  readonly context: RunContext & { readonly slice: TimeSlice };
}

/** A query that took at most this long counts as short next time. */
const SHORT_MS = 20;

const encoder = new TextEncoder();

export class QueryRunner {
  /** For live queries, which run without a request. */
  readonly shared: QueryParts;
  readonly statistics: QueryStatistics = new QueryStatistics();
  readonly #parts: QueryRunnerParts;
  /** Queries without unknown members. */
  readonly #withoutUnknownMembers = new WeakSet<BoundQuery>();
  /** Duration of the last run of each query. */
  readonly #durations = new WeakMap<BoundQuery, number>();

  constructor(parts: QueryRunnerParts) {
    this.#parts = parts;
    this.shared = openQueryParts(parts);
  }

  /** Refuses a text that does not compile; returns warnings otherwise. */
  async check(request: CheckRequest): Promise<readonly string[]> {
    const { limits, now } = this.#parts;
    await this.#parts.engine.catchUp();
    const catalog = await this.shared.catalog.current();
    const query = this.shared.compiled.compile(request.oql, catalog, request.mayRead);
    const pause = (): Promise<void> => this.shared.turns.take();
    const timeoutMs = queryTimeoutMs(limits, undefined);
    const context = { parameters: [], now, pause, timeoutMs, startedAt: now() };
    return this.#findWarnings(request, query, catalog, context);
  }

  /** Refuses an invalid index definition, or one that no query could use. */
  async checkIndex(definition: IndexDefinition, region: string): Promise<void> {
    await this.#parts.engine.catchUp();
    requireUsable(definition, region, await this.shared.catalog.current());
  }

  /**
   * The result as JSON elements joined by commas: a string for a point query that an index in
   * memory answers, else a stream of pieces.
   */
  answer(request: QueryRequest): MaybePromise<string | AsyncGenerator<Uint8Array>> {
    const startedMs = this.#parts.now();
    const found = andThen(this.#parts.engine.catchUp(), () => this.#tryKnownPoint(request));
    return andThen(found, (result) => {
      if (result === undefined) return this.#run(request);
      const { json, rows } = result;
      this.#report(request, undefined, { rows, ms: this.#parts.now() - startedMs, waitedMs: 0 });
      return json;
    });
  }

  /**
   * Pieces of the result: JSON elements joined by commas, each piece with a buffer of its own. Errors
   * before the first row are thrown with the first piece. Leaving the loop early ends the query.
   */
  async *run(request: QueryRequest): AsyncGenerator<Uint8Array> {
    await this.#parts.engine.catchUp();
    yield* this.#run(request);
  }

  async *#run(request: QueryRequest): AsyncGenerator<Uint8Array> {
    const startedMs = this.#parts.now();
    let rows = 0;
    let waitedMs = 0;
    let failure: unknown;
    try {
      const prepared = await this.#prepare(request);
      const { catalog, query, context } = prepared;
      const point =
        request.at !== undefined || this.#mayNameUnknownMember(query)
          ? undefined
          : await this.shared.columns.findPoint(query, catalog, context);
      const columns = resultColumns(query);
      if (point !== undefined) {
        request.onBegin?.({ sequence: this.#parts.engine.stats().sequence, columns });
        rows = point.rows;
        if (rows > 0) yield encoder.encode(point.json);
        return;
      }
      const admitted = await this.#begin(request, prepared);
      waitedMs = admitted.waitedMs;
      await this.#warn(request, prepared, admitted);
      const onOpen = (sequence: number): void => request.onBegin?.({ sequence, columns });
      const options = { at: request.at, onOpen };
      for await (const piece of this.#execute(prepared, admitted, options)) {
        rows += piece.rows;
        yield piece.json;
      }
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      const ms = this.#parts.now() - startedMs;
      this.#report(request, failure, { rows, ms, waitedMs });
    }
  }

  /**
   * The result of a point query if it, or one with another literal, was compiled before. Undefined
   * for all others and for errors, which `run` reports with positions in this text.
   */
  #tryKnownPoint(request: QueryRequest): MaybePromise<PointResult | undefined> {
    try {
      const point = this.#findKnownPoint(request);
      return point instanceof Promise ? point.catch(() => undefined) : point;
    } catch {
      return undefined;
    }
  }

  #findKnownPoint(request: QueryRequest): MaybePromise<PointResult | undefined> {
    const catalog = this.shared.catalog.known;
    if (catalog === undefined || this.#parts.isMemoryLow()) return undefined;
    if (request.at !== undefined) return undefined;
    const known = this.shared.compiled.find(request.oql, catalog);
    if (known === undefined || !mayReadAll(known.query, request.mayRead)) return undefined;
    if (this.#mayNameUnknownMember(known.query)) return undefined;
    return this.shared.columns.findKnownPoint(known, catalog, request);
  }

  async *#execute(
    { catalog, query, context }: PreparedQuery,
    { id, signal }: AdmittedQuery,
    options: Parameters<QueryColumns['execute']>[3],
  ): AsyncGenerator<ResultPiece> {
    const { now } = this.#parts;
    const begun = now();
    try {
      yield* this.shared.columns.execute(query, catalog, { ...context, signal }, options);
      this.#durations.set(query, now() - begun);
    } finally {
      this.shared.running.end(id);
    }
  }

  /** A name in double quotes that no document has is a mistake, which must be found before it runs. */
  #mayNameUnknownMember(query: BoundQuery): boolean {
    return query.text.includes('"') && !this.#withoutUnknownMembers.has(query);
  }

  /**
   * Warns of members that no document has: when a query runs for the first time, and while there
   * are some. Releases the slot of the query when this throws.
   */
  async #warn(
    request: QueryRequest,
    { catalog, query, context }: PreparedQuery,
    { id, signal }: AdmittedQuery,
  ): Promise<void> {
    // A dialect has no warnings. For an earlier moment, current documents say nothing about
    // members.
    const hasNoWarnings = request.form !== undefined || request.at !== undefined;
    if (hasNoWarnings || this.#withoutUnknownMembers.has(query)) return;
    try {
      const run = { ...context, signal };
      const warnings = await this.#findWarnings(request, query, catalog, run);
      if (warnings.length > 0) request.onWarnings?.(warnings);
    } catch (error) {
      this.shared.running.end(id);
      throw error;
    }
  }

  async #findWarnings(
    { isStrict }: Pick<QueryRequest, 'isStrict'>,
    query: BoundQuery,
    catalog: Catalog,
    context: RunContext,
  ): Promise<readonly string[]> {
    const unknown = await this.shared.columns.findUnknownMembers(query, catalog, context);
    if (unknown.length === 0) this.#withoutUnknownMembers.add(query);
    const mistake = isStrict === true ? unknown[0] : unknown.find(isCertainMistake);
    if (mistake !== undefined) throw mistake;
    return unknown.map(warningOf);
  }

  /** Waits for a slot, and for a turn if other queries have used up the current round. */
  async #begin(
    request: QueryRequest,
    { catalog, query, context }: PreparedQuery,
  ): Promise<AdmittedQuery> {
    const { startedAt = 0, timeoutMs } = context;
    const admitted = this.shared.running.begin({
      ...request,
      deadlineMs: timeoutMs === undefined ? undefined : startedAt + timeoutMs,
      isShort: () => this.#isShort(query, catalog),
    });
    if (!(admitted instanceof Promise) && this.shared.turns.mayBegin()) return admitted;
    const waited = await admitted;
    await this.shared.turns.take();
    context.slice.startedAt = this.#parts.now();
    return waited;
  }

  /** Decides by the last duration of the query, else by whether it uses an index. */
  #isShort(query: BoundQuery, catalog: Catalog): boolean {
    const lastMs = this.#durations.get(query);
    return lastMs === undefined ? this.shared.columns.isLookup(query, catalog) : lastMs <= SHORT_MS;
  }

  /** The plan of a query; `analyze` runs it and adds measurements. */
  async explain(request: QueryRequest, mode: 'estimate' | 'analyze'): Promise<Explanation> {
    await this.#parts.engine.catchUp();
    const prepared = await this.#prepare(request);
    const { catalog, query, context } = prepared;
    const { id, signal } = await this.#begin(request, prepared);
    try {
      const run = { ...context, signal };
      const { at } = request;
      const warnings =
        at === undefined ? await this.#findWarnings(request, query, catalog, run) : [];
      return { ...(await this.shared.columns.explain(query, catalog, run, mode, at)), warnings };
    } finally {
      this.shared.running.end(id);
    }
  }

  async #prepare(request: QueryRequest): Promise<PreparedQuery> {
    const { limits, now, isMemoryLow } = this.#parts;
    const startedAt = now();
    const pause = (): Promise<void> => this.shared.turns.take();
    const catalog = await this.shared.catalog.current();
    const { at, mayRead, oql } = request;
    const query =
      at === undefined
        ? this.shared.compiled.compile(oql, catalog, mayRead)
        : this.shared.compiled.compileForHistory(oql, catalog, mayRead);
    const { named, numbered } = query.parameters;
    const maxParameters = request.surplus === 'ignored' ? numbered + named.length : undefined;
    const accepted = request.parameters.slice(0, maxParameters);
    const parameters = bindParameters(query, accepted, this.#parts.wallClock());
    if (isMemoryLow()) throw lowMemory(request.oql);
    const timeoutMs = queryTimeoutMs(limits, request.timeoutMs);
    return {
      catalog,
      query,
      context: {
        parameters,
        now,
        pause,
        isMemoryLow,
        timeoutMs,
        startedAt,
        slice: { startedAt },
        maxRowsKept: limits.maxRowsKept,
        form: request.form,
      },
    };
  }

  #report(
    request: QueryRequest,
    failure: unknown,
    figures: { readonly rows: number; readonly ms: number; readonly waitedMs: number },
  ): void {
    const { oql, queryId } = request;
    const outcome = outcomeOf(failure);
    const isOurs = failure instanceof OqlError || failure instanceof GridError;
    const code = isOurs ? failure.code : undefined;
    const { ms, rows, waitedMs } = figures;
    this.statistics.add({ oql, queryId, outcome, code, rows, ms, at: this.#parts.wallClock() });
    this.#parts.observe({ kind: 'query-finished', queryId, outcome, code, rows, ms, waitedMs });
  }

  close(): void {
    this.shared.catalog.close();
    this.shared.columns.close();
  }
}

/** The error with its position and hint, without the text of the query. */
function warningOf({ message, hint }: OqlError): string {
  const [reason = message] = message.split('\n', 1);
  return hint === undefined ? reason : `${reason}. ${hint}`;
}
