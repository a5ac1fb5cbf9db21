// Listeners receive every commit, in order and before its writer.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { EngineListener, MaybePromise, StoredEntry } from '../../engine.ts';
import { commit, put, record } from './commits.ts';
import { definition, type EngineHarness, openOrders } from './harness.ts';

export function listenerContract(harness: EngineHarness): void {
  it('calls listeners in commit order, before the promises settle', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const commits = record(engine);
    const seenWhenSettled: (boolean | undefined)[] = [];
    await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const version = await commit(region, [put(`k${i}`, `{"i":${i}}`)]);
        seenWhenSettled.push(commits.some(({ sequence }) => sequence === version));
      }),
    );
    assert.deepEqual(
      seenWhenSettled,
      Array.from({ length: 30 }, () => true),
    );
    const sequences = commits.map(({ sequence }) => sequence);
    assert.deepEqual(
      sequences,
      Array.from({ length: 30 }, (_, i) => i + 2),
    );
    assert.deepEqual(commits[7]?.changes, [
      { kind: 'put', region: 'orders', key: 'k7', value: '{"i":7}' },
    ]);
  });

  it('shows a listener the state of its commit or a later one', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const reads: MaybePromise<readonly (StoredEntry | undefined)[]>[] = [];
    engine.subscribe({
      onCommit: () => reads.push(region.read(['a'])),
      onReset: () => assert.fail('nothing is missed'),
    });
    await commit(region, [put('a', '{"n":1}')]);
    assert.equal((await reads[0])?.[0]?.value, '{"n":1}');
  });

  it('reports the life of regions', async (t) => {
    const engine = await harness.open(t);
    const commits = record(engine);
    await engine.createRegion(definition('orders'));
    await engine.createRegion(definition('orders'));
    const index = { name: 'i', kind: 'range', expression: 'o.n', from: '/orders o' } as const;
    await engine.addIndex('orders', index);
    await engine.addIndex('orders', index);
    await engine.dropIndex('orders', 'i');
    await engine.dropIndex('orders', 'i');
    await engine.destroyRegion('orders');
    await engine.destroyRegion('orders');
    assert.deepEqual(commits, [
      { sequence: 1, changes: [{ kind: 'create-region', region: 'orders' }] },
      { sequence: 2, changes: [{ kind: 'add-index', region: 'orders', index: 'i' }] },
      { sequence: 3, changes: [{ kind: 'drop-index', region: 'orders', index: 'i' }] },
      { sequence: 4, changes: [{ kind: 'destroy-region', region: 'orders' }] },
    ]);
  });

  it('has reported every acknowledged commit after catching up', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const commits = record(engine);
    const versions: number[] = [];
    for (let i = 0; i < 5; i++) {
      versions.push(await commit(region, [put('a', `{"i":${i}}`)]));
      await engine.catchUp();
      assert.deepEqual(
        commits.map(({ sequence }) => sequence),
        versions,
      );
    }
  });

  it('ends each subscription separately', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const received: number[] = [];
    const listener: EngineListener = {
      onCommit: ({ sequence }) => received.push(sequence),
      onReset: () => assert.fail('nothing is missed'),
    };
    const stopFirst = engine.subscribe(listener);
    const stopSecond = engine.subscribe(listener);
    const first = await commit(region, [put('a', '{}')]);
    stopFirst();
    const second = await commit(region, [put('a', '{}')]);
    stopSecond();
    stopSecond();
    await commit(region, [put('a', '{}')]);
    assert.deepEqual(received, [first, first, second]);
  });

  it('reports no writes whose guards failed', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const commits = record(engine);
    await region.write([put('a', '{}')], [{ kind: 'all-present' }]);
    assert.deepEqual(commits, []);
    assert.equal(engine.stats().sequence, 1);
  });
}
