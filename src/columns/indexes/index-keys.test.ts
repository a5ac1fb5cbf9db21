import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../../value/testing/share-of-runs.ts';
import { EntryList } from './entry-list.ts';
import { SortedKeys } from './index-keys.ts';
import { byNumber } from './sorted-blocks.ts';

/** Few keys and rows, so that entries are often added and removed again between two reads. */
const entry = fc.record({ key: fc.integer({ min: -3, max: 3 }), row: fc.nat({ max: 5 }) });
const step = fc.oneof(
  fc.record({ kind: fc.constant('change' as const), entry }),
  fc.record({ kind: fc.constant('read' as const), entry }),
  fc.record({ kind: fc.constant('merge some' as const), entry }),
);

const ALL = [() => 1, () => -1] as const;

function rowsOf(keys: SortedKeys, key: number): readonly number[] {
  const rows: number[] = [];
  keys.forEach(...ALL, key, (row) => rows.push(row));
  return rows;
}

describe('sorted keys', () => {
  for (const [title, order] of [
    ['numbers', byNumber],
    ['keys in an order of their own', (a: number, b: number) => b - a],
  ] as const) {
    it(`give every reader the entries of its commit: ${title}`, () => {
      fc.assert(
        fc.property(fc.array(entry, { maxLength: 30 }), fc.array(step), (initial, steps) => {
          // The oracle is a list of entries. A row may have a key twice, through two of its items.
          const expected = initial.slice();
          const loaded = new EntryList();
          for (const { key, row } of initial.toSorted((a, b) => a.row - b.row)) {
            loaded.push(key, row);
          }
          const keys = new SortedKeys(order);
          for (const _ of keys.load(loaded));
          const check = (): void => {
            const rows: number[] = [];
            keys.forEach(...ALL, undefined, (row) => rows.push(row));
            const sorted = expected.toSorted((a, b) => order(a.key, b.key) || a.row - b.row);
            assert.deepEqual(
              rows,
              sorted.map(({ row }) => row),
            );
            assert.equal(keys.pending, 0);
            assert.equal(keys.count(...ALL, undefined), expected.length);
            for (let key = -4; key <= 4; key += 1) {
              const ofKey = sorted.filter((each) => each.key === key).map(({ row }) => row);
              assert.deepEqual(rowsOf(keys, key), ofKey);
              assert.equal(keys.count(...ALL, key), ofKey.length);
            }
          };
          for (const { kind, entry: each } of steps) {
            if (kind === 'read') check();
            else if (kind === 'merge some') keys.mergePending().next();
            else {
              const at = expected.findIndex(({ key, row }) => key === each.key && row === each.row);
              if (at < 0) {
                keys.insert(each.key, each.row);
                expected.push(each);
              } else {
                keys.remove(each.key, each.row);
                expected.splice(at, 1);
              }
            }
          }
          check();
        }),
        { numRuns: shareOfRuns(2_500) },
      );
    });
  }

  for (const [title, order] of [
    ['numbers', byNumber],
    ['keys in an order of their own', (a: number, b: number) => b - a],
  ] as const) {
    it(`are loaded from a list of several segments: ${title}`, () => {
      const entries = new EntryList();
      const bytes = entries.sizeBytes();
      // Each key has two rows.
      for (let row = 0; row < 40_000; row += 1) entries.push((row * 7919) % 20_000, row);
      assert.ok(entries.sizeBytes() >= bytes + 39_000 * 12);
      const keys = new SortedKeys(order);
      for (const _ of keys.load(entries));
      const found: number[] = [];
      keys.forEach(...ALL, undefined, (row) => {
        found.push(row);
      });
      const keyOf = (row: number): number => (row * 7919) % 20_000;
      const expected = Array.from({ length: 40_000 }, (_, row) => row).sort(
        (a, b) => order(keyOf(a), keyOf(b)) || a - b,
      );
      assert.deepEqual(found, expected);
    });
  }

  it('find the rows of a key in several blocks, and none of a key that is absent', () => {
    const keys = new SortedKeys(byNumber);
    const rows = Array.from({ length: 3000 }, (_, row) => row);
    for (const row of rows) keys.insert(row < 10 ? 1 : row < 2990 ? 2 : 4, row);
    for (const [key, expected] of [
      [0, []],
      [1, rows.slice(0, 10)],
      [2, rows.slice(10, 2990)],
      [3, []],
      [4, rows.slice(2990)],
      [5, []],
    ] as const) {
      assert.deepEqual(rowsOf(keys, key), expected);
      assert.equal(keys.count(...ALL, key), expected.length);
    }
  });

  it('apply many changes in many steps, and count them until all are applied', () => {
    const keys = new SortedKeys(byNumber);
    const empty = keys.sizeBytes();
    for (let row = 0; row < 5000; row += 1) keys.insert((row * 7919) % 5000, row);
    assert.equal(keys.pending, 5000);
    assert.ok(keys.sizeBytes() > empty + 5000 * 13);
    let steps = 0;
    for (const _ of keys.mergePending()) {
      steps += 1;
      if (steps === 12) keys.insert(5000, 5000);
      if (steps > 12) assert.equal(keys.pending, 5001);
    }
    assert.ok(steps > 20, `${steps} steps`);
    assert.equal(keys.pending, 1, 'changes made meanwhile');
    const rows: number[] = [];
    keys.forEach(...ALL, undefined, (row) => rows.push(row));
    assert.deepEqual(
      rows.map((row) => (row === 5000 ? 5000 : (row * 7919) % 5000)),
      Array.from({ length: 5001 }, (_, key) => key),
    );
  });
});
