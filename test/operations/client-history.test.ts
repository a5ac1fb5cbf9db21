// The client and the past of regions: reads and queries at a moment, and the versions of an entry.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GoneError, GridClient, texts } from '../../src/client/index.ts';
import { Service } from '../service.ts';

interface Thing {
  readonly n: number;
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test('every read takes the moment it is to show', async () => {
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

test('versions of an entry come latest first, over as many pages as it takes', async () => {
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
