// The reference evaluator: runs a query row by row, as the definition of the language says. Every
// faster way to run a query must return the same result.

import { toCollection } from '../../value/collections.ts';
import { parseJson } from '../../value/json-parse.ts';
import { Entry, RegionHandle, type Value } from '../../value/value.ts';
import type { BoundQuery } from '../bind/bound-query.ts';
import {
  type Location,
  regionNotFound,
  regionNotPermitted,
  resultNotCollection,
} from '../errors.ts';
import { type CompiledQuery, compileQuery } from './compile-query.ts';
import { createEnvironment } from './environment.ts';
import { Pacer } from './pacer.ts';
import { evaluate, type QueryRun, type Row, readEntries } from './query-run.ts';
import type { QuerySource, SourceRegion } from './query-source.ts';
import { RowBudget } from './row-budget.ts';
import type { RunContext } from './run-context.ts';
import { createRun, selectRows } from './select-rows.ts';
import { type Flow, isWait, PAUSE, type Task, type Wait } from './steps.ts';

const ROWS_PER_BATCH = 256;

/**
 * Runs a query and delivers its rows in batches, as they are found. Nothing is read before the
 * first batch is requested; leaving the loop early ends the run. A query that is an expression
 * delivers the elements of its value, which must be a collection.
 */
export async function* executeReference(
  query: BoundQuery,
  source: QuerySource,
  context: RunContext,
): AsyncGenerator<readonly Value[], void, undefined> {
  const { compiled, run } = await openRun(query, source, context);
  const { pacer } = run;
  let batch: Value[] = [];
  try {
    for (const step of queryRows(compiled, run)) {
      if (isWait(step)) {
        await wait(step, pacer);
        continue;
      }
      batch.push(step.value);
      if (batch.length < ROWS_PER_BATCH) continue;
      yield batch;
      batch = [];
      pacer.check();
    }
    if (batch.length > 0) yield batch;
  } finally {
    await Promise.allSettled(run.closing);
  }
}

/** Runs a task to its end: at once, unless it has to wait. */
export function finish<Result>(task: Task<Result>, pacer: Pacer): Result | Promise<Result> {
  const step = task.next();
  return step.done === true ? step.value : finishLater(task, step.value, pacer);
}

async function finishLater<Result>(task: Task<Result>, first: Wait, pacer: Pacer): Promise<Result> {
  try {
    await wait(first, pacer);
    for (;;) {
      const step = task.next();
      if (step.done === true) return step.value;
      await wait(step.value, pacer);
    }
  } finally {
    // Closes the readers of a task that was abandoned.
    task[Symbol.dispose]();
  }
}

/** Waits for the reason that a step yielded, and checks whether the run has to stop. */
export async function wait(step: Wait, pacer: Pacer): Promise<void> {
  if (step === PAUSE) return pacer.pause();
  await step;
  pacer.check();
}

/** A query and a run of it. Every region is found before any of them is read. */
export async function openRun(
  query: BoundQuery,
  source: QuerySource,
  context: RunContext,
): Promise<{ readonly compiled: CompiledQuery; readonly run: QueryRun }> {
  const pacer = new Pacer(context, query.text);
  pacer.check();
  const compiled = compileQuery(query);
  const sources = new Map<string, SourceRegion>();
  const handles = new Map<string, RegionHandle>();
  for (const [name, { location }] of compiled.regions) {
    const region = await source.findRegion(name);
    if (region === undefined) throw regionNotFound(location, name);
    if (region.type === 'EMPTY') throw regionNotPermitted(location, name, region.type);
    sources.set(name, region);
    handles.set(name, new RegionHandle(name, region.size));
  }
  const environment = createEnvironment(context.parameters, handles);
  const run = createRun(environment, pacer, new RowBudget(context.maxRowsKept), sources);
  return { compiled, run };
}

function* queryRows(query: CompiledQuery, run: QueryRun): Flow<Row> {
  yield* loadRegions(query, run);
  if (query.body.kind === 'select') {
    yield* selectRows(query.body, run);
    return;
  }
  const elements = toCollection(yield* evaluate(query.body, run));
  if (elements === undefined) throw resultNotCollection(query.body.location.text);
  for (const element of elements) {
    yield { value: element, sortValues: [] };
    if (run.pacer.isDue()) yield PAUSE;
  }
}

/** Reads the entries of every region that has to be in memory. */
export function* loadRegions({ regions }: CompiledQuery, run: QueryRun): Task<void> {
  for (const [name, { isLoaded, location }] of regions) {
    if (isLoaded) run.environment.regions.set(name, yield* loadRegion(name, location, run));
  }
}

function* loadRegion(name: string, location: Location, run: QueryRun): Task<RegionHandle> {
  const entries: Entry[] = [];
  for (const step of readEntries(name, location, run)) {
    if (isWait(step)) {
      yield step;
      continue;
    }
    run.budget.keep(step.length, location);
    for (const { key, value } of step) {
      entries.push(new Entry(key, parseJson(value)));
      if (run.pacer.isDue()) yield PAUSE;
    }
  }
  return new RegionHandle(name, entries.length, entries);
}
