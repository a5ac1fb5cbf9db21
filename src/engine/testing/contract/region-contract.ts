// Creating, describing and destroying regions.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { IndexDefinition } from '../../index-definition.ts';
import { toEntries } from './collect.ts';
import { changesAfter, put, record } from './commits.ts';
import { definition, type EngineHarness, openOrders, requireRegion } from './harness.ts';
import { rejectsWith } from './refusals.ts';

export function regionContract(harness: EngineHarness): void {
  it('starts without regions, at commit 0', async (t) => {
    const engine = await harness.open(t);
    assert.deepEqual(await engine.describeRegions(), []);
    assert.equal(engine.stats().sequence, 0);
    assert.equal(await engine.openRegion('orders'), undefined);
  });

  it('creates a region once', async (t) => {
    const engine = await harness.open(t);
    assert.equal(await engine.createRegion(definition('orders')), 'created');
    assert.equal(await engine.createRegion(definition('orders', 'PARTITION')), 'exists');
    const region = await engine.openRegion('orders');
    assert.deepEqual(region?.definition, definition('orders'));
  });

  it('describes regions by name with counts and bytes, reserved ones too', async (t) => {
    const engine = await harness.open(t);
    await engine.createRegion({
      name: 'b',
      type: 'PARTITION',
      keyConstraint: 'java.lang.Long',
      valueConstraint: 'org.example.Order',
    });
    await engine.createRegion(definition('_queries'));
    await engine.createRegion(definition('B'));
    const region = await requireRegion(engine, 'b');
    await region.write([put('1', '{"n":"é"}'), put('2', '{}')]);
    assert.deepEqual(await engine.describeRegions(), [
      { ...definition('B'), indexes: [], entryCount: 0, valueBytes: 0 },
      { ...definition('_queries'), indexes: [], entryCount: 0, valueBytes: 0 },
      {
        name: 'b',
        type: 'PARTITION',
        keyConstraint: 'java.lang.Long',
        valueConstraint: 'org.example.Order',
        indexes: [],
        entryCount: 2,
        valueBytes: 12,
      },
    ]);
  });

  it('keeps index definitions as data and forgets them with the region', async (t) => {
    const engine = await harness.open(t);
    const index = {
      name: 'status',
      kind: 'hash',
      expression: 'o.status',
      from: '/orders o',
    } as const;
    assert.deepEqual(await engine.addIndex('orders', index), { kind: 'region-missing' });
    assert.equal(await engine.dropIndex('orders', 'status'), 'region-missing');
    await engine.createRegion(definition('orders'));
    assert.deepEqual(await engine.addIndex('orders', index), { kind: 'added' });
    assert.deepEqual((await engine.describeRegions())[0]?.indexes, [index]);
    await engine.destroyRegion('orders');
    await engine.createRegion(definition('orders'));
    assert.deepEqual((await engine.describeRegions())[0]?.indexes, []);
  });

  it('serializes concurrent changes of index definitions', async (t) => {
    const { engine } = await openOrders(t, harness);
    const index = (name: string, expression: string): IndexDefinition => ({
      name,
      kind: 'range',
      expression,
      from: '/orders o',
    });
    const outcomes = await Promise.all([
      engine.addIndex('orders', index('a', 'o.a')),
      engine.addIndex('orders', index('b', 'o.b')),
      engine.addIndex('orders', index('a', 'o.c')),
      engine.addIndex('orders', index('c', 'o.b')),
      engine.dropIndex('orders', 'a'),
      engine.dropIndex('orders', 'x'),
      engine.addIndex('orders', index('d', 'o.a')),
    ]);
    assert.deepEqual(outcomes, [
      { kind: 'added' },
      { kind: 'added' },
      { kind: 'taken', by: index('a', 'o.a') },
      { kind: 'taken', by: index('b', 'o.b') },
      'dropped',
      'index-missing',
      { kind: 'added' },
    ]);
    const [region] = await engine.describeRegions();
    assert.deepEqual(region?.indexes, [index('b', 'o.b'), index('d', 'o.a')]);
    assert.equal(engine.stats().sequence, 5);
    assert.deepEqual(
      (await changesAfter(engine, 1, 10)).map(({ kind, key }) => `${kind} ${key}`),
      ['add-index a', 'add-index b', 'drop-index a', 'add-index d'],
    );
  });

  it('destroys a region with its entries', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await region.write([put('a', '{}')]);
    assert.equal(await engine.destroyRegion('orders'), 'destroyed');
    assert.equal(await engine.destroyRegion('orders'), 'missing');
    assert.equal(await engine.openRegion('orders'), undefined);
    await engine.createRegion(definition('orders'));
    const again = await requireRegion(engine, 'orders');
    assert.equal(await again.count(), 0);
    assert.deepEqual(await again.read(['a']), [undefined]);
  });

  it('finds nothing through a stale handle and refuses its writes, also when the name is reused', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await region.write([put('a', '{}')]);
    await engine.destroyRegion('orders');
    await engine.createRegion(definition('orders'));
    await (await requireRegion(engine, 'orders')).write([put('a', '{"new":1}')]);
    assert.equal(await region.count(), 0);
    assert.deepEqual(await region.read(['a']), [undefined]);
    assert.deepEqual(toEntries(await region.readFirst(10)), []);
    await rejectsWith(region.write([put('a', '{}')]), 'engine/region-gone');
    await rejectsWith(region.clear(), 'engine/region-gone');
  });

  it('stores nothing in an EMPTY region but reports its writes', async (t) => {
    const engine = await harness.open(t);
    await engine.createRegion(definition('events', 'EMPTY'));
    const region = await requireRegion(engine, 'events');
    const commits = record(engine);
    const before = engine.stats().sequence;
    const outcome = await region.write([put('a', '{"n":1}'), { kind: 'remove', key: 'b' }]);
    assert.deepEqual(outcome, { kind: 'committed', version: before + 1 });
    assert.equal(await region.count(), 0);
    assert.deepEqual(await region.read(['a']), [undefined]);
    assert.deepEqual(commits, [
      {
        sequence: before + 1,
        changes: [
          { kind: 'put', region: 'events', key: 'a', value: '{"n":1}' },
          { kind: 'remove', region: 'events', key: 'b' },
        ],
      },
    ]);
    assert.deepEqual(await changesAfter(engine, before, 10), [
      { sequence: before + 1, kind: 'put', region: 'events', key: 'a' },
      { sequence: before + 1, kind: 'remove', region: 'events', key: 'b' },
    ]);
    assert.equal((await engine.describeRegions())[0]?.valueBytes, 0);
  });
}
