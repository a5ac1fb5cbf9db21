// Change feeds and logins: a login sees only what it may read, for as long as it may.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeedClient, type SeenChange } from '../feed-client.ts';
import { API, Service } from '../service.ts';
import { until } from '../until.ts';
import { apiKey, authenticatorOf, bearer, type Headers } from './logins.ts';

const EVENTS = 'text/event-stream';

const keys = {
  all: apiKey('all', ['DATA:READ']),
  orders: apiKey('orders', ['DATA:READ:orders']),
  one: apiKey('one', ['DATA:READ:orders:7']),
  writer: apiKey('writer', ['DATA:WRITE']),
};

const settings = { apiKeys: Object.values(keys).map(({ setting }) => setting) };

async function startService(): Promise<Service> {
  const service = await Service.start({ http: { authenticator: await authenticatorOf(settings) } });
  for (const name of ['orders', 'items']) await service.grid.createRegion({ name });
  return service;
}

function as(name: keyof typeof keys): Headers {
  return bearer(keys[name].key);
}

const shown = ({ key, op, region }: SeenChange): string => `${op} ${region} ${key ?? ''}`.trim();

async function read(service: Service, path: string, headers: Headers): Promise<readonly string[]> {
  const { status, text } = await service.get(path, headers);
  assert.equal(status, 200, text);
  return JSON.parse(text).changes.map(shown);
}

test('a login sees only the regions and keys that it may read', async () => {
  await using service = await startService();
  await service.put('orders', { 7: '{}', 8: '{}' });
  await service.put('items', { 7: '{}' });
  const every = '/_changes?since=0';
  assert.deepEqual((await read(service, every, as('all'))).slice(-3), [
    'put orders 7',
    'put orders 8',
    'put items 7',
  ]);
  assert.deepEqual(await read(service, every, as('orders')), [
    'create-region orders',
    'put orders 7',
    'put orders 8',
  ]);
  assert.deepEqual(await read(service, every, as('one')), ['create-region orders', 'put orders 7']);
  assert.deepEqual(await read(service, '/orders/_changes?since=0&keys=7', as('one')), [
    'create-region orders',
    'put orders 7',
  ]);
  for (const [path, name] of [
    ['/items/_changes', 'orders'],
    ['/_changes?regions=orders,items', 'orders'],
    ['/orders/_changes?keys=7,8', 'one'],
    ['/orders/_changes', 'writer'],
    ['/_changes', 'writer'],
    ['/no-such/_changes', 'orders'],
  ] as const) {
    for (const accept of ['application/json', EVENTS]) {
      const { status } = await service.get(path, { ...as(name), Accept: accept });
      assert.equal(status, 403, `${path} for ${name}`);
    }
  }
  assert.equal((await service.get('/orders/_changes')).status, 401);
});

test('streams of logins with different permissions share no pages', async () => {
  await using service = await startService();
  const open = (name: keyof typeof keys): Promise<FeedClient> =>
    FeedClient.open(EVENTS, {
      port: service.port,
      path: `${API}/orders/_changes`,
      headers: as(name),
    });
  using all = await open('all');
  using one = await open('one');
  for (let i = 0; i < 20; i++) await service.put('orders', { [`${i % 10}`]: `{"i":${i}}` });
  assert.deepEqual((await one.changes(2)).map(shown), ['put orders 7', 'put orders 7']);
  assert.equal((await all.changes(20)).length, 20);
});

test('streams end when logins are replaced, so that their clients log in again', async () => {
  const authenticator = await authenticatorOf(settings);
  await using service = await Service.start({ http: { authenticator } });
  await service.grid.createRegion({ name: 'orders' });
  const path = `${API}/orders/_changes`;
  using feed = await FeedClient.open(EVENTS, { port: service.port, path, headers: as('orders') });
  authenticator.replaceBy(await authenticatorOf({ apiKeys: [keys.one.setting] }));
  while ((await feed.next()) !== undefined);
  assert.match(feed.text, /\nretry: 2000\nid: \d+\n\n$/);
  assert.equal((await service.get('/orders/_changes', as('orders'))).status, 401);
});

test('a long poll ends when logins are replaced, and shows nothing that was written later', async () => {
  const authenticator = await authenticatorOf(settings);
  await using service = await Service.start({ http: { authenticator } });
  await service.grid.createRegion({ name: 'orders' });
  const poll = service.get('/orders/_changes?wait=60', as('orders'));
  await until(() => service.server.openStreams[0]?.open === 1);
  authenticator.replaceBy(await authenticatorOf({ apiKeys: [keys.one.setting] }));
  await service.put('orders', { 7: '{"written":"later"}' });
  const { status, text } = await poll;
  assert.deepEqual([status, JSON.parse(text).changes], [200, []]);
});

test('a stream ends when its login expires', async () => {
  const soon = apiKey('soon', ['DATA'], new Date(Date.now() + 3_600_000).toISOString());
  const authenticator = await authenticatorOf({ apiKeys: [soon.setting] });
  // It expires while the stream is open: by then the clock is nearly an hour ahead.
  let aheadMs = 0;
  const wallClock = (): number => Date.now() + aheadMs;
  await using service = await Service.start({ http: { authenticator, wallClock } });
  aheadMs = 3_600_000 - 1;
  await service.grid.createRegion({ name: 'orders' });
  const path = `${API}/orders/_changes`;
  using feed = await FeedClient.open(EVENTS, {
    port: service.port,
    path,
    headers: bearer(soon.key),
  });
  assert.equal(feed.status, 200);
  while ((await feed.next()) !== undefined);
  const ended = service.observations.find(({ kind }) => kind === 'stream-ended');
  assert.equal(ended !== undefined && 'cause' in ended && ended.cause, 'login');
});
