// The median of numbers that come one by one. The lower half is a heap with its greatest number on
// top, the upper half one with its least. So each number costs a few comparisons when it comes; to
// sort half a million at the end would block other requests for half a second.

import { computeArithmetic, toDouble, toInteger, toPlainDouble } from '../../value/number.ts';
import { NumberHeap } from '../../value/number-heap.ts';
import type { Numeric, Value } from '../../value/value.ts';

export class Median {
  readonly #others: Numeric[] = [];
  readonly #lower = new NumberHeap(-1, this.#others);
  /** As many numbers as the lower half, or one more. */
  readonly #upper = new NumberHeap(1, this.#others);

  add(value: Numeric): void {
    (this.#upper.isBeforeTop(value) ? this.#lower : this.#upper).push(value);
    if (this.#upper.size > this.#lower.size + 1) this.#upper.moveTop(this.#lower);
    else if (this.#lower.size > this.#upper.size) this.#lower.moveTop(this.#upper);
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
