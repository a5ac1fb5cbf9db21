// Aggregates that keep values of their group: MEDIAN, ARRAY_AGG, FIRST, LAST.

import { sortOrder } from '../../value/compare.ts';
import { describeValue } from '../../value/describe-value.ts';
import { computeArithmetic, toDouble } from '../../value/number.ts';
import { isAbsent, isNumeric, type Numeric, type Value } from '../../value/value.ts';
import { type Location, valuesNotComparable } from '../errors.ts';
import type { Accumulator } from './aggregates.ts';
import { toPlainDouble } from './variance.ts';

export class MedianAccumulator implements Accumulator {
  readonly #location: Location;
  readonly #onKeep: () => void;
  readonly #values: Numeric[] = [];

  constructor(location: Location, onKeep: () => void) {
    this.#location = location;
    this.#onKeep = onKeep;
  }

  add(value: Value): void {
    if (isAbsent(value)) return;
    if (!isNumeric(value)) {
      throw valuesNotComparable(this.#location, `${describeValue(value)} has no place in a median`);
    }
    this.#onKeep();
    this.#values.push(value);
  }

  /** The middle value as it is, or the mean of the two in the middle; null for none. */
  result(): Value {
    const sorted = this.#values.toSorted((a, b) => sortOrder(a, b) ?? 0);
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
}

export class ListAccumulator implements Accumulator {
  readonly #onKeep: () => void;
  readonly #values: Value[] = [];

  constructor(onKeep: () => void) {
    this.#onKeep = onKeep;
  }

  add(value: Value): void {
    if (isAbsent(value)) return;
    this.#onKeep();
    this.#values.push(value);
  }

  result(): Value {
    return this.#values;
  }
}

export class FirstAccumulator implements Accumulator {
  #first: Value = null;

  add(value: Value): void {
    if (this.#first === null && !isAbsent(value)) this.#first = value;
  }

  result(): Value {
    return this.#first;
  }
}

export class LastAccumulator implements Accumulator {
  #last: Value = null;

  add(value: Value): void {
    if (!isAbsent(value)) this.#last = value;
  }

  result(): Value {
    return this.#last;
  }
}
