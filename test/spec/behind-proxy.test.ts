// Behind a proxy with a path prefix, addresses in answers lead back through the proxy.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseProxy, refusePublicUrl } from '../../src/http/request/public-address.ts';
import { json } from '../http-client.ts';
import { ADMIN, API, Service } from '../service.ts';

type HttpOptions = NonNullable<NonNullable<Parameters<typeof Service.start>[0]>['http']>;

const FORWARDED = {
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Host': 'grid.example.com',
  'X-Forwarded-Prefix': '/grid/',
};

/** Every address in the answers to a request with these headers. */
async function addresses(
  http: HttpOptions,
  headers: Readonly<Record<string, string>>,
): Promise<object> {
  await using service = await Service.start({ http });
  await service.grid.createRegion({ name: 'r' });
  const created = await service.send('POST', '/r?key=a', { headers, body: '{"n":1}' });
  const read = await service.get('/r/a', headers);
  const page = await service.get('/r', headers);
  const region = await service.sendTo('POST', `${ADMIN}/regions`, {
    headers,
    body: '{"name":"x"}',
  });
  const document = Object(json(await service.get('/openapi.json', headers)));
  const own = (text: string | undefined): string =>
    (text ?? '').replace(`http://127.0.0.1:${service.port}`, 'http://own');
  return {
    location: own(created.headers['location']),
    contentLocation: own(read.headers['content-location']),
    page: own(page.headers['content-location']),
    region: own(region.headers['location']),
    server: own(document.servers[0].url),
  };
}

function under(base: string): object {
  return {
    location: `${base}${API}/r/a`,
    contentLocation: `${base}${API}/r/a`,
    page: `${base}${API}/r/a`,
    region: `${base}${ADMIN}/regions/x`,
    server: base,
  };
}

test('without a setting, addresses are those of the request, and forwarding headers are ignored', async () => {
  assert.deepEqual(await addresses({}, {}), under('http://own'));
  assert.deepEqual(await addresses({}, FORWARDED), under('http://own'));
  const elsewhere = { trustedProxies: ['10.0.0.0/8', '::2'] };
  assert.deepEqual(await addresses(elsewhere, FORWARDED), under('http://own'));
});

test('http.public-url is always used in addresses, and its host is accepted', async () => {
  const http = { publicUrl: 'https://grid.example.com/grid/' };
  assert.deepEqual(await addresses(http, {}), under('https://grid.example.com/grid'));
  const headers = { Host: 'grid.example.com', 'X-Forwarded-Host': 'evil.example' };
  assert.deepEqual(
    await addresses({ ...http, allowedHosts: [] }, headers),
    under('https://grid.example.com/grid'),
  );
});

test('the headers of a trusted proxy determine the addresses', async () => {
  for (const trustedProxies of [['127.0.0.1'], ['127.0.0.0/8'], ['10.0.0.1', '127.0.0.1/32']]) {
    const shown = await addresses({ trustedProxies }, FORWARDED);
    assert.deepEqual(shown, under('https://grid.example.com/grid'));
  }
  const trusted = { trustedProxies: ['127.0.0.1'] };
  assert.deepEqual(await addresses(trusted, {}), under('http://own'));
  const two = { ...FORWARDED, 'X-Forwarded-Host': 'outer.example:8443, inner.example' };
  assert.deepEqual(await addresses(trusted, two), under('https://outer.example:8443/grid'));
});

test('malformed schemes, hosts and paths are ignored', async () => {
  const trusted = { trustedProxies: ['127.0.0.1'] };
  for (const headers of [
    { 'X-Forwarded-Proto': 'javascript' },
    { 'X-Forwarded-Host': 'evil.example/x?' },
    { 'X-Forwarded-Host': 'user@evil.example' },
    { 'X-Forwarded-Prefix': '//evil.example' },
    { 'X-Forwarded-Prefix': 'grid' },
    { 'X-Forwarded-Prefix': '/a?b' },
  ]) {
    assert.deepEqual(await addresses(trusted, headers), under('http://own'));
  }
});

test('a page behind the proxy may write, although the browser sends no site', async () => {
  await using service = await Service.start({
    http: { publicUrl: 'https://grid.example.com/grid' },
  });
  await service.grid.createRegion({ name: 'r' });
  const write = (origin: string) =>
    service.send('PUT', '/r/a', { headers: { Origin: origin }, body: '{}' });
  assert.equal((await write('https://grid.example.com')).status, 200);
  assert.equal((await write('https://other.example.com')).status, 403);
});

test('a 421 names the setting that would allow the host', async () => {
  await using service = await Service.start({ http: { allowedHosts: [] } });
  const answer = await service.get('', { Host: 'grid.example.com' });
  assert.equal(answer.status, 421);
  assert.match(Object(json(answer)).message, /http\.allowed-hosts/);
});

test('invalid settings are refused', () => {
  for (const text of ['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8']) {
    assert.equal(refuseProxy(text), undefined, text);
  }
  for (const text of ['proxy', '10.0.0.0/33', '10.0.0.0/8/8', '', '10.0.0.0/x']) {
    assert.ok(refuseProxy(text) !== undefined, text);
  }
  for (const text of ['https://h', 'https://h/', 'http://h:8080/a/b', 'https://h/a/']) {
    assert.equal(refusePublicUrl(text, 'http.public-url'), undefined, text);
  }
  for (const text of [
    'h',
    '/a',
    'ftp://h',
    'https://h/?a',
    'https://u@h',
    'https://h/a b',
    'http://h:99999',
  ]) {
    assert.ok(refusePublicUrl(text, 'http.advertise') !== undefined, text);
  }
  assert.doesNotMatch(refusePublicUrl('https://u:geheim@h', 'http.advertise') ?? '', /geheim/);
});
