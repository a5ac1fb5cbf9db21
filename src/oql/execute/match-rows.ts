// FROM and WHERE: nested loops over the iterators, left to right, keeping the combinations of rows
// for which the condition holds.

import { parseJson } from '../../value/json-parse.ts';
import { Entry, UNDEFINED, type Value } from '../../value/value.ts';
import { toIterated } from './collections.ts';
import type { CompiledSelect, CompiledSource } from './compile-query.ts';
import { toTruth } from './logic.ts';
import type { SourceEntry } from './query-source.ts';
import { evaluate, type Run, readEntries } from './run.ts';
import { type Flow, isWait, PAUSE, type Task } from './steps.ts';

/** Says that `rows[depth]` of the environment now holds a combination that belongs to the result. */
const MATCH: unique symbol = Symbol('MATCH');

export function* matchRows(select: CompiledSelect, run: Run): Flow<typeof MATCH> {
  run.environment.rows[select.bound.depth] = [];
  yield* loop(select, 0, run);
}

function* loop(select: CompiledSelect, position: number, run: Run): Flow<typeof MATCH> {
  const source = select.sources[position];
  if (source === undefined) {
    if (yield* isKept(select, run)) yield MATCH;
    return;
  }
  if (source.kind === 'expression') {
    const elements = toIterated(yield* evaluate(source, run));
    yield* loopOver(elements, select, position, run);
    return;
  }
  for (const step of readEntries(source.region, source.place, run)) {
    if (isWait(step)) yield step;
    else yield* loopOver(viewEntries(step, source), select, position, run);
  }
}

function* loopOver(
  elements: Iterable<Value>,
  select: CompiledSelect,
  position: number,
  run: Run,
): Flow<typeof MATCH> {
  const rows = run.environment.rows[select.bound.depth] ?? [];
  for (const element of elements) {
    rows[position] = element;
    yield* loop(select, position + 1, run);
    if (run.pacer.isDue()) yield PAUSE;
  }
}

/** Parses lazily, one entry at a time, so that an early end saves the rest. */
function* viewEntries(
  entries: readonly SourceEntry[],
  { view }: CompiledSource & { kind: 'stream' },
): Generator<Value> {
  for (const { key, value } of entries) {
    if (view === 'keys') {
      yield key;
      continue;
    }
    const parsed = parseJson(value);
    if (view === 'entries') yield new Entry(key, parsed);
    else if (parsed !== null) yield parsed;
  }
}

/**
 * Only true keeps a row, with one exception: where the whole condition is a single `<>`, UNDEFINED
 * keeps it too.
 */
function* isKept(select: CompiledSelect, run: Run): Task<boolean> {
  if (select.where === undefined) return true;
  const truth = toTruth(yield* evaluate(select.where, run), select.where.place);
  if (truth !== UNDEFINED) return truth;
  const condition = select.bound.where;
  return condition?.kind === 'comparison' && condition.operator === '<>';
}
