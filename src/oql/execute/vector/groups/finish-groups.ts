// Finishes groups: HAVING, SELECT, DISTINCT and ORDER BY, evaluated by the reference evaluator's
// code, since there are few. Where there are many, only one is materialised at a time, unless they
// have to be sorted.

import { hashKey, sortOrder } from '../../../../value/compare.ts';
import { isAbsent, Struct, UNDEFINED, type Value } from '../../../../value/value.ts';
import { type Evaluate, type Group, isRowFailure } from '../../../reference/environment.ts';
import { toTruth } from '../../../reference/logic.ts';
import type { Run } from '../../../reference/run.ts';
import { sortIndexes, sortItems } from '../../../reference/sort-in-slices.ts';
import { type Flow, isWait, PAUSE } from '../../../reference/steps.ts';
import { UNSEEN } from '../codes/number-codes.ts';
import { TextCodes } from '../codes/text-codes.ts';
import { FallBackToRows, type Runtime } from '../runtime.ts';
import type { Groups } from './grouper.ts';

interface GroupRow {
  readonly value: Value;
  readonly sortValues: readonly Value[];
}

/** Beyond so many rows more than wanted, the surplus is sorted out. */
const SURPLUS = 4096;

/** The result rows of all groups, before OFFSET and LIMIT, of which the first `wanted` count. */
export function* finishGroups(
  runtime: Runtime,
  groups: Groups,
  wanted: number,
  run: Run,
): Flow<Value> {
  const rows = finishRows(runtime, groups, run);
  const signs = runtime.shape.select.orderBy.map(({ direction }) => (direction === 'asc' ? 1 : -1));
  if (signs.length === 0) {
    for (const step of rows) yield isWait(step) ? step : step.value;
    return;
  }
  const order = (left: GroupRow, right: GroupRow): number => orderRows(left, right, signs);
  const firsts: Value[] = [];
  let kept: GroupRow[] = [];
  for (const step of rows) {
    if (isWait(step)) {
      yield step;
      continue;
    }
    requireOrder(firsts, step.sortValues);
    kept.push(step);
    if (kept.length > 2 * wanted + SURPLUS) {
      kept = (yield* sortItems(kept, order, run)).slice(0, wanted);
    }
  }
  for (const { value } of yield* sortItems(kept, order, run)) yield value;
}

/** The rows of the groups that HAVING and DISTINCT leave, in the order of their keys. */
function* finishRows(runtime: Runtime, groups: Groups, run: Run): Flow<GroupRow> {
  const seen = new TextCodes();
  for (const group of yield* sortIndexes(groups.size, groups.order, run)) {
    const row = finishGroup(runtime, groups.group(group));
    if (row !== undefined && isFirst(runtime, row.value, seen)) yield row;
    if (run.pacer.isDue()) yield PAUSE;
  }
}

/** Every two sort values must have an order, those of rows that are cut too. */
function requireOrder(firsts: Value[], values: readonly Value[]): void {
  for (const [index, value] of values.entries()) {
    if (isAbsent(value)) continue;
    const first = firsts[index];
    if (first === undefined) firsts[index] = value;
    else if (sortOrder(first, value) === undefined) throw new FallBackToRows(NO_ORDER);
  }
}

const NO_ORDER = 'groups have no common order';

function isFirst(runtime: Runtime, value: Value, seen: TextCodes): boolean {
  if (!runtime.shape.select.distinct) return true;
  const key = hashKey(value);
  if (seen.find(key) !== UNSEEN) return false;
  seen.add(key, 1);
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
    throw isRowFailure(error) ? new FallBackToRows('a group fails', { cause: error }) : error;
  }
}

function orderRows(left: GroupRow, right: GroupRow, signs: readonly number[]): number {
  for (const [index, sign] of signs.entries()) {
    const order = sortOrder(left.sortValues[index] ?? null, right.sortValues[index] ?? null);
    if (order === undefined) throw new FallBackToRows(NO_ORDER);
    if (order !== 0) return order * sign;
  }
  return 0;
}
