// The median of numbers that come one by one. The lower half is a heap with its greatest number on
// top, the upper half one with its least. So each number costs a few comparisons when it comes; to
// sort half a million at the end would block other requests for half a second.

import {
  compareNumbers,
  computeArithmetic,
  toDouble,
  toInteger,
  toPlainDouble,
} from '../../value/number.ts';
import type { Numeric, Value } from '../../value/value.ts';

export class Median {
  readonly #lower = new Heap((left, right) => compareNumbers(right, left));
  /** As many numbers as the lower half, or one more. */
  readonly #upper = new Heap(compareNumbers);

  add(value: Numeric): void {
    const { top } = this.#upper;
    const isUpper = top === undefined || compareNumbers(value, top) >= 0;
    (isUpper ? this.#upper : this.#lower).push(value);
    if (this.#upper.size > this.#lower.size + 1) this.#lower.push(this.#upper.pop());
    else if (this.#lower.size > this.#upper.size) this.#upper.push(this.#lower.pop());
  }

  /** The middle number as it is, or the mean of the two in the middle; null for none. */
  result(): Value {
    const upper = this.#upper.top;
    if (upper === undefined) return null;
    const lower = this.#lower.top;
    return lower === undefined || this.#upper.size > this.#lower.size
      ? upper
      : meanOf(lower, upper);
  }
}

function meanOf(lower: Numeric, upper: Numeric): Numeric {
  const sum = computeArithmetic('+', lower, upper);
  if (typeof sum === 'bigint' && sum % 2n === 0n) {
    // A mean that no double has.
    const mean = toInteger(sum / 2n);
    if (typeof mean === 'bigint') return mean;
  }
  // The sum of integers is exact; the sum of two doubles may overflow.
  const isExact = typeof sum === 'bigint' || typeof sum === 'number';
  return toPlainDouble(isExact ? toDouble(sum) / 2 : toDouble(lower) / 2 + toDouble(upper) / 2);
}

/** A binary heap: the children of the number at `i` are at `2i + 1` and `2i + 2`. */
class Heap {
  readonly #numbers: Numeric[] = [];
  readonly #compare: (left: Numeric, right: Numeric) => number;

  constructor(compare: (left: Numeric, right: Numeric) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#numbers.length;
  }

  /** The first number in the order of the heap. */
  get top(): Numeric | undefined {
    return this.#numbers[0];
  }

  push(value: Numeric): void {
    let at = this.#numbers.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const number = this.#numbers[parent] ?? 0;
      if (this.#compare(number, value) <= 0) break;
      this.#numbers[at] = number;
      at = parent;
    }
    this.#numbers[at] = value;
  }

  /** Removes the top; there must be one. */
  pop(): Numeric {
    const top = this.#numbers[0] ?? 0;
    const last = this.#numbers.pop() ?? 0;
    const { length } = this.#numbers;
    if (length === 0) return top;
    let at = 0;
    for (let child = 1; child < length; child = 2 * at + 1) {
      if (child + 1 < length && this.#isBefore(child + 1, child)) child += 1;
      const number = this.#numbers[child] ?? 0;
      if (this.#compare(last, number) <= 0) break;
      this.#numbers[at] = number;
      at = child;
    }
    this.#numbers[at] = last;
    return top;
  }

  #isBefore(left: number, right: number): boolean {
    return this.#compare(this.#numbers[left] ?? 0, this.#numbers[right] ?? 0) < 0;
  }
}
