// Closing an engine.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { commit, put, record } from './commits.ts';
import { definition, type EngineHarness, openOrders } from './harness.ts';
import { rejectsWith } from './refusals.ts';

export function closeContract(harness: EngineHarness): void {
  it('finishes the writes it has accepted', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const commits = record(engine);
    const writes = Array.from({ length: 10 }, (_, i) => commit(region, [put(`k${i}`, '{}')]));
    const closing = engine.close();
    assert.deepEqual(
      await Promise.all(writes),
      Array.from({ length: 10 }, (_, i) => i + 2),
    );
    await closing;
    assert.equal(commits.length, 10);
  });

  it('refuses everything afterwards, and can be called twice', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const snapshot = await engine.openSnapshot();
    await Promise.all([engine.close(), engine.close()]);
    await engine.close();
    const refused: Promise<unknown>[] = [
      engine.describeRegions(),
      engine.openRegion('orders'),
      engine.createRegion(definition('x')),
      engine.destroyRegion('orders'),
      engine.addIndex('orders', { name: 'i', kind: 'key', expression: 'o.n', from: '/orders o' }),
      engine.dropIndex('orders', 'i'),
      engine.openSnapshot(),
      engine.readChanges(0, 1),
      Promise.resolve(region.count()),
      Promise.resolve(region.read(['a'])),
      Promise.resolve(region.read(['a', 'b'])),
      Promise.resolve(region.readTogether(['a'])),
      Promise.resolve(region.readFirst(1)),
      region.write([put('a', '{}')]),
      region.clear(),
      snapshot.read('orders', ['a']),
    ];
    for (const promise of refused) await rejectsWith(promise, 'engine/closed');
    snapshot.close();
  });
}
