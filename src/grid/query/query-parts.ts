// The parts that all queries of a grid share, live ones included: catalog, compiled texts, columns,
// admission, and time slices.

import { CompiledQueries } from './compiled-queries.ts';
import { QueryAdmission } from './query-admission.ts';
import { QueryColumns } from './query-columns.ts';
import type { QueryRunnerParts } from './query-runner.ts';
import { QueryTurns } from './query-turns.ts';
import { RegionCatalog } from './region-catalog.ts';

export interface QueryParts {
  readonly catalog: RegionCatalog;
  readonly compiled: CompiledQueries;
  readonly columns: QueryColumns;
  readonly running: QueryAdmission;
  readonly turns: QueryTurns;
}

export function openQueryParts(parts: QueryRunnerParts): QueryParts {
  const { engine, limits, now } = parts;
  const { busyMs } = parts;
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
    turns: new QueryTurns(parts.pause),
  };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
