import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { KeyMap } from './key-map.ts';
import { shareOfRuns } from './testing/share-of-runs.ts';

const change = fc.record({ key: fc.nat(12_000), item: fc.nat(5), isAdded: fc.boolean() });

describe('a map in parts', () => {
  it('has the items of a JavaScript map, with one part or many', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0, 4090, 10_000),
        fc.array(change, { maxLength: 40 }),
        (filled, changes) => {
          const map = new KeyMap<number>();
          const expected = new Map<string, number>();
          const set = (key: string, item: number): void => {
            map.set(key, item);
            expected.set(key, item);
          };
          for (let key = 0; key < filled; key += 1) set(`k${key}`, -1);
          for (const { key: number, item, isAdded } of changes) {
            const key = `k${number}`;
            if (!isAdded) set(key, item);
            else {
              assert.equal(map.add(key, item), !expected.has(key));
              if (!expected.has(key)) expected.set(key, item);
            }
          }
          assert.equal(map.size, expected.size);
          for (let key = -1; key <= 12_001; key += 1) {
            assert.equal(map.get(`k${key}`), expected.get(`k${key}`));
            assert.equal(map.has(`k${key}`), expected.has(`k${key}`));
          }
        },
      ),
      { numRuns: shareOfRuns(300) },
    );
  });

  it('takes keys of any length', () => {
    const map = new KeyMap<true>();
    for (let length = 0; length < 6000; length += 1) map.set('x'.repeat(length), true);
    assert.equal(map.size, 6000);
    assert.ok(map.has('') && map.has('x'.repeat(5999)) && !map.has('x'.repeat(6000)));
  });
});
