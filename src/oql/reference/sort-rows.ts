// ORDER BY, row by row.

import { sortOrder } from '../../value/compare.ts';
import { describeValue } from '../../value/describe-value.ts';
import { isAbsent, type Value } from '../../value/value.ts';
import type { BoundSortKey } from '../bind/bound-query.ts';
import { valuesNotComparable } from '../errors.ts';
import type { CompiledSelect } from './compile-query.ts';
import type { QueryRun, Row } from './query-run.ts';
import { sortItems } from './sort-in-slices.ts';
import { type Flow, isWait, PAUSE } from './steps.ts';

/** At twice the needed rows and so many more, all but the needed rows are dropped. */
const SURPLUS = 4096;

/** ORDER BY. With LIMIT, little more than the needed rows are kept. */
export function* sortRows(
  rows: Flow<Row>,
  select: CompiledSelect,
  limit: number,
  run: QueryRun,
): Flow<Row> {
  const order = rowOrder(select.bound.orderBy);
  const check = columnChecker(select);
  let kept: Row[] = [];
  try {
    for (const step of rows) {
      if (isWait(step)) {
        yield step;
        continue;
      }
      check(step);
      run.budget.keep(1, select.location);
      kept.push(step);
      if (kept.length > 2 * limit + SURPLUS) {
        const first = (yield* sortItems(kept, order, run)).slice(0, limit);
        run.budget.release(kept.length - first.length);
        kept = first;
      }
    }
    for (const row of yield* sortItems(kept, order, run)) {
      yield row;
      if (run.pacer.isDue()) yield PAUSE;
    }
  } finally {
    run.budget.release(kept.length);
  }
}

function rowOrder(keys: readonly BoundSortKey[]): (left: Row, right: Row) => number {
  const signs = keys.map(({ direction }) => (direction === 'asc' ? 1 : -1));
  return (left, right) => {
    for (const [index, sign] of signs.entries()) {
      const order = sortOrder(left.sortValues[index] ?? null, right.sortValues[index] ?? null) ?? 0;
      if (order !== 0) return order * sign;
    }
    return 0;
  };
}

/**
 * Every two values of a sort column must have an order. It is checked row by row and not by the
 * sort, so that the error does not depend on the comparisons of the sort.
 */
function columnChecker({ location, sortKeys }: CompiledSelect): (row: Row) => void {
  const firstValues: (Value | undefined)[] = [];
  return ({ sortValues }) => {
    for (const [index, value] of sortValues.entries()) {
      if (isAbsent(value)) continue;
      const first = firstValues[index];
      firstValues[index] ??= value;
      if (first === undefined || sortOrder(first, value) !== undefined) continue;
      const values = `${describeValue(first)} and ${describeValue(value)}`;
      const reason = `ORDER BY meets ${values}, which have no common order`;
      throw valuesNotComparable(sortKeys[index]?.location ?? location, reason);
    }
  };
}
