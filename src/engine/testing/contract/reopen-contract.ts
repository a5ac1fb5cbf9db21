// The contents of a store that is opened again.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Engine } from '../../engine.ts';
import { UNUSUAL_KEYS } from '../unusual-keys.ts';
import { collect, collectKeys } from './collect.ts';
import { commit, put } from './commits.ts';
import { definition, type EngineHarness, openOrders, requireRegion } from './harness.ts';

export function reopenContract(
  harness: EngineHarness,
  reopen: NonNullable<EngineHarness['reopen']>,
): void {
  it('has all data after reopening', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const index = { name: 'i', kind: 'range', expression: 'o.n', from: '/orders o' } as const;
    await engine.addIndex('orders', index);
    await commit(
      region,
      UNUSUAL_KEYS.map((key, i) => put(key, `{"i":${i}}`)),
    );
    await engine.createRegion(definition('gone'));
    await engine.destroyRegion('gone');
    const before = await describeWhole(engine);
    await engine.close();
    const again = await reopen(engine);
    assert.deepEqual(await describeWhole(again), before);
    await again.close();
  });

  it('never uses a version twice', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await commit(region, [put('a', '{}')]);
    const { version } = await region.clear();
    await engine.close();
    const again = await reopen(engine);
    assert.equal(await commit(await requireRegion(again, 'orders'), [put('a', '{}')]), version + 1);
    await again.close();
  });
}

async function describeWhole(engine: Engine): Promise<unknown> {
  const regions = await engine.describeRegions();
  const snapshot = await engine.openSnapshot();
  const entries = await Promise.all(
    regions.map(async ({ name }) => {
      const keys = await collectKeys(snapshot, name);
      return { name, rows: await collect(snapshot, name), read: await snapshot.read(name, keys) };
    }),
  );
  snapshot.close();
  const changes = await engine.readChanges(0, 10_000);
  return { regions, sequence: engine.stats().sequence, entries, changes };
}
