// A select from its rows to its results: match, group, project, DISTINCT, ORDER BY, OFFSET, LIMIT.
// Each stage is a generator over the one before it, so a satisfied LIMIT stops them all.

import { hashKey } from '../../value/compare.ts';
import { describeValue } from '../../value/describe-value.ts';
import { KeyMap } from '../../value/key-map.ts';
import { isInteger, isNumeric, Struct, type Value } from '../../value/value.ts';
import type { BoundRowCount, BoundSelect } from '../bind/bound-query.ts';
import { countsWithoutLimit } from '../bind/count-limit.ts';
import { rowCountInvalid } from '../errors.ts';
import { blameRow } from './blame-entry.ts';
import type { CompiledSelect } from './compile-query.ts';
import type { Environment, Group } from './environment.ts';
import { groupRows } from './group-rows.ts';
import { MATCH, matchRows } from './match-rows.ts';
import { toTruth } from './operators.ts';
import type { Pacer } from './pacer.ts';
import { evaluate, type QueryRun, type Row } from './query-run.ts';
import type { RowBudget } from './row-budget.ts';
import { sortRows } from './sort-rows.ts';
import { type Flow, isWait, type Task } from './steps.ts';

/** A run; without sources it reads no region. */
export function createRun(
  environment: Environment,
  pacer: Pacer,
  budget: RowBudget,
  sources: QueryRun['sources'] = new Map(),
): QueryRun {
  return { environment, pacer, budget, sources, selectRows, closing: [] };
}

/** Result rows of a select, in their order. A failure names the entry that caused it. */
export function* selectRows(select: CompiledSelect, run: QueryRun): Flow<Row> {
  try {
    yield* orderedRows(select, run);
  } catch (error) {
    blameRow(error, select.bound, run.environment);
    throw error;
  }
}

function* orderedRows(select: CompiledSelect, run: QueryRun): Flow<Row> {
  const { bound, grouping, location } = select;
  const limits = limitsOf(bound, run.environment.parameters, location.text);
  if (bound.shape === 'count') {
    yield* countRows(select, limits, run);
    return;
  }
  const matches = grouping ? groupRows(select, grouping, run) : matchRows(select, run);
  let rows = projectRows(matches, select, run);
  if (bound.distinct) rows = distinctRows(rows, select, run);
  const neededRows = limits.offset + limits.limit;
  if (select.sortKeys.length > 0) rows = sortRows(rows, select, neededRows, run);
  yield* limitRows(rows, limits.offset, limits.limit);
}

interface Limits {
  readonly limit: number;
  readonly offset: number;
}

/** LIMIT is infinite where there is none. */
export function limitsOf(
  { limit, offset }: BoundSelect,
  parameters: readonly Value[],
  text: string,
): Limits {
  return {
    limit: toRowCount(limit, parameters, text) ?? Number.POSITIVE_INFINITY,
    offset: toRowCount(offset, parameters, text) ?? 0,
  };
}

/** Null and negative numbers, possible in a parameter, mean no LIMIT and no OFFSET. */
function toRowCount(
  count: BoundRowCount | undefined,
  parameters: readonly Value[],
  text: string,
): number | undefined {
  if (count?.kind !== 'parameter') return count?.rows;
  const value = parameters[count.slot] ?? null;
  if (value === null) return undefined;
  if (!isInteger(value)) {
    const actual = isNumeric(value) ? 'a fraction' : describeValue(value);
    const reason = `A number of rows must be an integer, not ${actual}`;
    throw rowCountInvalid({ text, span: count.span }, reason);
  }
  return value < 0 ? undefined : Number(value);
}

/** COUNT(*) alone: one integer, 0 included. */
function* countRows(select: CompiledSelect, { limit, offset }: Limits, run: QueryRun): Flow<Row> {
  const { bound } = select;
  const maxRows = countsWithoutLimit(bound) ? Number.POSITIVE_INFINITY : limit;
  const matches = matchRows(select, run);
  const rows: Flow<unknown> = bound.distinct
    ? distinctRows(projectRows(matches, select, run), select, run)
    : matches;
  let count = 0;
  for (const step of limitRows(rows, 0, maxRows)) {
    if (isWait(step)) yield step;
    else count += 1;
  }
  if (offset === 0) yield { value: count, sortValues: [] };
}

/** The rows of matches, or of the groups that HAVING keeps. */
export function* projectRows(
  matches: Flow<typeof MATCH | Group>,
  select: CompiledSelect,
  run: QueryRun,
): Flow<Row> {
  const having = select.grouping?.having;
  for (const step of matches) {
    if (isWait(step)) {
      yield step;
      continue;
    }
    if (step !== MATCH) run.environment.groups[select.bound.depth] = step;
    const truth = having === undefined || toTruth(yield* evaluate(having, run), having.location);
    if (truth === true) yield yield* projectRow(select, run);
  }
}

function* projectRow(select: CompiledSelect, run: QueryRun): Task<Row> {
  const values: Value[] = [];
  for (const each of select.projections) values.push(yield* evaluate(each, run));
  const sortValues: Value[] = [];
  for (const [index, key] of select.sortKeys.entries()) {
    const projected = values[select.bound.orderBy[index]?.projection ?? -1];
    sortValues.push(projected !== undefined ? projected : yield* evaluate(key, run));
  }
  const [bare] = values;
  const isBare = select.bound.shape === 'bare' && bare !== undefined;
  return { value: isBare ? bare : new Struct(select.names, values), sortValues };
}

/** Keeps the first of equal rows. */
export function* distinctRows(rows: Flow<Row>, select: CompiledSelect, run: QueryRun): Flow<Row> {
  const seen = new KeyMap<true>();
  try {
    for (const step of rows) {
      if (isWait(step)) {
        yield step;
        continue;
      }
      const key = hashKey(step.value);
      if (!seen.add(key, true)) continue;
      run.budget.keep(1, select.location);
      yield step;
    }
  } finally {
    run.budget.release(seen.size);
  }
}

export function* limitRows<Item>(rows: Flow<Item>, offset: number, limit: number): Flow<Item> {
  if (limit === 0) return;
  let position = 0;
  for (const step of rows) {
    if (isWait(step)) {
      yield step;
      continue;
    }
    position += 1;
    if (position > offset) yield step;
    if (position >= offset + limit) return;
  }
}
