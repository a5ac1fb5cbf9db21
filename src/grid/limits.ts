// The limits of the grid. Configured in `config`, passed in when the grid is created.

import type { ParseLimits } from '../oql/index.ts';

export interface GridLimits {
  readonly maxKeyBytes: number;
  /** UTF-8 bytes of a compact value; engines store at most `MAX_VALUE_BYTES`. */
  readonly maxValueBytes: number;
  /** Queries that run at once; short ones have as many additional slots. */
  readonly maxQueriesAtOnce: number;
  /** Queries that wait for a slot, and how long each may. */
  readonly maxQueriesWaiting: number;
  readonly maxQueryWaitMs: number;
  /** Rows that sort, group, distinct and join may hold. */
  readonly maxRowsKept: number;
  /** 0 means no limit. */
  readonly maxQueryMs: number;
  /** Memory that columns may take; the least recently used are evicted. */
  readonly columnBudgetBytes: number;
  /** UTF-16 code units of a query text. */
  readonly maxOqlTextLength: number;
  readonly maxOqlNesting: number;
  readonly maxOqlPlaceholders: number;
  /** Live queries open at once. */
  readonly maxLiveQueries: number;
  /** Rows that the result of a live query may have. */
  readonly maxLiveRows: number;
  /** Memory that the results of all live queries may take. */
  readonly maxLiveBytes: number;
  /** One run of a live query; 0 means no limit. */
  readonly maxLiveRunMs: number;
  /** Least time between two runs of a live query that is run again. */
  readonly liveIntervalMs: number;
  /** How long answers to requests with an idempotency key are kept. */
  readonly keepAnswersMs: number;
}

/** The time that a query may take; undefined: any. */
export function queryTimeoutMs(
  { maxQueryMs }: GridLimits,
  requestMs: number | undefined,
): number | undefined {
  if (maxQueryMs === 0) return requestMs;
  return Math.min(maxQueryMs, requestMs ?? maxQueryMs);
}

/** The limits on query texts, as the language names them. */
export function toParseLimits({
  maxOqlNesting,
  maxOqlPlaceholders,
  maxOqlTextLength,
}: GridLimits): ParseLimits {
  return {
    maxTextLength: maxOqlTextLength,
    maxNesting: maxOqlNesting,
    maxPlaceholders: maxOqlPlaceholders,
  };
}
