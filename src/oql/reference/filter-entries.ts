// The WHERE of a query over one region, applied to entries that the caller reads, in any order. The
// entries and the source of subqueries must be of the same snapshot.

import { parseJson } from '../../value/json-parse.ts';
import type { BoundQuery } from '../bind/bound-query.ts';
import { blameRow } from './blame-entry.ts';
import type { CompiledSelect } from './compile-query.ts';
import { finish, loadRegions, openRun } from './execute-reference.ts';
import { isKept } from './match-rows.ts';
import type { QueryRun } from './query-run.ts';
import type { QuerySource, SourceEntry } from './query-source.ts';
import type { RunContext } from './run-context.ts';

/** The outcome of one batch. */
export interface FilteredEntries {
  /** Entries for which the condition is true, in their order. */
  readonly matches: readonly SourceEntry[];
  /** The last entry that was evaluated. */
  readonly last: SourceEntry;
}

/**
 * Tests every entry, and returns one result per batch. It yields to other requests within batches.
 * The query comes from `bindCondition`.
 */
export async function* filterEntries(
  query: BoundQuery,
  source: QuerySource,
  context: RunContext,
  batches: AsyncIterable<readonly SourceEntry[]>,
): AsyncGenerator<FilteredEntries, void, undefined> {
  const { compiled, run } = await openRun(query, source, context);
  const { pacer, environment } = run;
  const select = compiled.body;
  if (select.kind !== 'select') throw new Error('a condition is the WHERE of a select');
  try {
    await finish(loadRegions(compiled, run), pacer);
    for await (const batch of batches) {
      pacer.check();
      const matches = await filterBatch(batch, select, run);
      const last = batch.at(-1);
      if (last !== undefined) yield { matches, last };
    }
  } catch (error) {
    blameRow(error, select.bound, environment);
    throw error;
  } finally {
    await Promise.allSettled(run.closing);
  }
}

async function filterBatch(
  batch: readonly SourceEntry[],
  select: CompiledSelect,
  run: QueryRun,
): Promise<readonly SourceEntry[]> {
  const { environment, pacer } = run;
  const { depth } = select.bound;
  const matches: SourceEntry[] = [];
  for (const entry of batch) {
    const value = parseJson(entry.value);
    environment.rows[depth] = [value];
    environment.keys[depth] = [entry.key];
    const outcome = finish(isKept(select, run), pacer);
    // An `await` costs a tenth of an entry; few entries need data of the source.
    const isMatch = typeof outcome === 'boolean' ? outcome : await outcome;
    if (isMatch && value !== null) matches.push(entry);
    if (pacer.isDue()) await pacer.pause();
  }
  return matches;
}
