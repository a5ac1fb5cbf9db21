// One complete run of a live query: its rows with their identities, and their sequence. It waits
// for a slot like all other queries, yields to them, and has a limit on rows.

import {
  type BoundQuery,
  bindParameters,
  type Catalog,
  type IdentifiedQuery,
  identifyRows,
  lowMemory,
  OqlError,
  type ParameterRequest,
  type RunContext,
} from '../../oql/index.ts';
import { splitArray } from '../../value/json-text.ts';
import { printAmount } from '../../value/print-amount.ts';
import { liveQueryTooLarge, liveQueryTooSlow } from '../errors.ts';
import type { MayRead } from '../query/query-access.ts';
import type { QueryParts, QueryRunnerParts } from '../query/query-parts.ts';
import { type LiveRow, RowReader } from './live-row.ts';

/**
 * The identity of a live query: two requests with the same text and parameters share one result.
 */
export interface LiveText {
  readonly oql: string;
  /** Absent for an ad-hoc query. */
  readonly queryId?: string;
  readonly parameters: readonly ParameterRequest[];
}

/** A text with its current binding. */
export interface PreparedLive {
  readonly catalog: Catalog;
  readonly query: BoundQuery;
  readonly identified: IdentifiedQuery;
}

export interface RunOutcome {
  readonly prepared: PreparedLive;
  readonly sequence: number;
  readonly rows: readonly LiveRow[];
}

/** Milliseconds between two yields of the work of live queries, however many a commit concerns. */
export const SLICE_MS = 1.5;
/** Rows between two reads of the clock. */
const ROWS_PER_CHECK = 32;

const decoder = new TextDecoder();

export class LiveRuns {
  readonly #parts: QueryRunnerParts;
  readonly #shared: QueryParts;
  readonly #identified = new WeakMap<BoundQuery, IdentifiedQuery>();
  /** Runs that ended, and their seconds. */
  readonly figures = { runs: 0, seconds: 0 };

  constructor(parts: QueryRunnerParts, shared: QueryParts) {
    this.#parts = parts;
    this.#shared = shared;
  }

  /** Refuses invalid texts and parameters, and regions that may not be read. */
  async prepare({ oql, parameters }: LiveText, mayRead?: MayRead): Promise<PreparedLive> {
    const catalog = await this.#shared.catalog.current();
    const query = this.#shared.compiled.compile(oql, catalog, mayRead);
    // Refused here, before any state is created.
    bindParameters(query, parameters, 0);
    const identified = this.#identified.get(query) ?? identifyRows(query);
    this.#identified.set(query, identified);
    return { catalog, query, identified };
  }

  /** Whether the binding is still current, as far as is known without waiting. */
  isCurrent({ catalog }: PreparedLive): boolean {
    return this.#shared.catalog.known === catalog;
  }

  /** The context for evaluating an entry or running the query. */
  context({ query }: PreparedLive, { parameters }: LiveText): RunContext {
    const { isMemoryLow, limits, now, wallClock } = this.#parts;
    return {
      parameters: bindParameters(query, parameters, wallClock()),
      now,
      pause: () => this.#shared.turns.take(),
      isMemoryLow,
      timeoutMs: limits.maxLiveRunMs === 0 ? undefined : limits.maxLiveRunMs,
      maxRowsKept: limits.maxRowsKept,
    };
  }

  async run(text: LiveText, signal: { readonly aborted: boolean }): Promise<RunOutcome> {
    const { isMemoryLow, now } = this.#parts;
    const startedAt = now();
    if (isMemoryLow()) throw lowMemory(text.oql);
    const prepared = await this.prepare(text);
    const { running } = this.#shared;
    // Not short: queries of waiting clients go first.
    const admitted = await running.begin({ ...text, signal, isShort: () => false });
    try {
      const context = { ...this.context(prepared, text), startedAt: now() };
      return await this.#collect(prepared, { ...context, signal: admitted.signal });
    } catch (error) {
      const isSlow = error instanceof OqlError && error.code === 'oql/timeout';
      throw isSlow ? liveQueryTooSlow(this.#parts.limits.maxLiveRunMs) : error;
    } finally {
      running.end(admitted.id);
      this.figures.runs += 1;
      this.figures.seconds += (now() - startedAt) / 1000;
    }
  }

  async #collect(prepared: PreparedLive, context: RunContext): Promise<RunOutcome> {
    const { catalog, identified } = prepared;
    const { limits, now } = this.#parts;
    const { columns, turns } = this.#shared;
    const reader = new RowReader(identified);
    const rows: LiveRow[] = [];
    let sequence = 0;
    let size = 0;
    let sliceStartMs = now();
    const onOpen = (opened: number): void => {
      sequence = opened;
    };
    for await (const { json } of columns.execute(identified.query, catalog, context, { onOpen })) {
      for (const text of splitArray(`[${decoder.decode(json)}]`)) {
        const row = reader.readText(text);
        rows.push(row);
        size += row.id.length + row.row.length;
        requireRoom(rows.length, size, limits);
        if (rows.length % ROWS_PER_CHECK !== 0 || now() - sliceStartMs < SLICE_MS) continue;
        await turns.take();
        sliceStartMs = now();
      }
    }
    return { prepared, sequence, rows };
  }
}

/** Refuses a result that is larger than one live query may hold. */
export function requireRoom(
  rows: number,
  size: number,
  limits: { readonly maxLiveRows: number; readonly maxLiveBytes: number },
): void {
  if (rows > limits.maxLiveRows) throw liveQueryTooLarge(printAmount(limits.maxLiveRows, 'row'));
  if (size > limits.maxLiveBytes) throw liveQueryTooLarge(`${limits.maxLiveBytes} bytes`);
}
