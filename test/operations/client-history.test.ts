// The client and the history of regions: reads and queries as of a commit, and the versions of an entry.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  GoneError,
  GridClient,
  type Query,
  texts,
  VersionDiffersError,
} from '../../src/client/index.ts';
import { Service } from '../service.ts';

interface Thing {
  readonly n: number;
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test('every read accepts a commit or time to show', async () => {
  await using service = await Service.start();
  const client = new GridClient({ url: service.origin });
  const name = await service.region({}, { settings: { history: { count: 1000 } } });
  const things = client.region<Thing>(name);
  await things.put('a', { n: 1 });
  const { version: at } = await things.put('b', { n: 2 });
  await things.put('a', { n: 10 });
  await things.put('c', { n: 3 });
  await things.remove('b');

  assert.deepEqual((await things.get('a', { at }))?.value, { n: 1 });
  assert.deepEqual((await things.get('a'))?.value, { n: 10 });
  assert.equal(await things.get('c', { at }), undefined);
  assert.deepEqual(await things.getMany(['b', 'c'], { at }), [{ n: 2 }, undefined]);
  assert.deepEqual(await things.first(1, { at }), [{ n: 1 }]);
  assert.deepEqual(await collect(things.keys({ at })), ['a', 'b']);
  assert.deepEqual(await collect(things.values({ at })), [{ n: 1 }, { n: 2 }]);
  assert.deepEqual((await collect(things.scan({ at }))).flat(), [
    { key: 'a', value: { n: 1 } },
    { key: 'b', value: { n: 2 } },
  ]);
  const entries = await collect(things.entries({ at, limit: 1 }));
  assert.deepEqual(
    entries.map(({ key, value }) => [key, value.n]),
    [
      ['a', 1],
      ['b', 2],
    ],
  );
  assert.equal(await things.count({ at }), 2);
  const query = client.queries.adhoc<Thing>(`SELECT * FROM /${name} ORDER BY n`, [], {
    at,
    timeoutMs: 60_000,
  });
  assert.deepEqual(await query.rows(), [{ n: 1 }, { n: 2 }]);

  const [newest] = await collect(things.history('b'));
  const present = await collect(things.keys({ at: newest?.time }));
  assert.deepEqual(present, await collect(things.keys()));
  await assert.rejects(things.count({ at: new Date(0) }), GoneError);
});

test('a version is restored if the entry is as expected', async () => {
  await using service = await Service.start();
  const client = new GridClient({ url: service.origin });
  const name = await service.region({}, { settings: { history: { count: 1000 } } });
  const things = client.region<Thing>(name);
  const key = 'a/b';
  const first = await things.put(key, { n: 1 });
  const second = await things.put(key, { n: 2 });
  const { version: ifVersion } = first;
  await assert.rejects(things.restore(key, first.version, { ifVersion }), VersionDiffersError);
  const restored = await things.restore(key, first.version, { ifVersion: second.version });
  assert.equal(restored.key, key);
  assert.deepEqual(await things.get(key), { key, value: { n: 1 }, version: restored.version });
  await assert.rejects(things.restore(key, 1_000_000), { code: 'grid/version-not-found' });
});

test('a result is not sent again until a region of its query changes', async () => {
  await using service = await Service.start();
  const client = new GridClient({ url: service.origin });
  const name = await service.region({ a: '{"n":1}' });
  for (const query of [
    client.queries.adhoc<Thing>(`SELECT * FROM /${name} WHERE n > $1`, [0]),
    await named(),
  ]) {
    const first = await query.result();
    assert.deepEqual(first.rows, await query.rows());
    assert.equal(await query.refresh(first), first);
    await service.put(name, { b: `{"n":${first.rows.length + 1}}` });
    const next = await query.refresh(first);
    assert.deepEqual(next.rows, await query.rows());
    assert.notEqual(next.tag, first.tag);
  }
  const untagged = await client.queries
    .adhoc<string>(`SELECT DISTINCT CURRENT_DATE FROM /${name}`)
    .result();
  assert.equal(untagged.tag, undefined);

  async function named(): Promise<Query<Thing>> {
    await client.queries.create({ id: 'above', oql: `SELECT * FROM /${name} WHERE n > $1` });
    return client.queries.named<Thing>('above', [1]);
  }
});

test('versions of an entry are returned latest first, over any number of pages', async () => {
  await using service = await Service.start();
  const client = new GridClient({ url: service.origin });
  const name = await service.region({}, { settings: { history: { count: 1000 } } });
  const things = client.region<Thing>(name);
  const key = 'a/b ,"op":';
  const versions: number[] = [];
  for (let n = 0; n < 250; n += 1) versions.push((await things.put(key, { n })).version);
  const all = await collect(things.history(key));
  assert.deepEqual(
    all.map(({ version }) => version),
    versions.toReversed(),
  );
  assert.ok(all.every(({ operation, time }) => operation === 'put' && time instanceof Date));
  assert.deepEqual(all.at(-1)?.value, { n: 0 });
  await things.remove(key);
  for await (const version of client.region(name, texts).history(key)) {
    assert.deepEqual([version.operation, 'value' in version], ['remove', false]);
    break;
  }
  assert.deepEqual(await collect(things.history('never')), []);
  const plain = client.region<Thing>(await service.region());
  await assert.rejects(collect(plain.history('a')), { status: 400, code: 'grid/no-history' });
});
