// Aggregates over the rows of one group, each as a fold over its values. null and UNDEFINED are
// skipped by all of them. A sum of integers is exact at any size; the first fraction makes it a
// double.

import { hashKey, sortOrder } from '../../value/compare.ts';
import { describeValue } from '../../value/describe-value.ts';
import { addIntegers, toDouble, toPlainDouble } from '../../value/number.ts';
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
import { Median } from './median.ts';

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
  const fold = FOLDS[aggregate.function](location, onKeep);
  // DISTINCT adds each value once; 1 and 1.0 are equal.
  const seen = aggregate.distinct ? new Set<string>() : undefined;
  const add = (value: Value): void => {
    if (seen !== undefined) {
      const key = hashKey(value);
      if (seen.has(key)) return;
      onKeep();
      seen.add(key);
    }
    if (!isAbsent(value)) fold.add(value);
  };
  return { add, result: () => fold.result() ?? aggregate.ofNothing ?? null };
}

/** Begins with no values. Only those that are neither null nor missing are added. */
type Fold = (location: Location, onKeep: () => void) => Accumulator;

/** Integers and fractions are summed separately, so that the sum of integers stays exact. */
function sum(finish: (total: Numeric, count: number) => Value): Fold {
  return (location) => {
    let integers: Integer = 0;
    let fractions: number | undefined;
    let count = 0;
    const add = (value: Value): void => {
      if (!isNumeric(value)) {
        throw valuesNotComparable(location, `Cannot add ${describeValue(value)} to a sum`);
      }
      if (isInteger(value)) integers = addIntegers(integers, value);
      else fractions = (fractions ?? 0) + value.value;
      count += 1;
    };
    const total = (): Numeric =>
      fractions === undefined ? integers : new Double(toDouble(integers) + fractions);
    return { add, result: () => finish(total(), count) };
  };
}

/** The result so far is the whole state; `start` is that of no values. */
function reduced<Result extends Value>(
  start: Result,
  add: (result: Result, value: Value, location: Location) => Result,
): Fold {
  return (location) => {
    let result = start;
    return {
      add: (value) => {
        result = add(result, value, location);
      },
      result: () => result,
    };
  };
}

function extreme(sign: -1 | 1): Fold {
  return reduced<Value>(null, (best, value, location) => {
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

/** Of a sample, by Welford's method: one pass, and no difference of large sums. */
function variance(name: string, finish: (variance: number) => number): Fold {
  return (location) => {
    let count = 0;
    let mean = 0;
    /** Sum of the squares of differences from the mean. */
    let squares = 0;
    const add = (value: Value): void => {
      if (!isNumeric(value)) {
        const reason = `${name} takes numbers, not ${describeValue(value)}`;
        throw valuesNotComparable(location, reason);
      }
      const number = toDouble(value);
      count += 1;
      const difference = number - mean;
      mean += difference / count;
      squares += difference * (number - mean);
    };
    // null for fewer than two values.
    const result = (): Value => (count < 2 ? null : toPlainDouble(finish(squares / (count - 1))));
    return { add, result };
  };
}

const arrayAgg: Fold = (_, onKeep) => {
  const values: Value[] = [];
  const add = (value: Value): void => {
    values.push(value);
    onKeep();
  };
  return { add, result: () => values };
};

const median: Fold = (location, onKeep) => {
  const numbers = new Median();
  const add = (value: Value): void => {
    if (!isNumeric(value)) {
      throw valuesNotComparable(location, `MEDIAN takes numbers, not ${describeValue(value)}`);
    }
    numbers.add(value);
    onKeep();
  };
  return { add, result: () => numbers.result() };
};

const FOLDS: Readonly<Record<BoundAggregate['function'], Fold>> = {
  count: reduced<number>(0, (count) => count + 1),
  sum: sum((total) => total),
  avg: sum((total, count) => (count === 0 ? null : toPlainDouble(toDouble(total) / count))),
  min: extreme(-1),
  max: extreme(1),
  variance: variance('VARIANCE', (value) => value),
  stddev: variance('STDDEV', Math.sqrt),
  median,
  array_agg: arrayAgg,
  first: reduced<Value>(null, (first, value) => first ?? value),
  last: reduced<Value>(null, (_, value) => value),
};
