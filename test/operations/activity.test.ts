import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startActivity } from '../../src/sample/activity.ts';
import { createRandom } from '../../src/sample/random.ts';
import { makeItems, makeOrders } from '../../src/sample/sample-entries.ts';
import { Service } from '../service.ts';
import { until } from '../until.ts';

test('the sample activity writes until it is stopped, and keeps the text of documents', async () => {
  await using service = await Service.start();
  const { engine, grid } = service;
  for (const name of ['orders', 'items']) await grid.createRegion({ name });
  await (await grid.region('orders')).put(makeOrders(), []);
  await (await grid.region('items')).put(makeItems(), []);
  const start = engine.stats().sequence;
  // The shortest waits: the lowest number of each range.
  const random = createRandom(7);
  const between = (low: number, high: number): number =>
    low === 1 && high === 500 ? 1 : random.between(low, high);
  const failures: unknown[] = [];
  const stop = startActivity({
    grid,
    random: { ...random, between },
    wallClock: Date.now,
    onFailure: (error) => failures.push(error),
  });
  await until(() => engine.stats().sequence >= start + 40);
  await stop();
  const end = engine.stats().sequence;
  const outcome = await engine.readChanges(start, 1_000, { values: 'kept' });
  assert.ok(outcome.kind === 'changes');
  const regions = new Set(outcome.changes.map(({ region }) => region));
  assert.deepEqual([...regions].sort(), ['items', 'orders']);
  const orders = outcome.changes.filter(({ region, value }) => region === 'orders' && value);
  assert.ok(orders.every(({ value }) => /"trackingNumber":11529215\d{11},/.test(value ?? '')));
  assert.deepEqual(failures, []);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(engine.stats().sequence, end);
});
