import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultLimits } from '../app/testing/default-limits.ts';
import { MemoryEngine } from '../engine/memory/memory-engine.ts';
import { plainRegion } from '../engine/testing/plain-region.ts';
import type { PageMaker } from './first-page.ts';
import type { FirstEntries, GridRegion } from './grid-region.ts';
import { RegionDirectory } from './region-directory.ts';
import { UniqueRules } from './unique/unique-rules.ts';

/** Makes pages that are the batches themselves. */
const keepFirst: PageMaker<FirstEntries> = (_region, _limit, first) => first;

async function openOrders(): Promise<{
  readonly engine: MemoryEngine;
  readonly directory: RegionDirectory;
  readonly region: GridRegion;
}> {
  const engine = new MemoryEngine();
  await engine.createRegion(plainRegion('orders'));
  const directory = new RegionDirectory({
    engine,
    limits: defaultLimits,
    unique: new UniqueRules(engine),
    wallClock: Date.now,
  });
  const region = await directory.open('orders');
  assert.ok(region !== undefined);
  return { engine, directory, region };
}

test('a region is opened once and then found at once', async () => {
  const { directory, region } = await openOrders();
  assert.equal(directory.find('orders'), region);
  assert.equal(await directory.open('orders'), region);
  assert.equal(directory.find('items'), undefined);
  assert.equal(await directory.open('items'), undefined);
});

test('a reserved region is never returned', async () => {
  const { directory, engine } = await openOrders();
  await engine.createRegion(plainRegion('_queries'));
  assert.equal(await directory.open('_queries'), undefined);
});

test('a destroyed region is forgotten, also when it is created again', async () => {
  const { directory, engine, region } = await openOrders();
  await region.put([{ key: 'a', value: '{}' }], []);
  await engine.destroyRegion('orders');
  assert.equal(directory.find('orders'), undefined);
  assert.equal(await directory.open('orders'), undefined);
  await engine.createRegion(plainRegion('orders'));
  const again = await directory.open('orders');
  assert.notEqual(again, region);
  assert.equal(await again?.count(), 0);
});

test('a region that is destroyed while it is being opened is not cached', async () => {
  const engine = new MemoryEngine();
  await engine.createRegion(plainRegion('orders'));
  const directory = new RegionDirectory({
    engine,
    limits: defaultLimits,
    unique: new UniqueRules(engine),
    wallClock: Date.now,
  });
  const opening = directory.open('orders');
  const destroying = engine.destroyRegion('orders');
  await Promise.all([opening, destroying]);
  assert.equal(directory.find('orders'), undefined);
});

test('a page is cached from its second request until its region changes', async () => {
  const { engine, region } = await openOrders();
  await engine.createRegion(plainRegion('items'));
  const items = await engine.openRegion('items');
  await region.put([{ key: 'a', value: '{"n":1}' }], []);
  const first = await region.makePage(50, keepFirst);
  const second = await region.makePage(50, keepFirst);
  assert.deepEqual([first.isCached, second.isCached], [false, true]);
  assert.notEqual(second.page, first.page);
  assert.equal(await region.makePage(50, keepFirst), second);
  await items?.write([{ kind: 'put', key: 'x', value: '{}' }]);
  assert.equal(await region.makePage(50, keepFirst), second);
  assert.deepEqual((await region.makePage(0, keepFirst)).page.keys, []);
  assert.equal(await region.makePage(50, keepFirst), second);

  const changes = [
    () => region.put([{ key: 'b', value: '{"n":2}' }], []),
    () => region.put([{ key: 'b', value: '{"n":3}' }], []),
    () => region.remove(['b'], []),
    () => region.clear(),
  ];
  for (const change of changes) {
    await region.makePage(50, keepFirst);
    const before = await region.makePage(50, keepFirst);
    assert.ok(before.isCached);
    await change();
    const after = await region.makePage(50, keepFirst);
    assert.ok(!after.isCached);
    assert.deepEqual(after.page, await (await engine.openRegion('orders'))?.readFirst(50));
  }
});

test('requests for different pages cache none', async () => {
  const { region } = await openOrders();
  await region.put([{ key: 'a', value: '{"n":1}' }], []);
  for (const limit of [1, 2, 1, 2, 3, 1]) {
    assert.ok(!(await region.makePage(limit, keepFirst)).isCached);
  }
});

test('a large page is read each time', async () => {
  const { region } = await openOrders();
  const value = `{"text":"${'x'.repeat(70_000)}"}`;
  await region.put([{ key: 'a', value }], []);
  for (let i = 0; i < 3; i += 1) assert.ok(!(await region.makePage(50, keepFirst)).isCached);
});

test('after closing nothing is cached', async () => {
  const { directory } = await openOrders();
  directory.close();
  assert.equal(directory.find('orders'), undefined);
});
