// A select from its rows to its results: match, group, project, DISTINCT, ORDER BY, OFFSET, LIMIT.
// Each stage is a generator over the one before it, so a satisfied LIMIT stops them all.

import { hashKey } from '../../value/compare.ts';
import { describeValue } from '../../value/describe-value.ts';
import { isInteger, isNumeric, Struct, type Value } from '../../value/value.ts';
import type { BoundRowCount, BoundSelect } from '../bind/bound-query.ts';
import { countsWithoutLimit } from '../bind/count-limit.ts';
import { rowCountInvalid } from '../errors.ts';
import { blameEntry } from './blame-entry.ts';
import type { CompiledExpression, CompiledSelect } from './compile-query.ts';
import { type Environment, type Group, isRowFailure } from './environment.ts';
import { groupRows } from './group-rows.ts';
import { matchRows } from './match-rows.ts';
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
    const { bound } = select;
    const keys = run.environment.keys[bound.depth];
    if (isRowFailure(error)) blameEntry(error, bound, (iterator) => keys?.[iterator]);
    throw error;
  }
}

function orderedRows(select: CompiledSelect, run: QueryRun): Flow<Row> {
  const { grouping } = select;
  if (grouping !== undefined) {
    const groups = groupRows(select, grouping, run);
    return finishRows(projectGroups(groups, select, run), select, run);
  }
  if (select.bound.shape === 'count') return countRows(select, run);
  return finishRows(projectRows(select, run), select, run);
}

/** DISTINCT, ORDER BY, OFFSET and LIMIT. */
function* finishRows(projected: Flow<Row>, select: CompiledSelect, run: QueryRun): Flow<Row> {
  const { bound, location } = select;
  const { limit, offset } = limitsOf(bound, run.environment.parameters, location.text);
  if (limit === 0) return;
  let rows = projected;
  if (bound.distinct) rows = distinctRows(rows, select, run);
  if (select.sortKeys.length > 0) rows = sortRows(rows, select, offset + limit, run);
  yield* limitRows(rows, offset, limit);
}

/** LIMIT is infinite where there is none. */
export function limitsOf(
  { limit, offset }: BoundSelect,
  parameters: readonly Value[],
  text: string,
): { readonly limit: number; readonly offset: number } {
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
  if (count === undefined) return undefined;
  if (count.kind === 'rows') return count.rows;
  const value = parameters[count.slot] ?? null;
  if (value === null) return undefined;
  if (!isInteger(value)) {
    const given = isNumeric(value) ? 'a fraction' : describeValue(value);
    throw rowCountInvalid(
      { text, span: count.span },
      `A number of rows must be an integer, not ${given}`,
    );
  }
  return value < 0 ? undefined : Number(value);
}

/** COUNT(*) alone: one integer, 0 included. */
function* countRows(select: CompiledSelect, run: QueryRun): Flow<Row> {
  const { bound, location } = select;
  const { limit, offset } = limitsOf(bound, run.environment.parameters, location.text);
  const most = countsWithoutLimit(bound) ? Number.POSITIVE_INFINITY : limit;
  const rows = bound.distinct
    ? distinctRows(projectRows(select, run), select, run)
    : matchRows(select, run);
  let count = 0;
  if (most > 0) {
    for (const step of rows) {
      if (isWait(step)) {
        yield step;
        continue;
      }
      count += 1;
      if (count >= most) break;
    }
  }
  if (offset === 0) yield { value: count, sortValues: [] };
}

function* projectRows(select: CompiledSelect, run: QueryRun): Flow<Row> {
  for (const step of matchRows(select, run)) {
    if (isWait(step)) yield step;
    else yield yield* projectRow(select, run);
  }
}

/** The rows of the groups that HAVING keeps. */
export function* projectGroups(
  groups: Flow<Group>,
  select: CompiledSelect,
  run: QueryRun,
): Flow<Row> {
  const having = select.grouping?.having;
  for (const step of groups) {
    if (isWait(step)) {
      yield step;
      continue;
    }
    run.environment.groups[select.bound.depth] = step;
    const truth = having === undefined || toTruth(yield* evaluate(having, run), having.location);
    if (truth === true) yield yield* projectRow(select, run);
  }
}

function* projectRow(select: CompiledSelect, run: QueryRun): Task<Row> {
  const { environment } = run;
  const values: Value[] = [];
  for (const each of select.projections) {
    values.push(isReady(each) ? each.evaluate(environment) : yield* evaluate(each, run));
  }
  const sortValues: Value[] = [];
  for (const { expression: key, projection } of select.sortKeys) {
    const projected = projection === undefined ? undefined : values[projection];
    if (projected !== undefined) sortValues.push(projected);
    else sortValues.push(isReady(key) ? key.evaluate(environment) : yield* evaluate(key, run));
  }
  const [bare] = values;
  const isBare = select.bound.shape === 'bare' && bare !== undefined;
  return { value: isBare ? bare : new Struct(select.names, values), sortValues };
}

/** Without preparations no generator is created, which would take longer than the expression. */
function isReady({ preparations }: CompiledExpression): boolean {
  return preparations.length === 0;
}

/** Keeps the first of equal rows. */
export function* distinctRows(rows: Flow<Row>, select: CompiledSelect, run: QueryRun): Flow<Row> {
  const seen = new Set<string>();
  try {
    for (const step of rows) {
      if (isWait(step)) {
        yield step;
        continue;
      }
      const key = hashKey(step.value);
      if (seen.has(key)) continue;
      run.budget.keep(1, select.location);
      seen.add(key);
      yield step;
    }
  } finally {
    run.budget.release(seen.size);
  }
}

export function* limitRows(rows: Flow<Row>, offset: number, limit: number): Flow<Row> {
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
