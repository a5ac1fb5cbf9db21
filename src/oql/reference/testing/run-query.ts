// Runs a query text in one call, for tests.

import type { Value } from '../../../value/value.ts';
import { bindQuery } from '../../bind/bind-query.ts';
import type { BoundQuery } from '../../bind/bound-query.ts';
import { withQueryTime } from '../../bind/parameters.ts';
import { parseQuery } from '../../syntax/parse-query.ts';
import { executeReference, finish, loadRegions, openRun } from '../execute-reference.ts';
import { evaluate } from '../query-run.ts';
import type { QuerySource } from '../query-source.ts';
import type { RunContext } from '../run-context.ts';
import { createCatalog, type MemoryRegions, MemorySource } from './memory-source.ts';

/** The time at which queries of tests run: 2026-07-15 10:20:30.456 in the zone of the machine. */
export const TEST_TIME: number = new Date(2026, 6, 15, 10, 20, 30, 456).getTime();

export function bindText(text: string, regions: MemoryRegions): BoundQuery {
  return bindQuery(parseQuery(text), createCatalog(regions));
}

/** A context whose clock does not move, so that nothing depends on the speed of the machine. */
export function createContext(parameters: readonly Value[] = []): RunContext {
  return { parameters, now: () => 0, pause: async () => {} };
}

/**
 * A context whose clock advances by more than a slice with every reading, so that a query yields at
 * every yield point.
 */
export function createYieldingContext(
  pause: () => Promise<void>,
  parameters: readonly Value[] = [],
): RunContext {
  let clock = 0;
  return {
    parameters,
    now: () => {
      clock += 2;
      return clock;
    },
    pause,
  };
}

/** The whole result of a query, by the reference evaluator. */
export function runQuery(
  text: string,
  regions: MemoryRegions = {},
  parameters: readonly Value[] = [],
): Promise<Value> {
  const query = bindText(text, regions);
  const values = withQueryTime(query, parameters, TEST_TIME);
  return evaluateReference(query, new MemorySource(regions), createContext(values));
}

/** Runs a query to its end and gives its whole result: a list for a select, else the one value. */
export async function evaluateReference(
  query: BoundQuery,
  source: QuerySource,
  context: RunContext,
): Promise<Value> {
  if (query.body.kind === 'select') {
    const rows: Value[] = [];
    for await (const batch of executeReference(query, source, context)) rows.push(...batch);
    return rows;
  }
  const { compiled, run } = await openRun(query, source, context);
  try {
    await finish(loadRegions(compiled, run), run.pacer);
    if (compiled.body.kind === 'select') throw new Error('an expression became a select');
    return await finish(evaluate(compiled.body, run), run.pacer);
  } finally {
    await Promise.allSettled(run.closing);
  }
}
