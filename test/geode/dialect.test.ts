// Properties of the dialect that no recording of Geode shows.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { API, manyEntries, Service } from '../service.ts';

const JSON_BODY = { 'Content-Type': 'application/json', Accept: 'application/json' };

test('both APIs show the same regions, entries and queries', async () => {
  await using service = await Service.start();
  await service.grid.createRegion({ name: 'things' });
  const value = '{"@type":"x","n":20.0,"l":9007199254740993}';
  const put = await service.sendTo('PUT', '/geode/v1/things/a', {
    headers: JSON_BODY,
    body: value,
  });
  assert.equal(put.headers['location'], `${service.origin}/geode/v1/things/a`);
  assert.equal((await service.get('/things/a')).text, `{"things":[${value}]}`);
  const created = await service.sendTo('POST', '/gemfire-api/v1/queries?id=q', {
    headers: { ...JSON_BODY, 'Content-Type': 'text/plain' },
    body: 'SELECT t.nope FROM /things t',
  });
  assert.equal(created.headers['location'], `${service.origin}/gemfire-api/v1/queries/q`);
  assert.equal((await service.send('POST', '/queries/q')).text, '[null]');
});

test('http.dialects enables and disables each API', async () => {
  await using service = await Service.start({ http: { dialects: ['gemfire-api'] } });
  assert.equal((await service.sendTo('GET', '/gemfire-api/v1/ping')).status, 200);
  const off = await service.sendTo('GET', '/geode/v1/ping');
  assert.equal(off.status, 404);
  assert.match(off.text, /"code":"request\/path-not-found"/);
  assert.equal((await service.get('/ping')).status, 200);
});

test('limits and browser security apply, with errors in the format of Geode', async () => {
  await using service = await Service.start({
    requests: { maxBodyBytes: 50, maxKeysPerRequest: 2, maxJsonDepth: 3 },
  });
  await service.grid.createRegion({ name: 'r' });
  const put = (body: string, headers = {}): ReturnType<Service['sendTo']> =>
    service.sendTo('PUT', '/geode/v1/r/a', { headers: { ...JSON_BODY, ...headers }, body });
  const large = await put(`{"a":"${'x'.repeat(60)}"}`);
  assert.equal(large.status, 413);
  assert.equal(large.text, '{"cause":"The body must not be longer than 50 bytes"}');
  assert.equal((await put('{"a":{"b":{"c":{}}}}')).status, 400);
  assert.equal((await put('{}', { Origin: 'http://example.org' })).status, 403);
  assert.equal((await put('{}')).status, 200);
  // Geode has no limit on keys.
  const many = await service.sendTo('GET', '/geode/v1/r/a,b,c,d?ignoreMissingKey=true');
  assert.equal(many.text, '{\n  "r" : [ { }, null, null, null ]\n}');
  const long = await service.sendTo('PUT', `/geode/v1/r/${'k'.repeat(5000)}`, {
    headers: JSON_BODY,
    body: '{}',
  });
  assert.equal(long.status, 500);
  assert.match(long.text, /^\{"message" : "Resource \(r\) configuration does not allow/);
});

test('routes of the dialect have separate names in log and metrics', async () => {
  await using service = await Service.start();
  await service.grid.createRegion({ name: 'r' });
  await service.sendTo('GET', '/geode/v1/r/a,b');
  await service.sendTo('GET', '/gemfire-api/v1/r/');
  const routes = service.observations.flatMap((each) =>
    each.kind === 'request-finished' ? [each.route] : [],
  );
  assert.deepEqual(routes, ['/geode/v1/{region}/{keys}', '/gemfire-api/v1/{region}']);
});

test('a large region is streamed, indented, without Content-Location', async () => {
  await using service = await Service.start({ engine: 'sqlite' });
  const entries = manyEntries(20_000, 100);
  const name = await service.region(entries);
  const answer = await service.sendTo('GET', `/geode/v1/${name}?limit=ALL`);
  assert.equal(answer.headers['content-location'], undefined);
  const read: Record<string, { readonly i: number }[]> = JSON.parse(answer.text);
  assert.deepEqual(
    read[name]?.map(({ i }) => i),
    Array.from({ length: 20_000 }, (_, i) => i),
  );
  assert.ok(answer.text.startsWith(`{\n  "${name}" : [ {\n    "i" : 0,\n`));
  const page = await service.sendTo('GET', `/geode/v1/${name}?limit=2`);
  assert.equal(
    page.headers['content-location'],
    `${service.origin}/geode/v1/${name}/k00000,k00001`,
  );
  const keys = await service.sendTo('GET', `/geode/v1/${name}/keys`);
  assert.deepEqual(JSON.parse(keys.text), { keys: Object.keys(entries) });
  const counted = await service.sendTo('HEAD', `/geode/v1/${name}`);
  assert.equal(counted.headers['resource-count'], '20000');
});

test('a large document is returned unchanged, in pieces', async () => {
  await using service = await Service.start();
  await service.grid.createRegion({ name: 'r' });
  const document = { list: Array.from({ length: 20_000 }, (_, i) => ({ i, text: 'é"\\' })) };
  const body = JSON.stringify(document);
  const put = await service.sendTo('PUT', '/geode/v1/r/a', { headers: JSON_BODY, body });
  assert.equal(put.status, 200);
  const read = await service.sendTo('GET', '/geode/v1/r/a');
  assert.deepEqual(JSON.parse(read.text), document);
  assert.ok(read.text.startsWith('{\n  "list" : [ {\n    "i" : 0,\n'));
  const broken = await service.sendTo('PUT', '/geode/v1/r/a', {
    headers: JSON_BODY,
    body: body.slice(0, -1),
  });
  assert.equal(broken.text, '{"cause":"Json doc specified is either not supported or invalid!"}');
});

test('generated keys are never used twice, also after a restart', async () => {
  await using service = await Service.start({ engine: 'sqlite' });
  await service.grid.createRegion({ name: 'r' });
  const post = async (): Promise<string | undefined> => {
    const { headers, status } = await service.sendTo('POST', '/geode/v1/r', {
      headers: JSON_BODY,
      body: '{}',
    });
    assert.equal(status, 201);
    return headers['location']?.split('/').at(-1);
  };
  assert.deepEqual([await post(), await post(), await post()], ['1', '2', '3']);
  await service.restart();
  const key = await post();
  assert.ok(Number(key) > 3);
  assert.equal((await service.get('/r')).text.match(/\{\}/g)?.length, 4);
});

test('an unexpected error is reported without internal details', async () => {
  await using service = await Service.start();
  await service.grid.createRegion({ name: 'r' });
  service.grid.describeRegions = () => Promise.reject(new Error('secret of the house'));
  const answer = await service.sendTo('GET', '/geode/v1');
  assert.equal(answer.status, 500);
  assert.equal(answer.text, '{"cause":"The server failed to answer"}');
  assert.ok(service.observations.some(({ kind }) => kind === 'request-failed'));
});

test('the address of our own API is unchanged', async () => {
  await using service = await Service.start();
  const name = await service.region({ a: '{"n":1}' });
  const one = await service.get(`/${name}/a`);
  assert.equal(one.text, `{"${name}":[{"n":1}]}`);
  assert.equal(one.headers['content-location'], `${service.origin}${API}/${name}/a`);
});
