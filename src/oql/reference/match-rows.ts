// FROM and WHERE: nested loops over the iterators, left to right, keeping the combinations of rows
// for which the condition holds.

import { toCollection, toIterated } from '../../value/collections.ts';
import { describeValue } from '../../value/describe-value.ts';
import { parseJson } from '../../value/json-parse.ts';
import { Entry, isAbsent, UNDEFINED, type Value } from '../../value/value.ts';
import type { RegionSource } from '../bind/region-source.ts';
import { keepsUnknown } from '../bind/where-outcome.ts';
import { type Location, parameterType } from '../errors.ts';
import type { CompiledSelect } from './compile-query.ts';
import { toTruth } from './operators.ts';
import { evaluate, type QueryRun, readEntries } from './query-run.ts';
import type { SourceEntry } from './query-source.ts';
import { type Flow, isWait, PAUSE, type Task } from './steps.ts';

/** Signals that `rows[depth]` of the environment is now a combination of the result. */
export const MATCH: unique symbol = Symbol('MATCH');

/**
 * The loops are in a list instead of on the stack, because a query may have hundreds of iterators.
 * The position of a loop in the list is the position of its iterator in the row.
 */
export function* matchRows(select: CompiledSelect, run: QueryRun): Flow<typeof MATCH> {
  const row: Value[] = [];
  run.environment.rows[select.bound.depth] = row;
  run.environment.keys[select.bound.depth] = [];
  const loops: Flow<Value>[] = [openLoop(select, 0, run)];
  try {
    for (let loop = loops.at(-1); loop !== undefined; loop = loops.at(-1)) {
      const { done, value: step } = loop.next();
      if (done === true) {
        loops.pop();
      } else if (isWait(step)) {
        yield step;
      } else {
        row[loops.length - 1] = step;
        if (loops.length < select.sources.length) loops.push(openLoop(select, loops.length, run));
        else if (yield* isKept(select, run)) yield MATCH;
      }
      if (run.pacer.isDue()) yield PAUSE;
    }
    // Failures from here on, such as in a condition on groups, concern no single entry.
    run.environment.keys[select.bound.depth] = [];
  } finally {
    for (const loop of loops) loop.return();
  }
}

/** The elements of an iterator, for the current elements of those before it. */
function* openLoop(select: CompiledSelect, position: number, run: QueryRun): Flow<Value> {
  const source = select.sources[position];
  if (source === undefined) throw new Error(`there is no iterator ${position}`);
  const keys = run.environment.keys[select.bound.depth] ?? [];
  const onEntry = (key: string): void => {
    keys[position] = key;
  };
  if (source.kind === 'expression') {
    const collection = yield* evaluate(source, run);
    const isParameter = select.bound.iterators[position]?.source.kind === 'parameter';
    if (isParameter) requireCollection(collection, source.location);
    yield* toIterated(collection);
    return;
  }
  const { name, view, span } = source.region;
  // A run without sources has its regions in memory.
  if (source.kind === 'loaded' || !run.sources.has(name)) {
    yield* viewEntries(run.environment.regions.get(name)?.entries ?? [], view, onEntry);
    return;
  }
  for (const step of readEntries(name, { ...select.location, span }, run)) {
    if (isWait(step)) yield step;
    else yield* viewEntries(step, view, onEntry);
  }
}

/** A single value is its own element, but iterating over one is a mistake. */
function requireCollection(value: Value, location: Location): void {
  if (isAbsent(value) || toCollection(value) !== undefined) return;
  const hint = typeof value === 'string' ? 'A bind parameter cannot name a region' : undefined;
  const reason = `FROM takes a collection as a bind parameter, not ${describeValue(value)}`;
  throw parameterType(location, reason, hint);
}

/**
 * Entries as a view of their region shows them: of a region in memory, or stored ones, of which each
 * is parsed when it is needed. An entry whose value is null has no value.
 */
function* viewEntries(
  entries: readonly (Entry | SourceEntry)[],
  view: RegionSource['view'],
  onEntry: (key: string) => void,
): Generator<Value> {
  for (const entry of entries) {
    const { key } = entry;
    if (typeof key === 'string') onEntry(key);
    if (view === 'keys') {
      yield key;
      continue;
    }
    const shown = entry instanceof Entry ? entry : new Entry(key, parseJson(entry.value));
    if (view === 'entries') yield shown;
    else if (shown.value !== null) yield shown.value;
  }
}

/** Whether WHERE keeps the current rows. */
export function* isKept(select: CompiledSelect, run: QueryRun): Task<boolean> {
  if (select.where === undefined) return true;
  return isKeptBy(yield* evaluate(select.where, run), select);
}

/** Whether a row is kept for which WHERE has this value. */
export function isKeptBy(value: Value, { bound, where, location }: CompiledSelect): boolean {
  const truth = toTruth(value, where?.location ?? location);
  return truth === UNDEFINED ? keepsUnknown(bound.where) : truth;
}
