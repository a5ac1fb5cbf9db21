// Logins that may write only some keys, in transactions and bulk loads, and idempotency keys, which
// belong to the login that sent them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, RequestOptions } from '../http-client.ts';
import { Service } from '../service.ts';
import { apiKey, authenticatorOf, basic, bearer, type Headers, user } from './logins.ts';

const logins = {
  ann: apiKey('ann', ['DATA:WRITE:orders']),
  bob: apiKey('bob', ['DATA:WRITE:orders']),
  one: apiKey('one', ['DATA:WRITE:orders:7']),
  seer: apiKey('seer', ['DATA:WRITE:orders:7', 'DATA:READ:orders:8']),
};

const settings = { apiKeys: Object.values(logins).map(({ setting }) => setting) };

async function startService(): Promise<Service> {
  const service = await Service.start({ http: { authenticator: await authenticatorOf(settings) } });
  for (const name of ['orders', 'items']) await service.grid.createRegion({ name });
  await service.put('orders', { 7: '{"n":7}', 8: '{"n":8}' });
  return service;
}

function as(name: keyof typeof logins, more: Headers = {}): Headers {
  return { ...bearer(logins[name].key), ...more };
}

function code(answer: Answer): unknown {
  return JSON.parse(answer.text).code;
}

test('a transaction needs the permission for each key that it names', async () => {
  await using service = await startService();
  const transact = (name: keyof typeof logins, body: unknown): Promise<Answer> =>
    service.send('POST', '/_tx', { body: JSON.stringify(body), headers: as(name) });
  const put = (key: string, region = 'orders'): unknown => ({ region, key, value: { by: 'tx' } });
  const get = (key: string): unknown => ({ op: 'get', region: 'orders', key });
  const remove = { op: 'remove', region: 'orders', key: '8' };
  const before = await service.stored('orders');
  for (const [name, body] of [
    ['one', { do: [put('7'), put('8')] }],
    ['one', { do: [put('7'), put('7', 'items')] }],
    ['one', { do: [put('7'), remove] }],
    ['one', { do: [put('7'), get('7')] }],
    ['one', { if: [{ region: 'orders', key: '8', present: true }], do: [put('7')] }],
    ['seer', { do: [put('8')] }],
  ] as const) {
    const answer = await transact(name, body);
    assert.deepEqual([answer.status, code(answer)], [403, 'auth/not-permitted'], answer.text);
  }
  assert.deepEqual(await service.stored('orders'), before);
  const condition = { region: 'orders', key: '8', present: true };
  const seen = await transact('seer', { if: [condition], do: [put('7'), get('8')] });
  assert.equal(seen.status, 200, seen.text);
  assert.match(seen.text, /"value":\{"n":8\}/);
  assert.equal((await transact('one', { do: [put('7')] })).status, 200);
});

test('a bulk load needs the permission for each key, item by item', async () => {
  await using service = await startService();
  const items = ['7', '8', '9'].map((key) => ({ key, value: { by: 'bulk' } }));
  const load = (parameters: string): Promise<Answer> =>
    service.send('POST', `/orders/_bulk${parameters}`, {
      body: JSON.stringify(items),
      headers: as('one'),
    });
  const atomic = await load('?atomic=true');
  assert.deepEqual([atomic.status, code(atomic)], [403, 'auth/not-permitted'], atomic.text);
  assert.deepEqual(await service.stored('orders'), { 7: '{"n":7}', 8: '{"n":8}' });
  const each = await load('');
  assert.equal(each.status, 207, each.text);
  const { failed, failures, succeeded } = JSON.parse(each.text);
  assert.deepEqual([succeeded, failed], [1, 2]);
  assert.deepEqual(
    failures.map((failure: Record<string, unknown>) => [failure['status'], failure['code']]),
    Array.from({ length: 2 }, () => [403, 'auth/not-permitted']),
  );
  assert.deepEqual(await service.stored('orders'), { 7: '{"by":"bulk"}', 8: '{"n":8}' });
  const elsewhere = await service.send('POST', '/items/_bulk', {
    body: JSON.stringify(items),
    headers: as('one'),
  });
  assert.equal(elsewhere.status, 403);
});

test('an idempotency key belongs to its login', async () => {
  await using service = await startService();
  const send = (name: keyof typeof logins, path: string, options: RequestOptions) =>
    service.send('POST', path, { ...options, headers: as(name, { 'Idempotency-Key': 'k' }) });
  const first = await send('ann', '/orders', { body: '{"by":"ann"}' });
  // The same key from another login is a new request.
  const same = await send('bob', '/orders', { body: '{"by":"ann"}' });
  const location = 'location';
  for (const { headers, status } of [first, same]) {
    assert.deepEqual([status, headers['idempotent-replayed']], [201, undefined]);
  }
  assert.notEqual(same.headers[location], first.headers[location]);
  const other = JSON.stringify({ do: [{ region: 'orders', key: '7', value: {} }] });
  assert.equal((await send('one', '/_tx', { body: other })).status, 200);
  for (const [name, answer] of [
    ['ann', first],
    ['bob', same],
  ] as const) {
    const again = await send(name, '/orders', { body: '{"by":"ann"}' });
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.equal(again.headers[location], answer.headers[location]);
  }
});

test('a stored answer is not returned to another login of the name, nor after permissions were reduced', async () => {
  const allowed = apiKey('ann', ['DATA:WRITE:orders', 'DATA:READ:orders']);
  const namesake = await user('ann', 'secret', ['DATA:WRITE:orders', 'DATA:READ:orders']);
  const less = await user('ann', 'secret', ['DATA:WRITE:orders']);
  const authenticator = await authenticatorOf({ apiKeys: [allowed.setting], users: [namesake] });
  await using service = await Service.start({ http: { authenticator } });
  await service.grid.createRegion({ name: 'orders' });
  await service.put('orders', { 7: '{"n":7}' });
  const get = { op: 'get', region: 'orders', key: '7' };
  const body = JSON.stringify({ do: [{ region: 'orders', key: '9', value: {} }, get] });
  const send = (login: Headers): Promise<Answer> =>
    service.send('POST', '/_tx', { body, headers: { ...login, 'Idempotency-Key': 'k' } });
  const ofUser = basic('ann', 'secret');
  for (const login of [bearer(allowed.key), ofUser]) {
    const { headers, status, text } = await send(login);
    assert.deepEqual([status, headers['idempotent-replayed']], [200, undefined], text);
  }
  authenticator.replaceBy(await authenticatorOf({ users: [less] }));
  const again = await send(ofUser);
  assert.deepEqual([again.status, code(again)], [403, 'auth/not-permitted'], again.text);
});
