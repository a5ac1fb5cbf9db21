// One commit over several regions.

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Engine, Region } from '../../engine.ts';
import { changesAfter, commit, put, record } from './commits.ts';
import { definition, type EngineHarness, openOrders, requireRegion } from './harness.ts';

interface Store {
  readonly engine: Engine;
  readonly orders: Region;
  readonly items: Region;
}

async function openStore(context: TestContext, harness: EngineHarness): Promise<Store> {
  const { engine, region } = await openOrders(context, harness);
  await engine.createRegion(definition('items'));
  return { engine, orders: region, items: await requireRegion(engine, 'items') };
}

export function commitContract(harness: EngineHarness): void {
  it('writes to several regions in one commit', async (t) => {
    const { engine, items, orders } = await openStore(t, harness);
    const before = await commit(items, [put('gone', '{}')]);
    const commits = record(engine);
    const outcome = await engine.commit([
      { region: 'orders', changes: [put('a', '{"o":1}'), put('b', '{"o":2}')] },
      { region: 'items', changes: [{ kind: 'remove', key: 'gone' }, put('a', '{"i":1}')] },
    ]);
    const version = before + 1;
    assert.deepEqual(outcome, { kind: 'committed', version, reads: [[], []] });
    assert.deepEqual(await orders.read(['a']), [{ value: '{"o":1}', version }]);
    assert.deepEqual(await items.read(['a', 'gone']), [{ value: '{"i":1}', version }, undefined]);
    assert.deepEqual([await orders.count(), await items.count()], [2, 1]);
    assert.deepEqual(commits, [
      {
        sequence: version,
        changes: [
          { kind: 'put', region: 'orders', key: 'a', value: '{"o":1}' },
          { kind: 'put', region: 'orders', key: 'b', value: '{"o":2}' },
          { kind: 'remove', region: 'items', key: 'gone' },
          { kind: 'put', region: 'items', key: 'a', value: '{"i":1}' },
        ],
      },
    ]);
    // A page of the log never ends within a commit.
    const recorded = await changesAfter(engine, before, 1);
    assert.deepEqual(
      recorded.map(({ key, region, sequence }) => [sequence, region, key]),
      [
        [version, 'orders', 'a'],
        [version, 'orders', 'b'],
        [version, 'items', 'gone'],
        [version, 'items', 'a'],
      ],
    );
    assert.equal(engine.stats().sequence, version);
    assert.equal(await commit(orders, [put('a', '{}')]), version + 1);
  });

  it('writes nothing when a guard of any region fails, and names every one that did', async (t) => {
    const { engine, items, orders } = await openStore(t, harness);
    const version = await commit(orders, [put('a', '{"o":1}')]);
    const commits = record(engine);
    const outcome = await engine.commit([
      {
        region: 'items',
        changes: [put('x', '{}')],
        guards: [
          { kind: 'absent', key: 'x' },
          { kind: 'present', key: 'y' },
        ],
      },
      {
        region: 'orders',
        changes: [put('a', '{}'), put('n', '{}')],
        guards: [
          { kind: 'version-is', key: 'a', versions: [version] },
          { kind: 'absent', key: 'a' },
          { kind: 'all-present' },
        ],
      },
    ]);
    const current = { value: '{"o":1}', version };
    assert.deepEqual(outcome, {
      kind: 'refused',
      refusals: [
        { write: 0, guard: 1, failure: { kind: 'version-differs' } },
        { write: 1, guard: 1, failure: { kind: 'version-differs', current } },
        { write: 1, guard: 2, failure: { kind: 'keys-missing', keys: ['n'] } },
      ],
    });
    assert.equal(await items.count(), 0);
    assert.deepEqual(await orders.read(['a', 'n']), [current, undefined]);
    assert.deepEqual(commits, []);
  });

  it('accepts guards of keys in a write to one region too', async (t) => {
    const { region } = await openOrders(t, harness);
    const version = await commit(region, [put('a', '{}')]);
    const attempt = (kind: 'present' | 'absent', key: string) =>
      region.write([{ kind: 'remove', key: 'other' }], [{ kind, key }]);
    const passed = { kind: 'committed', version };
    assert.deepEqual(await attempt('present', 'a'), passed);
    assert.deepEqual(await attempt('absent', 'x'), passed);
    assert.deepEqual(await attempt('present', 'x'), { kind: 'version-differs' });
    const current = { value: '{}', version };
    assert.deepEqual(await attempt('absent', 'a'), { kind: 'version-differs', current });
  });

  it('reads as of the commit, its own changes included', async (t) => {
    const { engine, items } = await openStore(t, harness);
    const old = await commit(items, [put('i', '{"i":1}'), put('j', '{"j":1}')]);
    const outcome = await engine.commit([
      { region: 'items', changes: [{ kind: 'remove', key: 'j' }], reads: ['j', 'i', 'none'] },
      { region: 'orders', changes: [put('a', '{"o":20.0}')], reads: ['a', 'a'] },
    ]);
    const version = old + 1;
    const a = { value: '{"o":20.0}', version };
    assert.deepEqual(outcome, {
      kind: 'committed',
      version,
      reads: [
        [undefined, { value: '{"i":1}', version: old }, undefined],
        [a, a],
      ],
    });
  });

  it('answers a commit without changes with the latest commit', async (t) => {
    const { engine, orders } = await openStore(t, harness);
    const version = await commit(orders, [put('a', '{}')]);
    const commits = record(engine);
    assert.deepEqual(await engine.commit([]), { kind: 'committed', version, reads: [] });
    assert.deepEqual(
      await engine.commit([
        { region: 'orders', changes: [], reads: ['a'] },
        { region: 'items', changes: [{ kind: 'remove', key: 'none' }] },
      ]),
      { kind: 'committed', version, reads: [[{ value: '{}', version }], []] },
    );
    assert.deepEqual(commits, []);
    assert.equal(engine.stats().sequence, version);
  });

  it('rolls back when asked, and answers as if it had not', async (t) => {
    const { engine, items, orders } = await openStore(t, harness);
    const old = await commit(orders, [put('a', '{"old":1}')]);
    const commits = record(engine);
    const writes = [
      { region: 'orders', changes: [put('a', '{"new":1}')], reads: ['a'] },
      { region: 'items', changes: [put('i', '{}')] },
    ];
    const version = old + 1;
    const answer = { kind: 'committed', version, reads: [[{ value: '{"new":1}', version }], []] };
    assert.deepEqual(await engine.commit(writes, 'roll-back'), answer);
    assert.deepEqual(await orders.read(['a']), [{ value: '{"old":1}', version: old }]);
    assert.equal(await items.count(), 0);
    assert.deepEqual(commits, []);
    assert.equal(engine.stats().sequence, old);
    assert.deepEqual(await engine.commit(writes), answer);
    assert.equal(await items.count(), 1);
  });

  it('names a region that does not exist and writes nothing', async (t) => {
    const { engine, orders } = await openStore(t, harness);
    const outcome = await engine.commit([
      { region: 'orders', changes: [put('a', '{}')] },
      { region: 'nowhere', changes: [put('a', '{}')] },
    ]);
    assert.deepEqual(outcome, { kind: 'region-missing', region: 'nowhere' });
    assert.equal(await orders.count(), 0);
    await engine.destroyRegion('items');
    await engine.createRegion(definition('items'));
    const again = await engine.commit([{ region: 'items', changes: [put('a', '{}')] }]);
    assert.equal(again.kind, 'committed');
  });

  it('refuses a commit with a key that no engine accepts', async (t) => {
    const { engine, orders } = await openStore(t, harness);
    const writes = [
      { region: 'orders', changes: [put('a', '{}')] },
      { region: 'items', changes: [put('', '{}')] },
    ];
    await assert.rejects(engine.commit(writes), { code: 'engine/bad-key' });
    assert.equal(await orders.count(), 0);
  });

  it('reports the changes of an EMPTY region', async (t) => {
    const { engine } = await openStore(t, harness);
    await engine.createRegion(definition('topic', 'EMPTY'));
    const commits = record(engine);
    const outcome = await engine.commit([
      { region: 'topic', changes: [put('a', '{}')], reads: ['a'] },
      { region: 'orders', changes: [put('a', '{}')] },
    ]);
    assert.ok(outcome.kind === 'committed');
    assert.deepEqual(outcome.reads, [[undefined], []]);
    assert.deepEqual(
      commits.flatMap(({ changes }) => changes.map(({ region }) => region)),
      ['topic', 'orders'],
    );
  });

  it('shows all regions of a commit to readers at once', async (t) => {
    const { engine } = await openStore(t, harness);
    const writes = Array.from({ length: 40 }, (_, i) =>
      engine.commit([
        { region: 'orders', changes: [put('n', `{"n":${i}}`)] },
        { region: 'items', changes: [put('n', `{"n":${i}}`)] },
      ]),
    );
    for (let i = 0; i < 10; i += 1) {
      const snapshot = await engine.openSnapshot();
      const [order] = await snapshot.read('orders', ['n']);
      const [item] = await snapshot.read('items', ['n']);
      snapshot.close();
      assert.deepEqual(order, item);
    }
    const outcomes = await Promise.all(writes);
    assert.equal(new Set(outcomes.map((each) => 'version' in each && each.version)).size, 40);
  });

  it('moves amounts between regions and keeps their sum', async (t) => {
    const { engine, items, orders } = await openStore(t, harness);
    await commit(orders, [put('n', '30')]);
    await commit(items, [put('n', '0')]);
    const move = async (): Promise<void> => {
      for (;;) {
        const [from] = await orders.read(['n']);
        const [to] = await items.read(['n']);
        assert.ok(from && to);
        const outcome = await engine.commit([
          {
            region: 'orders',
            changes: [put('n', String(Number(from.value) - 1))],
            guards: [{ kind: 'version-is', key: 'n', versions: [from.version] }],
          },
          {
            region: 'items',
            changes: [put('n', String(Number(to.value) + 1))],
            guards: [{ kind: 'version-is', key: 'n', versions: [to.version] }],
          },
        ]);
        if (outcome.kind === 'committed') return;
      }
    };
    await Promise.all(Array.from({ length: 15 }, move));
    assert.equal((await orders.read(['n']))[0]?.value, '15');
    assert.equal((await items.read(['n']))[0]?.value, '15');
  });
}
