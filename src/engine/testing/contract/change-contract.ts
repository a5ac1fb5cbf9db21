// Changes that are recorded, for readers that were away.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changesAfter, commit, put } from './commits.ts';
import { type EngineHarness, openOrders } from './harness.ts';

export function changeContract(harness: EngineHarness): void {
  it('records every change without its value', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await commit(region, [put('\u{1F600}', '{}'), put('b', '{}')]);
    await commit(region, [{ kind: 'remove', key: 'b' }]);
    await region.clear();
    await engine.destroyRegion('orders');
    assert.deepEqual(await changesAfter(engine, 0, 100), [
      { sequence: 1, kind: 'create-region', region: 'orders', key: null },
      { sequence: 2, kind: 'put', region: 'orders', key: '\u{1F600}' },
      { sequence: 2, kind: 'put', region: 'orders', key: 'b' },
      { sequence: 3, kind: 'remove', region: 'orders', key: 'b' },
      { sequence: 4, kind: 'clear', region: 'orders', key: null },
      { sequence: 5, kind: 'destroy-region', region: 'orders', key: null },
    ]);
    assert.deepEqual(await changesAfter(engine, 5, 100), []);
  });

  it('never splits a commit', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await commit(region, [put('a', '{}'), put('b', '{}'), put('c', '{}')]);
    await commit(region, [put('d', '{}')]);
    const sequences = async (after: number, limit: number): Promise<number[]> =>
      (await changesAfter(engine, after, limit)).map(({ sequence }) => sequence);
    assert.deepEqual(await sequences(0, 0), []);
    assert.deepEqual(await sequences(0, 1), [1]);
    assert.deepEqual(await sequences(0, 3), [1]);
    assert.deepEqual(await sequences(0, 4), [1, 2, 2, 2]);
    assert.deepEqual(await sequences(1, 2), [2, 2, 2]);
    assert.deepEqual(await sequences(2, 2), [3]);
  });

  it('tells a reader that comes too late, whatever it asks for', async (t) => {
    const { engine, region } = await openOrders(t, harness, { maxChanges: 10 });
    for (let i = 0; i < 50; i++) await commit(region, [put('a', '{}'), put('b', '{}')]);
    const outcome = await engine.readChanges(0, 0);
    assert.equal(outcome.kind, 'gone');
    if (outcome.kind !== 'gone') return;
    const { latest, oldest } = outcome;
    assert.equal(latest, engine.stats().sequence);
    assert.deepEqual(await engine.readChanges(oldest - 1, 100), outcome);
    const kept = await changesAfter(engine, oldest, 1000);
    assert.ok(kept.length >= 10, `${kept.length} changes are kept`);
    // From the first to the last commit that is kept, and both changes of each.
    const expected = Array.from({ length: latest - oldest }, (_, i) => oldest + 1 + i);
    assert.deepEqual(
      kept.map(({ key, sequence }) => `${sequence}${key}`),
      expected.flatMap((sequence) => [`${sequence}a`, `${sequence}b`]),
    );
  });

  it('tells a reader that has seen more than there is', async (t) => {
    const { engine } = await openOrders(t, harness);
    assert.deepEqual(await engine.readChanges(2, 10), { kind: 'gone', oldest: 0, latest: 1 });
    assert.deepEqual(await changesAfter(engine, 1, 10), []);
  });
}
