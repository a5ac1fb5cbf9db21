// A query parameter with an unknown name is refused as a mistake.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { json } from '../http-client.ts';
import { ADMIN, Service } from '../service.ts';

let service: Service;
let lenient: Service;

before(async () => {
  service = await Service.start();
  lenient = await Service.start({ http: { unknownParameters: 'ignore' } });
  for (const each of [service, lenient]) {
    await each.grid.createRegion({ name: 'orders' });
    await each.put('orders', { 1: '{"n":1}' });
    await each.grid.createQuery({ id: 'q', oql: 'SELECT 1' });
  }
});

after(async () => {
  await service.stop();
  await lenient.stop();
});

test('a misspelt operation is refused with the nearest name, and nothing is written', async () => {
  const answer = await service.send('PUT', '/orders/1?opp=CREATE', { body: '{"n":2}' });
  assert.equal(answer.status, 400);
  const error = Object(json(answer));
  assert.equal(error.code, 'request/unknown-parameter');
  assert.equal(error.hint, 'did you mean op?');
  assert.match(error.message, /^Unknown query parameter \(opp\); known here: op, ttl, pretty$/);
  assert.deepEqual(await service.stored('orders'), { 1: '{"n":1}' });
});

test('a name of another API is refused with the name of ours', async () => {
  for (const [name, ours] of [
    ['offset', 'after'],
    ['page', 'cursor'],
    ['size', 'limit'],
    ['filter', 'where'],
  ] as const) {
    const error = Object(json(await service.send('GET', `/orders?${name}=1`)));
    assert.equal(error.hint, `did you mean ${ours}?`, name);
  }
});

test('every plane and method refuses unknown parameters', async () => {
  for (const [method, path] of [
    ['GET', '/grid-api/v1?offset=1'],
    ['GET', '/grid-api/v1/orders?offset=50'],
    ['GET', '/grid-api/v1/orders?limit=1&ofset=50'],
    ['GET', '/grid-api/v1/orders?Limit=1'],
    ['HEAD', '/grid-api/v1/orders?filter=x'],
    ['GET', '/grid-api/v1/orders/1?ignoreMissingKeys=true'],
    ['GET', '/grid-api/v1/orders/keys?offset=1'],
    ['DELETE', '/grid-api/v1/orders?key=1'],
    ['DELETE', '/grid-api/v1/orders/1?if=2'],
    ['POST', '/grid-api/v1/orders?id=1'],
    ['POST', '/grid-api/v1/queries/q?limit=1'],
    ['GET', '/grid-api/v1/queries/adhoc?q=SELECT%201&param=1'],
    ['GET', '/grid-api/v1/queries?%6Cimit=1'],
    ['GET', `${ADMIN}/regions?name=x`],
    ['DELETE', `${ADMIN}/regions/orders?force=true`],
    ['GET', '/grid-api/v1/orders?=1'],
  ] as const) {
    const answer = await service.sendTo(method, path);
    assert.equal(answer.status, 400, `${method} ${path}`);
    if (method !== 'HEAD') {
      assert.equal(Object(json(answer)).code, 'request/unknown-parameter', path);
    }
  }
  assert.deepEqual(await service.stored('orders'), { 1: '{"n":1}' });
});

test('known parameters, probes and pages are accepted', async () => {
  for (const path of [
    '/grid-api/v1/orders?limit=1&pretty=true',
    '/grid-api/v1/orders?keys=1&ignoreMissingKey=true',
    '/grid-api/v1/orders?',
    '/grid-api/v1/orders?&&limit=1',
    '/grid-api/v1/ping?probe=7',
    '/livez?probe=7',
    '/docs?from=mail',
  ]) {
    assert.equal((await service.sendTo('GET', path)).status, 200, path);
  }
  assert.equal((await service.send('HEAD', '/orders?limit=1')).status, 200);
});

test('the setting allows unknown parameters', async () => {
  assert.equal((await lenient.get('/orders?offset=50')).status, 200);
  const answer = await lenient.send('PUT', '/orders/1?opp=CREATE', { body: '{"n":2}' });
  assert.equal(answer.status, 200);
});
