// Aggregates over the rows of one group, each as a fold over its values. null and UNDEFINED are
// skipped by all of them. A sum of integers is exact at any size; the first fraction makes it a
// double.

import { hashKey, sortOrder } from '../../value/compare.ts';
import { describeValue } from '../../value/describe-value.ts';
import { addIntegers, computeArithmetic, toDouble } from '../../value/number.ts';
import {
  Double,
  type Integer,
  isAbsent,
  isInteger,
  isNumeric,
  type Numeric,
  type Value,
} from '../../value/value.ts';
import type { BoundAggregate } from '../bind/bound-query.ts';
import { type Location, valuesNotComparable } from '../errors.ts';

/** Adds the argument of each row; the result may be read at any time. */
export interface Accumulator {
  add(value: Value): void;
  result(): Value;
}

/**
 * COUNT(*) counts rows, which are added as `true`. `onKeep` is called for each value that the
 * accumulator stores, as DISTINCT and MEDIAN do.
 */
export function createAccumulator(
  aggregate: BoundAggregate,
  location: Location,
  onKeep: () => void,
): Accumulator {
  const fold = FOLDS[aggregate.function];
  // DISTINCT adds each value once; 1 and 1.0 are equal.
  const seen = aggregate.distinct ? new Set<string>() : undefined;
  let state = fold.start();
  const add = (value: Value): void => {
    if (seen !== undefined) {
      const key = hashKey(value);
      if (seen.has(key)) return;
      onKeep();
      seen.add(key);
    }
    if (isAbsent(value)) return;
    state = fold.add(state, value, location);
    if (fold.keepsValues === true) onKeep();
  };
  return { add, result: () => fold.result(state) ?? aggregate.ofNothing ?? null };
}

/** It has methods, because TypeScript then accepts folds of different states in one table. */
interface Fold<State> {
  start(): State;
  /** The state with a value that is neither null nor missing. Throws at the location. */
  add(state: State, value: Value, location: Location): State;
  result(state: State): Value;
  /** Whether the state has every value. */
  readonly keepsValues?: boolean;
}

/** Integers and fractions are summed separately, so that the sum of integers stays exact. */
interface PartialSum {
  integers: Integer;
  fractions: number | undefined;
  count: number;
}

const SUM: Fold<PartialSum> = {
  start: () => ({ integers: 0, fractions: undefined, count: 0 }),
  add: (sum, value, location) => {
    if (!isNumeric(value)) {
      throw valuesNotComparable(location, `Cannot add ${describeValue(value)} to a sum`);
    }
    if (isInteger(value)) sum.integers = addIntegers(sum.integers, value);
    else sum.fractions = (sum.fractions ?? 0) + value.value;
    sum.count += 1;
    return sum;
  },
  result: totalOf,
};

function totalOf({ integers, fractions }: PartialSum): Numeric {
  return fractions === undefined ? integers : new Double(toDouble(integers) + fractions);
}

/** Null for none. */
function averageOf(sum: PartialSum): Value {
  return sum.count === 0 ? null : toPlainDouble(toDouble(totalOf(sum)) / sum.count);
}

/** One of the values; null for none. */
function chosen(add: Fold<Value>['add']): Fold<Value> {
  return { start: () => null, add, result: (value) => value };
}

function extreme(sign: -1 | 1): Fold<Value> {
  return chosen((best, value, location) => {
    // A value that is not comparable with itself has no extreme.
    const other = best ?? value;
    const order = sortOrder(value, other);
    if (order === undefined) {
      const values = `${describeValue(other)} and ${describeValue(value)}`;
      const reason = `${sign < 0 ? 'MIN' : 'MAX'} meets ${values}, which have no common order`;
      throw valuesNotComparable(location, reason);
    }
    return order * sign > 0 ? value : other;
  });
}

interface Variance {
  count: number;
  mean: number;
  /** Sum of the squares of differences from the mean. */
  squares: number;
}

/** Of a sample, by Welford's method: one pass, and no difference of large sums. */
function variance(finish: (variance: number) => number): Fold<Variance> {
  return {
    start: () => ({ count: 0, mean: 0, squares: 0 }),
    add: (state, value, location) => {
      if (!isNumeric(value)) {
        const reason = `Cannot tell how much ${describeValue(value)} varies`;
        throw valuesNotComparable(location, reason);
      }
      const number = toDouble(value);
      state.count += 1;
      const difference = number - state.mean;
      state.mean += difference / state.count;
      state.squares += difference * (number - state.mean);
      return state;
    },
    // null for fewer than two values.
    result: ({ count, squares }) =>
      count < 2 ? null : toPlainDouble(finish(squares / (count - 1))),
  };
}

/** The middle value as it is, or the mean of the two in the middle; null for none. */
function medianOf(values: readonly Numeric[]): Value {
  const sorted = values.toSorted((a, b) => sortOrder(a, b) ?? 0);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) return null;
  if (sorted.length % 2 === 1) return upper;
  const lower = sorted[middle - 1] ?? upper;
  const sum = computeArithmetic('+', lower, upper);
  // The sum of integers is exact; the sum of two doubles may overflow.
  const isExact = typeof sum === 'bigint' || typeof sum === 'number';
  const mean = isExact ? toDouble(sum) / 2 : toDouble(lower) / 2 + toDouble(upper) / 2;
  return toPlainDouble(mean);
}

/** A double that prints without a fraction when it is whole. */
export function toPlainDouble(number: number): Double {
  return Number.isInteger(number) ? new Double(number, String(number)) : new Double(number);
}

const COUNT: Fold<number> = {
  start: () => 0,
  add: (count) => count + 1,
  result: (count) => count,
};

const MEDIAN: Fold<Numeric[]> = {
  start: () => [],
  add: (values, value, location) => {
    if (!isNumeric(value)) {
      throw valuesNotComparable(location, `MEDIAN takes numbers, not ${describeValue(value)}`);
    }
    values.push(value);
    return values;
  },
  result: medianOf,
  keepsValues: true,
};

const ARRAY_AGG: Fold<Value[]> = {
  start: () => [],
  add: (values, value) => {
    values.push(value);
    return values;
  },
  result: (values) => values,
  keepsValues: true,
};

const FOLDS: Readonly<Record<BoundAggregate['function'], Fold<unknown>>> = {
  count: COUNT,
  sum: SUM,
  avg: { ...SUM, result: averageOf },
  min: extreme(-1),
  max: extreme(1),
  variance: variance((value) => value),
  stddev: variance(Math.sqrt),
  median: MEDIAN,
  array_agg: ARRAY_AGG,
  first: chosen((first, value) => first ?? value),
  last: chosen((_, value) => value),
};
