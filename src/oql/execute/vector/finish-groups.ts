// What becomes of groups: HAVING, SELECT, DISTINCT, ORDER BY, evaluated by the reference evaluator's
// code, since there are few of them.

import { hashKey, sortOrder, totalOrder } from '../../../value/compare.ts';
import { Struct, UNDEFINED, type Value } from '../../../value/value.ts';
import { type Evaluate, type Group, isRowFailure } from '../environment.ts';
import { toTruth } from '../logic.ts';
import type { Run } from '../run.ts';
import { sortItems } from '../sort-rows.ts';
import { PAUSE, type Task } from '../steps.ts';
import { AskReference, type Runtime } from './runtime.ts';

interface GroupRow {
  readonly value: Value;
  readonly sortValues: readonly Value[];
}

/** The result rows of all groups, before OFFSET and LIMIT. */
export function* finishGroups(
  runtime: Runtime,
  groups: readonly Group[],
  run: Run,
): Task<readonly Value[]> {
  const sorted = yield* sortItems(groups, orderByKeys, run);
  const rows: GroupRow[] = [];
  const seen = new Set<string>();
  for (const group of sorted) {
    const row = finishGroup(runtime, group);
    if (row !== undefined && isFirst(runtime, row.value, seen)) rows.push(row);
    if (run.pacer.isDue()) yield PAUSE;
  }
  const signs = runtime.shape.select.orderBy.map(({ direction }) => (direction === 'asc' ? 1 : -1));
  if (signs.length === 0) return rows.map(({ value }) => value);
  const ordered = yield* sortItems(rows, (left, right) => orderRows(left, right, signs), run);
  return ordered.map(({ value }) => value);
}

function orderByKeys(left: Group, right: Group): number {
  for (const [index, key] of left.keys.entries()) {
    const order = totalOrder(key, right.keys[index] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function isFirst(runtime: Runtime, value: Value, seen: Set<string>): boolean {
  if (!runtime.shape.select.distinct) return true;
  const key = hashKey(value);
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

function finishGroup(runtime: Runtime, group: Group): GroupRow | undefined {
  const { compiled, environment, shape } = runtime;
  environment.groups[shape.select.depth] = group;
  const having = compiled.grouping?.having;
  if (having !== undefined) {
    const truth = ask(runtime, (each) => toTruth(having.evaluate(each), having.place));
    if (truth === UNDEFINED || truth !== true) return undefined;
  }
  const values = compiled.projections.map(({ evaluate }) => ask(runtime, evaluate));
  const sortValues = compiled.sortKeys.map(({ expression, projection }) => {
    const projected = projection === undefined ? undefined : values[projection];
    return projected !== undefined ? projected : ask(runtime, expression.evaluate);
  });
  const [bare] = values;
  if (shape.select.shape === 'bare' && bare !== undefined) return { value: bare, sortValues };
  const names = shape.select.projections.map(({ name }) => name);
  return { value: new Struct(names, values), sortValues };
}

function ask(runtime: Runtime, evaluate: Evaluate): Value {
  try {
    return evaluate(runtime.environment);
  } catch (error) {
    throw isRowFailure(error) ? new AskReference('a group fails', { cause: error }) : error;
  }
}

function orderRows(left: GroupRow, right: GroupRow, signs: readonly number[]): number {
  for (const [index, sign] of signs.entries()) {
    const order = sortOrder(left.sortValues[index] ?? null, right.sortValues[index] ?? null);
    if (order === undefined) throw new AskReference('groups have no common order');
    if (order !== 0) return order * sign;
  }
  return 0;
}
