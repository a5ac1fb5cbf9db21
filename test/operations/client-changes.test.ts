// The client's change feed: its changes, and how it continues after a lost connection.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Change,
  GoneError,
  GridClient,
  NotFoundError,
  texts,
} from '../../src/client/index.ts';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { Relay } from '../relay.ts';
import { Service } from '../service.ts';
import { until } from '../until.ts';

interface Thing {
  readonly n: number;
}

async function take<T>(items: AsyncIterable<T>, count: number): Promise<readonly T[]> {
  const taken: T[] = [];
  for await (const item of items) if (taken.push(item) === count) break;
  return taken;
}

const shown = ({ key, operation, value }: Change<Thing>): string =>
  `${operation} ${key ?? ''} ${value?.n ?? ''}`.trim();

test('changes have their documents, from any position of the log', async () => {
  await using service = await Service.start();
  const client = new GridClient({ url: service.origin });
  const region = await service.region({ a: '{"n":1}', 'b,"value":{': '{"n":2}' });
  const things = client.region<Thing>(region);
  const changes = await take(things.changes({ since: 0 }), 3);
  assert.deepEqual(changes.map(shown), ['create-region', 'put a 1', 'put b,"value":{ 2']);
  assert.ok(changes.every(({ region: name, time }) => name === region && time instanceof Date));
  const second = changes[1]?.sequence ?? 0;
  await things.remove('a');
  const [commit] = await take(things.commits({ since: second }), 1);
  assert.deepEqual(commit?.changes.map(shown), ['remove a']);
  assert.equal(commit?.sequence, second + 1);
  const filtered = things.changes({ since: 0, where: 'value.n > 1', operations: ['put'] });
  assert.deepEqual((await take(filtered, 1)).map(shown), ['put b,"value":{ 2']);
  const byKey = things.changes({ since: new Date(0), keys: ['b,"value":{'], operations: ['put'] });
  assert.deepEqual((await take(byKey, 1)).map(shown), ['put b,"value":{ 2']);
  const bare = await take(things.changes({ since: 0, prefix: 'b', include: 'none' }), 2);
  assert.equal('value' in (bare[1] ?? {}), false);
  const raw = client.region(region, texts);
  assert.equal((await take(raw.changes({ since: 0, prefix: 'b' }), 2))[1]?.value, '{"n":2}');
  const all = await take(client.changes({ regions: [region], since: 0 }), 4);
  assert.equal(all.length, 4);
});

test('changes have the previous values if the region has a history', async () => {
  await using service = await Service.start();
  const client = new GridClient({ url: service.origin });
  const region = await service.region({}, { settings: { history: { count: 3 } } });
  const things = client.region<Thing & { readonly old?: string }>(region);
  await things.put('a', { n: 1, old: ',"old":' });
  await things.put('a', { n: 2 });
  await things.remove('a');
  const feed = { since: 0, include: 'old', prefix: 'a', operations: ['put', 'remove'] } as const;
  const changes = await take(things.changes(feed), 3);
  assert.deepEqual(
    changes.map(({ old, operation, value }) => [operation, value, old]),
    [
      ['put', { n: 1, old: ',"old":' }, undefined],
      ['put', { n: 2 }, { n: 1, old: ',"old":' }],
      ['remove', undefined, { n: 2 }],
    ],
  );
  assert.ok(changes.every((change) => !('isOldGone' in change || 'superseded' in change)));
  const raw = client.region(region, texts);
  assert.equal((await take(raw.changes(feed), 2))[1]?.old, '{"n":1,"old":",\\"old\\":"}');
  await things.put('a', { n: 3 });
  // Other keys, because cached pages of feeds with the same filter may still have the old values.
  const [first, , , last] = await take(things.changes({ ...feed, keys: ['a'] }), 4);
  assert.deepEqual([first?.isOldGone, last?.isOldGone, last?.old], [true, undefined, undefined]);
  const without = client.region<Thing>(await service.region());
  await assert.rejects(take(without.changes({ include: 'old' }), 1), {
    status: 400,
    code: 'grid/no-history',
  });
});

test('a feed continues after a restart of its server, and returns every change once', async () => {
  await using service = await Service.start({ engine: 'sqlite' });
  let port: number | undefined = service.port;
  await using relay = await Relay.open(() => port);
  const client = new GridClient({ url: `http://127.0.0.1:${relay.port}`, retries: 0 });
  const region = await service.region();
  const seen: number[] = [];
  const abort = new AbortController();
  const reading = (async () => {
    for await (const commit of client.region<Thing>(region).commits({ signal: abort.signal })) {
      for (const { value } of commit.changes) seen.push(value?.n ?? -1);
    }
  })().catch((error: unknown) => error);
  try {
    // It begins with the first change after the request.
    let first = 0;
    for (; seen.length === 0; first++) {
      await service.put(region, { [`first ${first}`]: `{"n":${first}}` });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await service.put(region, { a: '{"n":-1}', b: '{"n":-2}' });
    for (let round = 1; round <= 2; round++) {
      port = undefined;
      await service.restart();
      port = service.port;
      await service.put(region, { [`c${round}`]: `{"n":${-10 * round}}` });
    }
    await until(() => seen.includes(-20));
    const begun = seen[0] ?? 0;
    const before = Array.from({ length: first - begun }, (_, i) => begun + i);
    assert.deepEqual(seen, [...before, -1, -2, -10, -20]);
  } finally {
    abort.abort(new Error('enough'));
  }
  assert.equal(Object(await reading).message, 'enough');
});

test('a feed that cannot be opened is an error, and not retried', async () => {
  await using service = await Service.start({
    wrapEngine: () => new MemoryEngine({ maxChanges: 5 }),
  });
  const client = new GridClient({ url: service.origin });
  await assert.rejects(take(client.region('no-such').changes(), 1), NotFoundError);
  const region = await service.region();
  for (let i = 0; i < 30; i++) await service.put(region, { a: `{"n":${i}}` });
  await assert.rejects(take(client.region(region).changes({ since: 1 }), 1), (error) => {
    assert.ok(error instanceof GoneError);
    assert.ok(error.oldest > 1 && error.latest >= error.oldest);
    return true;
  });
  const [kept] = await take(client.region(region).commits({ since: 0 }), 1);
  assert.ok((kept?.sequence ?? 0) > 1, 'since 0 begins with the oldest kept change');
});
