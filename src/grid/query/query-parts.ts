// The parts that all queries of a grid share, live ones included: catalog, compiled texts, columns,
// admission, and time slices.

import type { Engine } from '../../engine/engine.ts';
import type { Observe } from '../../observe/observation.ts';
import type { GridLimits } from '../limits.ts';
import { CompiledQueries } from './compiled-queries.ts';
import { QueryAdmission } from './query-admission.ts';
import { QueryColumns } from './query-columns.ts';
import { QueryTurns } from './query-turns.ts';
import { RegionCatalog } from './region-catalog.ts';

export interface QueryRunnerParts {
  readonly engine: Engine;
  readonly limits: GridLimits;
  readonly observe: Observe;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Milliseconds since 1970: the time of functions in a query. */
  readonly wallClock: () => number;
  /** Yields to other requests. */
  readonly pause: () => Promise<void>;
  /** Resolves after so many milliseconds; absent: by a timer. */
  readonly delay?: (ms: number) => Promise<void>;
  /** Busy milliseconds of the event loop so far; absent: unknown. */
  readonly busyMs?: () => number;
  /** Whether memory is so low that queries must stop. */
  readonly isMemoryLow: () => boolean;
}

export interface QueryParts {
  readonly catalog: RegionCatalog;
  readonly compiled: CompiledQueries;
  readonly columns: QueryColumns;
  readonly running: QueryAdmission;
  readonly turns: QueryTurns;
}

export function openQueryParts(parts: QueryRunnerParts): QueryParts {
  const { busyMs, engine, limits, now } = parts;
  const idle = { now, delay: parts.delay ?? delay, ...(busyMs && { busyMs }) };
  const { maxQueriesAtOnce, maxQueriesWaiting, maxQueryWaitMs } = limits;
  return {
    catalog: new RegionCatalog(engine),
    compiled: new CompiledQueries(limits),
    columns: new QueryColumns(engine, limits.columnBudgetBytes, idle, parts.wallClock),
    running: new QueryAdmission({
      limits: { atOnce: maxQueriesAtOnce, waiting: maxQueriesWaiting, waitMs: maxQueryWaitMs },
      now,
      delay: idle.delay,
    }),
    turns: new QueryTurns(parts),
  };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
