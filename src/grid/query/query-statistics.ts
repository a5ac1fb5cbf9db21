// Statistics of queries on this server since it started: calls and times of each named query, and
// the slowest runs of all. Held in memory, bounded.

import type { QueryOutcome } from '../../observe/observation.ts';
import { RecentlyUsed } from '../recently-used.ts';

export interface FinishedQuery {
  readonly oql: string;
  /** Absent for an ad-hoc query. */
  readonly queryId: string | undefined;
  readonly outcome: QueryOutcome;
  /** The error code, when it did not complete. */
  readonly code: string | undefined;
  readonly rows: number;
  readonly ms: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface NamedQueryStatistics {
  readonly queryId: string;
  readonly calls: number;
  readonly failures: number;
  /** Of the last calls. */
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly lastAt: number;
  readonly lastError: { readonly code: string; readonly at: number } | undefined;
}

/** Calls from which percentiles are computed. */
const SAMPLED = 256;
/** Named queries that are tracked; the least recently called is evicted. */
const MAX_NAMES = 1000;
const MAX_SLOW = 50;
/** A slow run is dropped from the list after this time. */
const SLOW_FOR_MS = 60 * 60 * 1000;
const LONGEST_TEXT = 4096;

class CallRecord {
  calls = 0;
  failures = 0;
  lastAt = 0;
  lastError: { readonly code: string; readonly at: number } | undefined;
  /** A ring buffer of the last durations. */
  readonly #durations: number[] = [];

  add({ at, code, ms, outcome }: FinishedQuery): void {
    this.#durations[this.calls % SAMPLED] = ms;
    this.calls += 1;
    this.lastAt = at;
    if (outcome === 'completed') return;
    this.failures += 1;
    this.lastError = { code: code ?? outcome, at };
  }

  describe(queryId: string): NamedQueryStatistics {
    const { calls, failures, lastAt, lastError } = this;
    const sorted = this.#durations.toSorted((a, b) => a - b);
    const percentile = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
    return {
      queryId,
      calls,
      failures,
      medianMs: percentile(0.5),
      p99Ms: percentile(0.99),
      lastAt,
      lastError,
    };
  }
}

export class QueryStatistics {
  readonly #named = new RecentlyUsed<CallRecord>(MAX_NAMES);
  /** The slowest first. */
  #slow: FinishedQuery[] = [];

  add(finished: FinishedQuery): void {
    const { queryId } = finished;
    if (queryId !== undefined) {
      const record = this.#named.get(queryId) ?? new CallRecord();
      if (record.calls === 0) this.#named.set(queryId, record);
      record.add(finished);
    }
    const fastest = this.#slow.length < MAX_SLOW ? undefined : this.#slow.at(-1);
    if (fastest === undefined || finished.ms > fastest.ms || isOld(fastest, finished.at)) {
      this.#addSlow(finished);
    }
  }

  /** By name. */
  listNamed(): readonly NamedQueryStatistics[] {
    return [...this.#named.entries()]
      .map(([queryId, record]) => record.describe(queryId))
      .sort((a, b) => (a.queryId < b.queryId ? -1 : 1));
  }

  /** The slowest runs of the last hour, the slowest first. */
  listSlow(now: number): readonly FinishedQuery[] {
    return this.#slow.filter((run) => !isOld(run, now));
  }

  #addSlow(finished: FinishedQuery): void {
    const { oql } = finished;
    const bounded =
      oql.length > LONGEST_TEXT ? { ...finished, oql: oql.slice(0, LONGEST_TEXT) } : finished;
    this.#slow = [...this.#slow.filter((run) => !isOld(run, finished.at)), bounded]
      .sort((a, b) => b.ms - a.ms)
      .slice(0, MAX_SLOW);
  }
}

function isOld({ at }: FinishedQuery, now: number): boolean {
  return now - at > SLOW_FOR_MS;
}
