// A select from its rows to its results: match, group, project, DISTINCT, ORDER BY, OFFSET, LIMIT.
// Each stage is a generator over the one before it, so a satisfied LIMIT stops them all.

import { hashKey } from '../../value/compare.ts';
import { describeValue } from '../../value/describe-value.ts';
import { isInteger, isNumeric, Struct, type Value } from '../../value/value.ts';
import type { BoundRowCount } from '../bind/bound-query.ts';
import { rowCountInvalid } from '../errors.ts';
import { blameEntry } from './blame-entry.ts';
import type { CompiledSelect } from './compile-query.ts';
import { isRowFailure } from './environment.ts';
import { groupRows } from './group-rows.ts';
import { matchRows } from './match-rows.ts';
import { evaluate, Row, type Run } from './run.ts';
import { sortRows } from './sort-rows.ts';
import { type Flow, isWait, type Task } from './steps.ts';

/** Result rows of a select, in their order. A failure names the entry that caused it. */
export function* selectRows(select: CompiledSelect, run: Run): Flow<Row> {
  try {
    yield* orderedRows(select, run);
  } catch (error) {
    const { bound } = select;
    const keys = run.environment.keys[bound.depth];
    if (isRowFailure(error)) blameEntry(error, bound, (iterator) => keys?.[iterator]);
    throw error;
  }
}

function* orderedRows(select: CompiledSelect, run: Run): Flow<Row> {
  const limit = toRowCount(select.bound.limit, select, run) ?? Number.POSITIVE_INFINITY;
  const offset = toRowCount(select.bound.offset, select, run) ?? 0;
  if (select.bound.shape === 'count') {
    yield* limitRows(countRows(select, limit, run), offset, Number.POSITIVE_INFINITY);
    return;
  }
  if (limit === 0) return;
  let rows = projectRows(select, run);
  if (select.bound.distinct) rows = distinctRows(rows, select, run);
  if (select.sortKeys.length > 0) rows = sortRows(rows, select, offset + limit, run);
  yield* limitRows(rows, offset, limit);
}

/** Null and negative numbers, possible in a parameter, mean no LIMIT and no OFFSET. */
export function toRowCount(
  count: BoundRowCount | undefined,
  select: CompiledSelect,
  run: Run,
): number | undefined {
  if (count === undefined) return undefined;
  if (count.kind === 'rows') return count.rows;
  const value = run.environment.parameters[count.slot] ?? null;
  if (value === null) return undefined;
  if (!isInteger(value)) {
    const place = { text: select.place.text, span: count.span };
    const given = isNumeric(value) ? 'a fraction' : describeValue(value);
    throw rowCountInvalid(place, `A number of rows must be an integer, not ${given}`);
  }
  return value < 0 ? undefined : Number(value);
}

/**
 * COUNT(*) alone: one integer, 0 included. LIMIT bounds the rows counted, except that a plain count
 * of one iterator ignores it.
 */
function* countRows(select: CompiledSelect, limit: number, run: Run): Flow<Row> {
  const isPlain = select.where === undefined && select.sources.length === 1;
  const most = isPlain ? Number.POSITIVE_INFINITY : limit;
  const rows = select.bound.distinct
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
  yield new Row(count, []);
}

function* projectRows(select: CompiledSelect, run: Run): Flow<Row> {
  const steps =
    select.grouping === undefined
      ? matchRows(select, run)
      : groupRows(select, select.grouping, run);
  for (const step of steps) {
    if (isWait(step)) yield step;
    else yield yield* projectRow(select, run);
  }
}

function* projectRow(select: CompiledSelect, run: Run): Task<Row> {
  const { shape } = select.bound;
  const values: Value[] = [];
  for (const projection of select.projections) values.push(yield* evaluate(projection, run));
  const sortValues: Value[] = [];
  for (const { expression, projection } of select.sortKeys) {
    const projected = projection === undefined ? undefined : values[projection];
    sortValues.push(projected !== undefined ? projected : yield* evaluate(expression, run));
  }
  const [bare] = values;
  if (bare !== undefined && (shape === 'bare' || (shape === 'count' && values.length === 1))) {
    return new Row(bare, sortValues);
  }
  return new Row(new Struct(select.names, values), sortValues);
}

/** Keeps the first of equal rows. */
function* distinctRows(rows: Flow<Row>, select: CompiledSelect, run: Run): Flow<Row> {
  const seen = new Set<string>();
  try {
    for (const step of rows) {
      if (isWait(step)) {
        yield step;
        continue;
      }
      const key = hashKey(step.value);
      if (seen.has(key)) continue;
      run.budget.keep(1, select.place);
      seen.add(key);
      yield step;
    }
  } finally {
    run.budget.release(seen.size);
  }
}

function* limitRows(rows: Flow<Row>, offset: number, limit: number): Flow<Row> {
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
