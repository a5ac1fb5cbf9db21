// One run of a compiled query: its state, and the evaluation of expressions that first need
// subqueries or values by key.

import { toCollection, toIterated } from '../../value/collections.ts';
import { hashKey } from '../../value/compare.ts';
import { parseJson } from '../../value/json-parse.ts';
import { KeyMap } from '../../value/key-map.ts';
import { UNDEFINED, type Value } from '../../value/value.ts';
import { dataUnavailable, type Location, OqlError } from '../errors.ts';
import type { ValueSteps } from './compile-expression.ts';
import type { CompiledExpression, CompiledSelect } from './compile-query.ts';
import { type Environment, type Evaluate, isRowFailure, tryEvaluate } from './environment.ts';
import { SMALL_COLLECTION } from './operators.ts';
import type { Pacer } from './pacer.ts';
import type { SourceEntry, SourceRegion } from './query-source.ts';
import type { RowBudget } from './row-budget.ts';
import { type Flow, isWait, PAUSE, type Task } from './steps.ts';

export interface QueryRun {
  readonly environment: Environment;
  readonly pacer: Pacer;
  readonly budget: RowBudget;
  readonly sources: ReadonlyMap<string, SourceRegion>;
  /** Runs a select; passed in, because a select evaluates expressions, which run selects. */
  readonly selectRows: (select: CompiledSelect, run: QueryRun) => Flow<Row>;
  /** Readers left before their end, to be awaited when the run is over. */
  readonly closing: Promise<unknown>[];
}

/** One result row, with the values it is to be sorted by. */
export interface Row {
  readonly value: Value;
  readonly sortValues: readonly Value[];
}

/** Runs the preparations of an expression, then evaluates it for the current rows. */
export function* evaluate(expression: CompiledExpression, run: QueryRun): Task<Value> {
  for (const preparation of expression.preparations) yield* preparation(run);
  return expression.evaluate(run.environment);
}

/** Stores a result for expressions. A failure is stored too, unless it ends the run. */
export function* prepare(at: number, task: Task<Value>, { environment }: QueryRun): Task<void> {
  try {
    environment.prepared[at] = yield* task;
  } catch (error) {
    if (!isRowFailure(error)) throw error;
    environment.prepared[at] = error;
  }
}

export function* prepareSubquery(select: CompiledSelect, at: number, run: QueryRun): Task<void> {
  const previous = run.environment.prepared[at];
  if (previous !== undefined) {
    // An uncorrelated subquery has the same result throughout a run.
    if (select.bound.outerDepths.length === 0) return;
    if (!(previous instanceof OqlError)) run.budget.release(toIterated(previous).length);
  }
  yield* prepare(at, collectRows(select, run), run);
}

/** A call that is computed in time slices, and again only for other arguments. */
export class PlannedCall {
  readonly #args: readonly Evaluate[];
  readonly #steps: (args: readonly Value[]) => ValueSteps;
  #known: { readonly args: readonly Value[]; readonly value: Value } | undefined;

  constructor(args: readonly Evaluate[], steps: (args: readonly Value[]) => ValueSteps) {
    this.#args = args;
    this.#steps = steps;
  }

  *compute({ environment, pacer }: QueryRun): Task<Value> {
    const args = this.#args.map((arg) => arg(environment));
    const known = this.#known;
    if (known?.args.every((arg, at) => arg === args[at]) === true) return known.value;
    const steps = this.#steps(args);
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) if (pacer.isSliceOver()) yield PAUSE;
    this.#known = { args, value: step.value };
    return step.value;
  }
}

/** Builds the keys of a collection for IN, unless they exist or it is too small to need any. */
export function* prepareKeys(collection: Evaluate, run: QueryRun): Task<void> {
  const { keySets } = run.environment;
  const value = tryEvaluate(collection, run.environment);
  // The expression throws a stored failure.
  const elements = value instanceof OqlError ? undefined : toCollection(value);
  if (elements === undefined || elements.length <= SMALL_COLLECTION) return;
  if (keySets.has(elements)) return;
  const keys = new KeyMap<true>();
  for (const element of elements) {
    keys.set(hashKey(element), true);
    if (run.pacer.isDue()) yield PAUSE;
  }
  keySets.set(elements, keys);
}

/** The result of a subquery as a list, which counts as kept until the next result replaces it. */
function* collectRows(select: CompiledSelect, run: QueryRun): Task<Value> {
  const values: Value[] = [];
  try {
    for (const step of run.selectRows(select, run)) {
      if (isWait(step)) {
        yield step;
      } else {
        run.budget.keep(1, select.location);
        values.push(step.value);
      }
    }
    return values;
  } catch (error) {
    run.budget.release(values.length);
    throw error;
  }
}

interface KeyLookup {
  readonly region: string;
  readonly key: Evaluate;
  readonly location: Location;
}

/** The value of a key, UNDEFINED if it is absent. Keys are strings: no other value is one. */
export function* lookUp({ region, key, location }: KeyLookup, run: QueryRun): Task<Value> {
  const keyValue = key(run.environment);
  if (typeof keyValue !== 'string') return UNDEFINED;
  const text = yield* read(() => requireSource(run, region).get(keyValue), location);
  return text === undefined ? UNDEFINED : parseJson(text);
}

/** All entries of a region, batch by batch. */
export function* readEntries(
  region: string,
  location: Location,
  run: QueryRun,
): Flow<readonly SourceEntry[]> {
  const reader = requireSource(run, region).entries()[Symbol.asyncIterator]();
  try {
    for (;;) {
      const batch = yield* read(() => reader.next(), location);
      if (batch.done === true) return;
      yield batch.value;
    }
  } finally {
    // A generator cannot wait while it is being closed, so its caller does.
    run.closing.push(Promise.resolve(reader.return?.()));
  }
}

function requireSource(run: QueryRun, region: string): SourceRegion {
  const source = run.sources.get(region);
  if (source === undefined) throw new Error(`region ${region} was not opened`);
  return source;
}

/** Awaits data of the source; any error there means that data is not available. */
function* read<Result>(start: () => Promise<Result>, location: Location): Task<Result> {
  let outcome: PromiseSettledResult<Result> | undefined;
  // A source may also throw at once.
  const data = new Promise<Result>((resolve) => resolve(start()));
  yield Promise.allSettled([data]).then(([settled]) => {
    outcome = settled;
  });
  if (outcome === undefined) throw new Error('a run continued before its data arrived');
  if (outcome.status === 'fulfilled') return outcome.value;
  const { reason } = outcome;
  if (reason instanceof OqlError) throw reason;
  throw dataUnavailable(location, 'The data of a region could not be read', reason);
}
