import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareNumbers, printNumber, toDouble } from '../../value/number.ts';
import { pickSeed, shareOfRuns } from '../../value/testing/share-of-runs.ts';
import { Double, isNumeric, type Numeric } from '../../value/value.ts';
import { Median } from './median.ts';

function medianOf(numbers: readonly Numeric[]): string {
  const median = new Median();
  for (const number of numbers) median.add(number);
  const result = median.result();
  assert.ok(isNumeric(result));
  return printNumber(result);
}

describe('the median', () => {
  it('is the middle of the sorted numbers, in whatever order they come', () => {
    const number = fc.oneof(
      fc.integer({ min: -9, max: 9 }),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }),
      fc.double().map((double): Numeric => new Double(double)),
    );
    fc.assert(
      fc.property(fc.array(number, { maxLength: 49 }), number, (others, one) => {
        // An odd count.
        const numbers = others.length % 2 === 0 ? [...others, one] : others;
        const sorted = numbers.toSorted(compareNumbers);
        const middle = sorted[sorted.length >> 1] ?? 0;
        for (const order of [numbers, sorted, sorted.toReversed()]) {
          const median = new Median();
          for (const each of order) median.add(each);
          const result = median.result();
          assert.ok(isNumeric(result) && compareNumbers(result, middle) === 0);
        }
      }),
      { numRuns: shareOfRuns(1000), seed: pickSeed() },
    );
  });

  it('of an even count is the mean of the two in the middle', () => {
    assert.equal(medianOf([4, 1, 3, 2]), '2.5');
    assert.equal(medianOf([3, 1]), '2');
    const large = Number.MAX_VALUE;
    assert.equal(medianOf([new Double(large), new Double(large)]), String(large));
  });

  it('of large integers is exact where a whole number is', () => {
    const large = 2n ** 53n + 1n;
    assert.equal(medianOf([large, large]), String(large));
    assert.equal(medianOf([large, large + 2n]), String(large + 1n));
    assert.equal(medianOf([-large, large]), '0');
  });

  it('is ready after each number: sorting all of them each time would take hours', () => {
    const median = new Median();
    for (let last = 0; last < 100_000; last += 1) {
      median.add(last);
      const result = median.result();
      assert.ok(isNumeric(result) && toDouble(result) === last / 2);
    }
  });

  it('can be read at any time, and is null for no numbers', () => {
    const median = new Median();
    assert.equal(median.result(), null);
    median.add(5);
    assert.equal(median.result(), 5);
    median.add(2);
    median.add(9);
    assert.equal(median.result(), 5);
  });
});
