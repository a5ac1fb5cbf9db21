import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Bounds } from '../../value/column-data.ts';
import { intersectBounds, uniteBounds } from './bounds.ts';

const bound = fc.option(
  fc.record({ key: fc.integer({ min: 0, max: 6 }), inclusive: fc.boolean() }),
  {
    nil: undefined,
  },
);
const ranges = fc.array(fc.record({ low: bound, high: bound }), { maxLength: 4 });
/** Keys at the bounds, between them and beyond them. */
const KEYS = Array.from({ length: 17 }, (_, at) => (at - 1) / 2);

function holds({ low, high }: Bounds<number>, key: number): boolean {
  const isAbove = low === undefined || key > low.key || (low.inclusive && key === low.key);
  const isBelow = high === undefined || key < high.key || (high.inclusive && key === high.key);
  return isAbove && isBelow;
}

const times = (list: readonly Bounds<number>[], key: number): number =>
  list.filter((range) => holds(range, key)).length;

describe('ranges of keys', () => {
  it('have as a union every key of each, and none twice', () => {
    fc.assert(
      fc.property(ranges, (list) => {
        const united = uniteBounds(list);
        for (const key of KEYS) {
          assert.equal(times(united, key), Math.min(1, times(list, key)), `${key}`);
        }
      }),
    );
  });

  it('have as an intersection the keys of both', () => {
    fc.assert(
      fc.property(ranges, ranges, (a, b) => {
        const both = intersectBounds(a, b);
        for (const key of KEYS) {
          const isInBoth = times(a, key) > 0 && times(b, key) > 0;
          assert.equal(times(both, key), Number(isInBoth), `${key}`);
        }
      }),
    );
  });

  it('are united in time proportional to their number, not its square', () => {
    let reads = 0;
    const points = (from: number, size: number): readonly Bounds<unknown>[] =>
      Array.from({ length: size }, (_, at) => {
        const key = {
          valueOf: () => {
            reads += 1;
            return from + ((at * 7919) % size) * 2;
          },
        };
        return { low: { key, inclusive: true }, high: { key, inclusive: true } };
      });
    const size = 4096;
    assert.equal(uniteBounds(points(0, size)).length, size);
    assert.equal(intersectBounds(points(0, size), points(1, size)).length, 0);
    assert.ok(reads < size * 200, `${reads} keys were compared`);
  });
});
