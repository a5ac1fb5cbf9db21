// Answers are compressed for clients that accept it, when that makes them shorter.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { Service } from '../service.ts';
import { until } from '../until.ts';

const DECODERS = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
const LONG = `{"text":"${'gridkeep '.repeat(400)}"}`;

let service: Service;

before(async () => {
  service = await Service.start();
  await service.grid.createRegion({ name: 'docs' });
  const many = Array.from({ length: 3000 }, (_, i) => [`k${String(i).padStart(5, '0')}`, LONG]);
  await service.put('docs', Object.fromEntries([['short', '{"n":1}'], ...many.slice(0, 5)]));
  await service.grid.createRegion({ name: 'many' });
  await service.put('many', Object.fromEntries(many));
});

after(() => service.stop());

interface Raw {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** The bytes as they were received, without the decoding that `fetch` does. */
async function read(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Raw> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const outgoing = request(`${service.api}${path}`, { headers, method }, async (incoming) => {
      const pieces: Buffer[] = [];
      for await (const piece of incoming) pieces.push(piece);
      const list = new Headers();
      for (const [name, value] of Object.entries(incoming.headers)) list.set(name, String(value));
      const status = incoming.statusCode ?? 0;
      resolve({ status, headers: list, bytes: Buffer.concat(pieces) });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

test('a long value is sent in the requested encoding, and decodes to the same bytes', async () => {
  const plain = await read('/docs/k00001');
  assert.equal(plain.headers.get('content-encoding'), null);
  assert.equal(plain.headers.get('vary'), 'Accept-Encoding');
  for (const [encoding, decode] of Object.entries(DECODERS)) {
    const { bytes, headers, status } = await read('/docs/k00001', { 'Accept-Encoding': encoding });
    assert.equal(status, 200);
    assert.equal(headers.get('content-encoding'), encoding);
    assert.equal(headers.get('vary'), 'Accept-Encoding');
    assert.equal(headers.get('content-length'), String(bytes.length));
    assert.ok(bytes.length < plain.bytes.length / 10);
    assert.deepEqual(decode(bytes), plain.bytes);
  }
});

test('HEAD has the headers of GET in every encoding', async () => {
  const names = ['content-encoding', 'content-length', 'etag', 'vary', 'transfer-encoding'];
  const query = `/queries/adhoc?q=${encodeURIComponent('SELECT * FROM /docs LIMIT 3')}`;
  for (const path of ['/docs/k00001', query, '/openapi.json', '/docs?limit=ALL&after=k00001']) {
    for (const encoding of ['identity', ...Object.keys(DECODERS)]) {
      const accept = { 'Accept-Encoding': encoding };
      const get = await read(path, accept);
      const head = await read(path, accept, 'HEAD');
      assert.equal(head.bytes.length, 0);
      for (const name of names) {
        // Without a body there is no transfer coding.
        if (name === 'transfer-encoding' && head.headers.get(name) === null) continue;
        assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${encoding} ${name}`);
      }
    }
  }
});

test('streams are compressed as they are sent', async () => {
  const plain = await read('/many?limit=ALL');
  assert.ok(plain.bytes.length > 5_000_000);
  for (const [encoding, decode] of Object.entries(DECODERS)) {
    const answer = await read('/many?limit=ALL', { 'Accept-Encoding': encoding });
    assert.equal(answer.headers.get('content-encoding'), encoding);
    assert.equal(answer.headers.get('transfer-encoding'), 'chunked');
    assert.ok(answer.bytes.length < plain.bytes.length / 10);
    assert.deepEqual(decode(answer.bytes), plain.bytes);
  }
});

test('the quality of the client decides first, then our preference; a short answer is not compressed', async () => {
  for (const [header, encoding] of [
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, br;q=0.5', 'gzip'],
    ['br;q=0.1, gzip;q=0', 'br'],
    ['*', 'zstd'],
    ['*;q=0.5, zstd;q=0', 'br'],
    ['identity', null],
    ['identity;q=1, gzip;q=0.5', null],
    ['deflate', null],
    ['gzip;q=0', null],
    ['', null],
  ] as const) {
    const answer = await read('/docs/k00001', { 'Accept-Encoding': header });
    assert.equal(answer.headers.get('content-encoding'), encoding, header);
  }
  const short = await read('/docs/short', { 'Accept-Encoding': 'gzip' });
  assert.equal(short.headers.get('content-encoding'), null);
});

test('each encoding has its own strong ETag, and conditions accept any of them', async () => {
  const plain = (await read('/docs/k00002')).headers.get('etag') ?? '';
  const gzip = { 'Accept-Encoding': 'gzip' };
  const packed = (await read('/docs/k00002', gzip)).headers.get('etag') ?? '';
  assert.equal(packed, plain.replace(/"$/, '-gzip"'));
  for (const tag of [plain, packed]) {
    const unchanged = await read('/docs/k00002', { ...gzip, 'If-None-Match': tag });
    assert.equal(unchanged.status, 304);
    assert.equal(unchanged.headers.get('etag'), tag, 'caches find their copy by it');
    assert.equal(unchanged.headers.get('vary'), 'Accept-Encoding');
  }
  const headers = { 'If-Match': packed };
  const written = await service.send('PUT', '/docs/k00002', { headers, body: LONG });
  assert.equal(written.status, 200);
  const again = await service.send('PUT', '/docs/k00002', { headers, body: LONG });
  assert.equal(again.status, 412);
});

test('a client that disconnects during a stream leaves nothing open', async () => {
  const controller = new AbortController();
  const answer = await fetch(`${service.api}/many?limit=ALL`, { signal: controller.signal });
  await answer.body?.getReader().read();
  controller.abort();
  await until(
    () => service.engine.stats().openSnapshots === 0 && service.server.requestsInFlight === 0,
  );
  // The service still answers completely.
  const again = await service.get('/many?limit=ALL');
  assert.equal(again.status, 200);
  assert.equal(service.engine.stats().openSnapshots, 0);
});

test('the setting switches it off', async () => {
  await using plain = await Service.start({ http: { compression: 'off' } });
  await plain.grid.createRegion({ name: 'docs' });
  await plain.put('docs', { a: LONG });
  const answer = await plain.get('/docs/a', { 'Accept-Encoding': 'gzip' });
  assert.equal(answer.headers['content-encoding'], undefined);
  assert.equal(answer.headers['vary'], undefined);
});
