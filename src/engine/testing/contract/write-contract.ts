// Effects and outcomes of writes.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { commit, put, record } from './commits.ts';
import { definition, type EngineHarness, openOrders, requireRegion } from './harness.ts';

export function writeContract(harness: EngineHarness): void {
  it('gives every entry of a write the version of its commit', async (t) => {
    const { region } = await openOrders(t, harness);
    const first = await commit(region, [put('a', '{}'), put('b', '{}')]);
    const second = await commit(region, [put('b', '{}')]);
    assert.equal(second, first + 1);
    const [a, b] = await region.read(['a', 'b']);
    assert.deepEqual([a?.version, b?.version], [first, second]);
  });

  it('gives concurrent writes different versions', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const before = engine.stats().sequence;
    const versions = await Promise.all(
      Array.from({ length: 50 }, (_, i) => commit(region, [put('a', `{"i":${i}}`)])),
    );
    assert.deepEqual(
      versions,
      Array.from({ length: 50 }, (_, i) => before + 1 + i),
    );
    assert.deepEqual(await region.read(['a']), [{ value: '{"i":49}', version: before + 50 }]);
    const stats = engine.stats();
    assert.equal(stats.writes, before + 50);
    assert.equal(
      stats.batchSizes.reduce((sum, commits) => sum + commits, 0),
      stats.commits,
    );
  });

  it('makes a write visible to readers once it is acknowledged', async (t) => {
    const { region } = await openOrders(t, harness);
    for (let i = 0; i < 20; i++) {
      await commit(region, [put(`k${i % 5}`, `{"i":${i}}`)]);
      assert.equal((await region.read([`k${i % 5}`]))[0]?.value, `{"i":${i}}`);
      assert.equal(await region.count(), Math.min(i + 1, 5));
    }
  });

  it('removes entries and updates the count', async (t) => {
    const { region } = await openOrders(t, harness);
    await commit(region, [put('a', '{}'), put('b', '{}')]);
    await commit(region, [{ kind: 'remove', key: 'a' }, put('c', '{}'), put('b', '{"n":1}')]);
    assert.equal(await region.count(), 2);
    assert.deepEqual(
      (await region.read(['a', 'b', 'c'])).map((entry) => entry?.value),
      [undefined, '{"n":1}', '{}'],
    );
  });

  it('answers a write that changes nothing with the latest commit', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const latest = await commit(region, [put('a', '{}')]);
    const commits = record(engine);
    assert.equal(await commit(region, [{ kind: 'remove', key: 'x' }]), latest);
    assert.equal(await commit(region, []), latest);
    assert.equal(engine.stats().sequence, latest);
    assert.deepEqual(commits, []);
  });

  it('reports only what a write changed', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const commits = record(engine);
    const version = await commit(region, [{ kind: 'remove', key: 'x' }, put('a', '{}')]);
    const changes = [{ kind: 'put', region: 'orders', key: 'a', value: '{}' }];
    assert.deepEqual(commits, [{ sequence: version, changes }]);
  });

  it('clears a region in one commit, and versions continue', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const before = await commit(region, [put('a', '{}'), put('b', '{}')]);
    const commits = record(engine);
    assert.deepEqual(await region.clear(), { kind: 'committed', version: before + 1 });
    assert.deepEqual(commits, [
      { sequence: before + 1, changes: [{ kind: 'clear', region: 'orders' }] },
    ]);
    assert.equal(await region.count(), 0);
    assert.equal((await engine.describeRegions())[0]?.valueBytes, 0);
    assert.deepEqual(await region.read(['a']), [undefined]);
    assert.deepEqual(await region.clear(), { kind: 'committed', version: before + 1 });
    assert.equal(await commit(region, [put('a', '{}')]), before + 2);
  });

  it('keeps regions apart', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await engine.createRegion(definition('items'));
    const items = await requireRegion(engine, 'items');
    await Promise.all([
      commit(region, [put('a', '{"o":1}')]),
      commit(items, [put('a', '{"i":1}')]),
    ]);
    assert.equal((await region.read(['a']))[0]?.value, '{"o":1}');
    assert.equal((await items.read(['a']))[0]?.value, '{"i":1}');
    await items.clear();
    assert.equal(await region.count(), 1);
  });
}
