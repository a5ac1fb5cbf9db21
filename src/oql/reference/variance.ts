// VARIANCE and STDDEV of a sample, by Welford's method: one pass, and no difference of large sums.

import { describeValue } from '../../value/describe-value.ts';
import { toDouble } from '../../value/number.ts';
import { Double, isAbsent, isNumeric, type Value } from '../../value/value.ts';
import { type Location, valuesNotComparable } from '../errors.ts';
import type { Accumulator } from './aggregates.ts';

export class VarianceAccumulator implements Accumulator {
  readonly #location: Location;
  readonly #finish: (variance: number) => number;
  #count = 0;
  #mean = 0;
  /** Sum of the squares of differences from the mean. */
  #squares = 0;

  constructor(location: Location, finish: (variance: number) => number) {
    this.#location = location;
    this.#finish = finish;
  }

  add(value: Value): void {
    if (isAbsent(value)) return;
    if (!isNumeric(value)) {
      const reason = `Cannot tell how much ${describeValue(value)} varies`;
      throw valuesNotComparable(this.#location, reason);
    }
    const number = toDouble(value);
    this.#count += 1;
    const difference = number - this.#mean;
    this.#mean += difference / this.#count;
    this.#squares += difference * (number - this.#mean);
  }

  /** null for fewer than two values. */
  result(): Value {
    if (this.#count < 2) return null;
    return toPlainDouble(this.#finish(this.#squares / (this.#count - 1)));
  }
}

/** A double that prints without a fraction when it is whole. */
export function toPlainDouble(number: number): Double {
  return Number.isInteger(number) ? new Double(number, String(number)) : new Double(number);
}
