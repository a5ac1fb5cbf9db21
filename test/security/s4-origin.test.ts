// S4: pages of other sites cannot send a body, change anything or cause work, unless the CORS setting
// names them.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer } from '../http-client.ts';
import { Service } from '../service.ts';

const FRIEND = 'https://app.example.com';

let closed: Service;
let shared: Service;

before(async () => {
  closed = await Service.start();
  shared = await Service.start({ http: { corsOrigins: [FRIEND] } });
  for (const service of [closed, shared]) {
    await service.grid.createRegion({ name: 'orders' });
    await service.put('orders', { 1: '{"n":1}' });
  }
});

after(async () => {
  await closed.stop();
  await shared.stop();
});

function put(service: Service, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return service.send('PUT', '/orders/1', { headers, body: '{"n":2}' });
}

test('S4: a write from a page of another site is refused', async () => {
  for (const service of [closed, shared]) {
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: `http://127.0.0.1:${service.port}.evil.example` },
      { Origin: `http://127.0.0.1:${service.port + 1}` },
      { Origin: `http://localhost:${service.port}`, 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-site' },
    ]) {
      const answer = await put(service, headers);
      assert.equal(answer.status, 403, JSON.stringify(headers));
      assert.match(answer.text, /request\/foreign-origin/);
      assert.equal(answer.headers['access-control-allow-origin'], undefined);
    }
  }
  assert.deepEqual(await closed.stored('orders'), { 1: '{"n":1}' });
});

test('S4: every method that changes something, and GET with a body, is refused', async () => {
  const headers = { 'Sec-Fetch-Site': 'cross-site' };
  for (const [method, path] of [
    ['POST', '/orders'],
    ['DELETE', '/orders'],
    ['DELETE', '/orders/1'],
    ['POST', '/queries/adhoc'],
    ['DELETE', '/queries/x'],
  ] as const) {
    assert.equal((await closed.send(method, path, { headers })).status, 403, `${method} ${path}`);
  }
  const withBody = await closed.send('GET', '/orders', { headers, body: '{}' });
  assert.equal(withBody.status, 403);
});

test('S4: a page of another site cannot make the service read or run a query', async () => {
  const query = `/queries/adhoc?q=${encodeURIComponent('SELECT COUNT(*) FROM /orders')}`;
  const ways = [
    { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
    { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty', Origin: 'https://evil.example' },
    { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
    { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
    {},
  ];
  for (const way of ways) {
    const headers = { ...way, 'Sec-Fetch-Site': 'cross-site' };
    for (const path of [query, '/orders', '/orders/1', '/orders/keys', '/ping', '/openapi.json']) {
      const answer = await closed.get(path, headers);
      assert.equal(answer.status, 403, `${path} ${JSON.stringify(way)}`);
      assert.match(answer.text, /request\/foreign-origin/);
    }
    assert.equal((await closed.send('HEAD', '/orders', { headers })).status, 403);
  }
});

test('S4: a link on another site opens a page, but nothing can be embedded in another page', async () => {
  const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' };
  for (const [path, status] of [
    ['/', 302],
    ['/docs', 200],
    ['/console/', 200],
  ] as const) {
    const headers = { ...link, 'Sec-Fetch-Dest': 'document' };
    assert.equal((await closed.sendTo('GET', path, { headers })).status, status);
    const framed = { ...link, 'Sec-Fetch-Dest': 'iframe' };
    assert.equal((await closed.sendTo('GET', path, { headers: framed })).status, 403);
  }
  const named = { Origin: FRIEND, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' };
  assert.equal((await shared.get('/orders/1', named)).status, 200);
  for (const site of ['same-origin', 'same-site', 'none']) {
    assert.equal((await closed.get('/orders/1', { 'Sec-Fetch-Site': site })).status, 200);
  }
});

test('S4: our own pages, and clients other than browsers, may write', async () => {
  for (const headers of [
    {},
    { Origin: closed.origin },
    { Origin: closed.origin, 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'none' },
    { 'Sec-Fetch-Site': 'same-origin' },
    // Behind a proxy that terminates TLS, the page has another scheme.
    { Origin: `https://127.0.0.1:${closed.port}` },
  ]) {
    assert.equal((await put(closed, headers)).status, 200, JSON.stringify(headers));
  }
});

test('S4: a body of a media type that needs no preflight is refused', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    assert.equal((await put(closed, { 'Content-Type': type })).status, 415, type);
  }
});

test('S4: a page that the CORS setting names may preflight, write and read', async () => {
  const preflight = await shared.sendTo('OPTIONS', '/grid-api/v1/orders/1', {
    headers: { Origin: FRIEND, 'Access-Control-Request-Method': 'PUT' },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers['access-control-allow-origin'], FRIEND);
  assert.match(preflight.headers['access-control-allow-methods'] ?? '', /\bPUT\b/);
  assert.match(
    preflight.headers['access-control-allow-headers'] ?? '',
    /Authorization.*Idempotency-Key.*Last-Event-ID/,
  );
  assert.equal(preflight.headers['vary'], 'Origin');
  const written = await put(shared, { Origin: FRIEND, 'Sec-Fetch-Site': 'cross-site' });
  assert.equal(written.status, 200);
  const read = await shared.get('/orders/1', { Origin: FRIEND });
  assert.equal(read.headers['access-control-allow-origin'], FRIEND);
  assert.match(read.headers['access-control-expose-headers'] ?? '', /ETag/);
  assert.equal(read.headers['access-control-allow-credentials'], undefined);
  const failed = await shared.get('/absent', { Origin: FRIEND });
  assert.equal(failed.headers['access-control-allow-origin'], FRIEND);
});

test('S4: other pages get no CORS headers and no preflight', async () => {
  for (const [service, origin] of [
    [shared, 'https://evil.example'],
    [closed, FRIEND],
  ] as const) {
    const preflight = await service.sendTo('OPTIONS', '/grid-api/v1/orders/1', {
      headers: { Origin: origin, 'Access-Control-Request-Method': 'PUT' },
    });
    const read = await service.get('/orders/1', { Origin: origin });
    for (const { headers } of [preflight, read]) {
      const names = Object.keys(headers).filter((name) => name.startsWith('access-control'));
      assert.deepEqual(names, []);
    }
  }
});
