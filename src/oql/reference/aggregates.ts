// Aggregates over the rows of one group. null and UNDEFINED are skipped by all of them. A sum of
// integers is exact at any size; the first fraction makes it a double.

import { hashKey, sortOrder } from '../../value/compare.ts';
import { describeValue } from '../../value/describe-value.ts';
import { addIntegers, toDouble } from '../../value/number.ts';
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
import {
  FirstAccumulator,
  LastAccumulator,
  ListAccumulator,
  MedianAccumulator,
} from './kept-values.ts';
import { toPlainDouble, VarianceAccumulator } from './variance.ts';

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
  onKeep: () => void = () => {},
): Accumulator {
  const accumulator = CREATE[aggregate.function](location, onKeep);
  return aggregate.distinct ? new DistinctAccumulator(accumulator, onKeep) : accumulator;
}

type CreateAccumulator = (location: Location, onKeep: () => void) => Accumulator;

const CREATE: Readonly<Record<BoundAggregate['function'], CreateAccumulator>> = {
  count: () => new CountAccumulator(),
  sum: (location) => new SumAccumulator(location),
  avg: (location) => new AverageAccumulator(location),
  min: (location) => new ExtremeAccumulator(-1, location),
  max: (location) => new ExtremeAccumulator(1, location),
  variance: (location) => new VarianceAccumulator(location, (variance) => variance),
  stddev: (location) => new VarianceAccumulator(location, Math.sqrt),
  median: (location, onKeep) => new MedianAccumulator(location, onKeep),
  array_agg: (_location, onKeep) => new ListAccumulator(onKeep),
  first: () => new FirstAccumulator(),
  last: () => new LastAccumulator(),
};

/** Adds each distinct value once; 1 and 1.0 are equal. */
class DistinctAccumulator implements Accumulator {
  readonly #inner: Accumulator;
  readonly #onKeep: () => void;
  readonly #seen = new Set<string>();

  constructor(inner: Accumulator, onKeep: () => void) {
    this.#inner = inner;
    this.#onKeep = onKeep;
  }

  add(value: Value): void {
    const key = hashKey(value);
    if (this.#seen.has(key)) return;
    this.#onKeep();
    this.#seen.add(key);
    this.#inner.add(value);
  }

  result(): Value {
    return this.#inner.result();
  }
}

class CountAccumulator implements Accumulator {
  #count = 0;

  add(value: Value): void {
    if (!isAbsent(value)) this.#count += 1;
  }

  result(): Value {
    return this.#count;
  }
}

/** Integers and fractions are summed separately, so that the sum of integers stays exact. */
class SumAccumulator implements Accumulator {
  readonly #location: Location;
  #integers: Integer = 0;
  #fractions: number | undefined;

  constructor(location: Location) {
    this.#location = location;
  }

  add(value: Value): void {
    if (isAbsent(value)) return;
    if (!isNumeric(value)) {
      throw valuesNotComparable(this.#location, `Cannot add ${describeValue(value)} to a sum`);
    }
    if (isInteger(value)) this.#integers = addIntegers(this.#integers, value);
    else this.#fractions = (this.#fractions ?? 0) + value.value;
  }

  result(): Numeric {
    if (this.#fractions === undefined) return this.#integers;
    return new Double(toDouble(this.#integers) + this.#fractions);
  }
}

class AverageAccumulator implements Accumulator {
  readonly #sum: SumAccumulator;
  #count = 0;

  constructor(location: Location) {
    this.#sum = new SumAccumulator(location);
  }

  add(value: Value): void {
    this.#sum.add(value);
    if (!isAbsent(value)) this.#count += 1;
  }

  /** A double (NaN for no input) that prints without a fraction when it is whole. */
  result(): Value {
    return toPlainDouble(toDouble(this.#sum.result()) / this.#count);
  }
}

class ExtremeAccumulator implements Accumulator {
  readonly #sign: -1 | 1;
  readonly #location: Location;
  #extreme: Value = null;

  constructor(sign: -1 | 1, location: Location) {
    this.#sign = sign;
    this.#location = location;
  }

  add(value: Value): void {
    if (isAbsent(value)) return;
    if (this.#extreme === null) this.#extreme = value;
    const order = sortOrder(value, this.#extreme);
    if (order === undefined) {
      const values = `${describeValue(this.#extreme)} and ${describeValue(value)}`;
      throw valuesNotComparable(this.#location, `${values} have no common order`);
    }
    if (order * this.#sign > 0) this.#extreme = value;
  }

  result(): Value {
    return this.#extreme;
  }
}
