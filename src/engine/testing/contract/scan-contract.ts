// Scans of a whole region in batches.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { collect, collectKeys, collectValues, withSnapshot } from './collect.ts';
import { commit, put } from './commits.ts';
import { type EngineHarness, openOrders } from './harness.ts';
import { hasCode, rejectsWith } from './refusals.ts';

export function scanContract(harness: EngineHarness): void {
  it('scans a region in several batches, in order, from any key, up to any limit', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const entries = Array.from({ length: 3000 }, (_, i): [string, string] => [
      `k${String(i).padStart(5, '0')}`,
      `{"i":${i},"pad":"${'x'.repeat(300)}"}`,
    ]);
    await commit(
      region,
      entries.map(([key, value]) => put(key, value)),
    );
    const keys = entries.map(([key]) => key);
    await withSnapshot(engine, async (snapshot) => {
      let batches = 0;
      for await (const batch of snapshot.scan('orders', {}, 'entries')) {
        assert.ok(batch.keys.ends.length > 0);
        batches += 1;
      }
      assert.ok(batches > 1, 'bounded bytes mean more than one batch');
      assert.deepEqual(await collect(snapshot, 'orders'), entries);
      assert.deepEqual(await collectKeys(snapshot, 'orders'), keys);
      for (const limit of [0, 1, 50, 1024, 2999, 3000, 9999]) {
        assert.deepEqual(await collect(snapshot, 'orders', { limit }), entries.slice(0, limit));
        assert.deepEqual(await collectKeys(snapshot, 'orders', { limit }), keys.slice(0, limit));
      }
      const range = { after: 'k01499', limit: 1000 };
      assert.deepEqual(await collect(snapshot, 'orders', range), entries.slice(1500, 2500));
      assert.deepEqual(await collectKeys(snapshot, 'orders', range), keys.slice(1500, 2500));
      assert.deepEqual(
        await collect(snapshot, 'orders', { after: 'k01499x' }),
        entries.slice(1500),
      );
      assert.deepEqual(await collect(snapshot, 'orders', { after: 'z' }), []);
    });
  });

  it('scans values of very different sizes', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const entries = Array.from({ length: 200 }, (_, i): [string, string] => [
      `k${String(i).padStart(3, '0')}`,
      i % 50 === 7 ? `{"big":"${'y'.repeat(1 << 20)}"}` : `{"i":${i}}`,
    ]);
    await commit(
      region,
      entries.map(([key, value]) => put(key, value)),
    );
    await withSnapshot(engine, async (snapshot) => {
      assert.deepEqual(await collect(snapshot, 'orders'), entries);
      for await (const batch of snapshot.scan('orders', {}, 'entries')) {
        assert.ok(batch.values.bytes.byteLength <= 2.5 * (1 << 20), 'few large values a batch');
      }
    });
  });

  it('fails a scan whose snapshot is closed half-way, and every later use', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const value = `"${'x'.repeat(200_000)}"`;
    await commit(
      region,
      Array.from({ length: 20 }, (_, i) => put(`k${i}`, value)),
    );
    const snapshot = await engine.openSnapshot();
    const scan = snapshot.scan('orders', {}, 'entries')[Symbol.asyncIterator]();
    assert.equal((await scan.next()).done, false);
    snapshot.close();
    await rejectsWith(scan.next(), 'engine/closed');
    await rejectsWith(snapshot.read('orders', ['a']), 'engine/closed');
    await rejectsWith(collect(snapshot, 'orders'), 'engine/closed');
    await rejectsWith(collectValues(snapshot, 'orders'), 'engine/closed');
    await rejectsWith(collectKeys(snapshot, 'orders'), 'engine/closed');
    assert.throws(() => snapshot.count('orders'), hasCode('engine/closed'));
  });
}
