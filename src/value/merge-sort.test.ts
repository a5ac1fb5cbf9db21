import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { indexesBelow, mergeSort } from './merge-sort.ts';

describe('mergeSort', () => {
  it('sorts as Array.sort does, in steps of any size', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(9), { maxLength: 200 }),
        fc.constantFrom(1, 2, 8, 64),
        fc.constantFrom(1, 4, 32),
        (keys, sortedPerStep, mergedPerStep) => {
          const order = (a: number, b: number): number => (keys[a] ?? 0) - (keys[b] ?? 0);
          const sorting = mergeSort(keys.length, order, { sortedPerStep, mergedPerStep });
          let yields = 0;
          let step = sorting.next();
          for (; step.done !== true; step = sorting.next()) yields += 1;
          assert.deepEqual([...step.value], [...indexesBelow(keys.length)].sort(order));
          assert.ok(yields >= Math.ceil(keys.length / sortedPerStep));
        },
      ),
    );
  });
});
