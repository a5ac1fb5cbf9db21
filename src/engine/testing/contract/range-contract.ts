// Compares scans between bounds, in either order, with the sorted list of keys.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../../../value/testing/share-of-runs.ts';
import type { KeyRange } from '../../engine.ts';
import { UNUSUAL_KEYS } from '../unusual-keys.ts';
import { collect, collectKeys, withSnapshot } from './collect.ts';
import { commit, put } from './commits.ts';
import { type EngineHarness, openOrders } from './harness.ts';

/** The entries within a range: the slow and obvious version. */
function select(
  entries: readonly [string, string][],
  { after, from, limit, order, prefix, to }: KeyRange,
): [string, string][] {
  const inOrder = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  if (order === 'desc') inOrder.reverse();
  return inOrder
    .filter(([key]) => after === undefined || (order === 'desc' ? key < after : key > after))
    .filter(([key]) => from === undefined || key >= from)
    .filter(([key]) => to === undefined || key < to)
    .filter(([key]) => prefix === undefined || key.startsWith(prefix))
    .slice(0, limit);
}

const bound = fc.oneof(
  fc.constantFrom(...UNUSUAL_KEYS, '', 'k', 'x', '\ud83d\ude00\ud83d\ude00'),
  fc.constantFrom(...UNUSUAL_KEYS).map((key) => key.slice(0, 1)),
);
const arbitraryRange: fc.Arbitrary<KeyRange> = fc.record(
  {
    after: bound,
    from: bound,
    to: bound,
    prefix: bound,
    order: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.nat(20),
  },
  { requiredKeys: [] },
);

export function rangeContract(harness: EngineHarness): void {
  it('scans the entries within a range, in either order', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const entries = UNUSUAL_KEYS.map((key, i): [string, string] => [key, `{"i":${i},"é":20.0}`]);
    await commit(
      region,
      entries.map(([key, value]) => put(key, value)),
    );
    await withSnapshot(engine, async (snapshot) => {
      await fc.assert(
        fc.asyncProperty(arbitraryRange, async (range) => {
          const expected = select(entries, range);
          assert.deepEqual(await collect(snapshot, 'orders', range), expected);
          assert.deepEqual(
            await collectKeys(snapshot, 'orders', range),
            expected.map(([key]) => key),
          );
        }),
        { numRuns: shareOfRuns(150) },
      );
    });
  });

  it('scans ranges in several batches, whatever the sizes of their values', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const entries = Array.from({ length: 6000 }, (_, i): [string, string] => [
      `${'abc'[i % 3]}${String(i).padStart(5, '0')}`,
      i % 1500 === 7 ? `{"big":"${'y'.repeat(400_000)}"}` : `{"i":${i}}`,
    ]);
    await commit(
      region,
      entries.map(([key, value]) => put(key, value)),
    );
    const ranges: readonly KeyRange[] = [
      { order: 'desc' },
      { prefix: 'b' },
      { prefix: 'b', order: 'desc' },
      { from: 'a03000', to: 'c01000' },
      { from: 'a03000', to: 'c01000', order: 'desc', after: 'b05000', limit: 1500 },
      { from: 'b', to: 'b' },
      { from: 'c', to: 'a', order: 'desc' },
    ];
    await withSnapshot(engine, async (snapshot) => {
      for (const range of ranges) {
        const expected = select(entries, range);
        assert.deepEqual(await collect(snapshot, 'orders', range), expected);
        const keys = expected.map(([key]) => key);
        assert.deepEqual(await collectKeys(snapshot, 'orders', range), keys);
        let batches = 0;
        for await (const batch of snapshot.scan('orders', range, 'entries')) {
          assert.ok(batch.values.bytes.byteLength <= 2.5 * (1 << 20), 'few large values a batch');
          batches += 1;
        }
        if (keys.length > 2500) assert.ok(batches > 1, 'bounded bytes mean more than one batch');
      }
      assert.deepEqual(await collect(snapshot, 'nowhere', { order: 'desc' }), []);
    });
  });
}
