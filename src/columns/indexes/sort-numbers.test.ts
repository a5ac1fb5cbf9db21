import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../../value/testing/share-of-runs.ts';
import { EntryList } from './entry-list.ts';
import { sortNumbers } from './sort-numbers.ts';

const key = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 2 ** 31, 2 ** 53, -(2 ** 53), 5e-324, -5e-324, 1e308, -1e308),
  fc.integer({ min: -5, max: 5 }),
  fc.integer(),
  fc.double({ noNaN: true }),
);

describe('sortNumbers', () => {
  it('sorts as Array.sort does, equal keys in their order', () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 200 }), (keys) => {
        const entries = new EntryList();
        for (const [row, each] of keys.entries()) entries.push(each, row);
        const sorting = sortNumbers(entries);
        let step = sorting.next();
        while (step.done !== true) step = sorting.next();
        const expected = [...keys.keys()].sort((a, b) => {
          const [left = 0, right = 0] = [keys[a], keys[b]];
          return left < right ? -1 : Number(left > right);
        });
        assert.deepEqual([...step.value], expected);
      }),
      { numRuns: shareOfRuns(3_000) },
    );
  });

  it('sorts more numbers than a segment and a step have', () => {
    const entries = new EntryList();
    for (let row = 0; row < 50_000; row += 1) entries.push(((row * 7919) % 50_000) - 20_000, row);
    let steps = 0;
    const sorting = sortNumbers(entries);
    let step = sorting.next();
    for (; step.done !== true; step = sorting.next()) steps += 1;
    const keys = Array.from(step.value, (index) => entries.keyAt(index));
    assert.deepEqual(
      keys,
      Array.from({ length: 50_000 }, (_, at) => at - 20_000),
    );
    assert.ok(steps > 30, `${steps} steps`);
  });
});
