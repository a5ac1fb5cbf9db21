import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryEngine } from '../engine/memory/memory-engine.ts';
import { RegionWrites } from './region-writes.ts';

test('every change of a region counts, until the region is destroyed', async () => {
  const engine = new MemoryEngine();
  const writes = new RegionWrites(engine);
  const definition = { type: 'REPLICATE', keyConstraint: null, valueConstraint: null } as const;
  await engine.createRegion({ name: 'orders', ...definition });
  const orders = await engine.openRegion('orders');
  const before = countOf(writes);
  await orders?.write([
    { kind: 'put', key: 'a', value: '2' },
    { kind: 'put', key: 'b', value: '3' },
  ]);
  await orders?.write([{ kind: 'remove', key: 'a' }]);
  assert.equal(countOf(writes) - before, 3);
  await engine.destroyRegion('orders');
  assert.equal(countOf(writes), 0);
  writes.close();
  await engine.close();
});

function countOf(writes: RegionWrites): number {
  return writes.list().find(({ region }) => region === 'orders')?.writes ?? 0;
}
