// POST {api}/{region}/_bulk: many writes to one region in one request.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { it } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { Answer, RequestOptions } from '../http-client.ts';
import { onEveryEngine, Service } from '../service.ts';

const NDJSON = 'application/x-ndjson';

interface Failure {
  readonly index: number;
  readonly line?: number;
  readonly key?: string;
  readonly status: number;
  readonly code: string;
}

interface Summary {
  readonly succeeded: number;
  readonly failed: number;
  readonly sequence: number;
  readonly failures: readonly Failure[];
}

function summaryOf({ text }: Answer): Summary {
  return JSON.parse(text) as Summary;
}

function lines(items: readonly unknown[]): string {
  return items.map((item) => JSON.stringify(item)).join('\n');
}

onEveryEngine('POST {api}/{region}/_bulk', (service) => {
  const bulk = (
    region: string,
    body: string | Uint8Array,
    { parameters = '', headers = {} }: { parameters?: string; headers?: object } = {},
  ): Promise<Answer> =>
    service().send('POST', `/${region}/_bulk${parameters}`, {
      body,
      headers: { 'Content-Type': NDJSON, ...headers },
    });

  it('writes lines in order, keeps the digits of numbers, and reports how many', async () => {
    const region = await service().region({ old: '{"n":1}', gone: '{}' });
    const body = [
      '{"key":"a","value":{"n":20.0,"e":1E400}}',
      '',
      ' { "op" : "create", "key" : "b", "value" : [ {"x": 12345678901234567890} ] } \r',
      '{"op":"replace","key":"old","value":{"n":2}}',
      '{"op":"remove","key":"gone"}',
      '{"key":"a","value":{"n":21}}',
    ].join('\n');
    const answer = await bulk(region, body);
    assert.equal(answer.status, 200, answer.text);
    const { sequence, ...rest } = summaryOf(answer);
    assert.deepEqual(rest, { succeeded: 5, failed: 0, failures: [] });
    assert.equal(sequence, service().engine.stats().sequence);
    assert.deepEqual(await service().stored(region), {
      a: '{"n":21}',
      b: '[{"x":12345678901234567890}]',
      old: '{"n":2}',
    });
  });

  it('accepts an array too, with any white space, in pieces', async () => {
    const region = await service().region();
    const items = [
      '{"key":"a","value":{"text":"],[\\"{\\\\"}}',
      '  {"key":"b","value":{"n":[[1],[2]]}}',
      'null',
      '{"key":"c" "value":{}}',
      '{"key":"d","value":{}}',
    ];
    const answer = await bulk(region, ` [\n${items.join(' ,\n')} ] \n`, {
      headers: { 'Content-Type': 'application/json' },
    });
    assert.equal(answer.status, 207);
    const { failures, succeeded } = summaryOf(answer);
    assert.equal(succeeded, 3);
    assert.deepEqual(
      failures.map(({ code, index, status }) => [index, status, code]),
      [
        [2, 400, 'request/bad-body'],
        [3, 400, 'request/bad-json'],
      ],
    );
    const empty = await bulk(region, '[ ]', { headers: { 'Content-Type': 'application/json' } });
    const { sequence } = service().engine.stats();
    assert.deepEqual(summaryOf(empty), { succeeded: 0, failed: 0, sequence, failures: [] });
    assert.deepEqual(Object.keys(await service().stored(region)), ['a', 'b', 'd']);
  });

  it('lets each item fail separately, with its position and error code', async () => {
    const region = await service().region({ here: '{"n":1}' });
    const version = service().engine.stats().sequence;
    const answer = await bulk(
      region,
      [
        '{"op":"create","key":"here","value":{}}',
        '{"key":"x","value":{}}',
        '{not json',
        '{"op":"replace","key":"none","value":{}}',
        '{"op":"remove","key":"none"}',
        '{"key":"here","value":{},"if-match":999999}',
        '{"key":"","value":{}}',
        '{"key":"y","value":7}',
        '{"key":"y","value":{},"ttll":1}',
        '{"key":"here","value":{},"if-match":null}',
        '{"op":"replace","key":"here","value":[{}]}',
        '\ud800',
        `{"key":"here","value":{"n":2},"if-match":${version}}`,
        '{"op":"create","key":"z","value":{}}',
      ].join('\n'),
    );
    assert.equal(answer.status, 207);
    const { failed, failures, succeeded } = summaryOf(answer);
    assert.deepEqual([succeeded, failed], [3, 11]);
    assert.deepEqual(
      failures.map(({ code, index, key, line, status }) => [index, line, key, status, code]),
      [
        [0, 1, 'here', 409, 'grid/keys-exist'],
        [2, 3, undefined, 400, 'request/bad-json'],
        [3, 4, 'none', 404, 'grid/keys-not-found'],
        [4, 5, 'none', 404, 'grid/keys-not-found'],
        [5, 6, 'here', 412, 'grid/precondition-failed'],
        [6, 7, '', 400, 'grid/bad-key'],
        [7, 8, 'y', 400, 'grid/bad-value'],
        [8, 9, 'y', 400, 'request/bad-body'],
        [9, 10, 'here', 400, 'request/bad-body'],
        [10, 11, 'here', 400, 'grid/bad-value'],
        [11, 12, undefined, 400, 'request/bad-json'],
      ],
    );
    assert.deepEqual(await service().stored(region), { here: '{"n":2}', x: '{}', z: '{}' });
  });

  it('keeps the order of operations on one key, over batches too', async () => {
    const region = await service().region();
    const items = Array.from({ length: 2500 }, (_, i) => ({ key: `k${i % 7}`, value: { i } }));
    const answer = await bulk(region, lines(items));
    assert.equal(summaryOf(answer).succeeded, 2500);
    const stored = await service().stored(region);
    for (let i = 2493; i < 2500; i += 1) assert.equal(stored[`k${i % 7}`], `{"i":${i}}`);
  });

  it('shows the first 1,000 failures of more', async () => {
    const region = await service().region();
    const answer = await bulk(region, 'x\n'.repeat(1500));
    const { failed, failures, sequence } = summaryOf(answer);
    assert.deepEqual([answer.status, failed, failures.length], [207, 1500, 1000]);
    assert.equal(sequence, service().engine.stats().sequence, 'the latest commit');
  });

  it('returns every result as a line on request, with the summary last', async () => {
    const region = await service().region({ a: '{}' });
    const body = '{"op":"create","key":"a","value":{}}\n{"key":"b","value":{}}\n';
    const answer = await bulk(region, body, { parameters: '?results=stream' });
    assert.equal(answer.status, 207);
    assert.equal(answer.headers['content-type'], NDJSON);
    const [first, second, last, end] = answer.text.split('\n');
    assert.equal(JSON.parse(first ?? '').code, 'grid/keys-exist');
    const version = service().engine.stats().sequence;
    assert.deepEqual(JSON.parse(second ?? ''), { index: 1, status: 200, version });
    assert.deepEqual([JSON.parse(last ?? '').succeeded, end], [1, '']);
  });

  it('answers in a format that the client accepts, or with 406', async () => {
    const region = await service().region();
    const ask = async (accept: string, parameters = ''): Promise<unknown> => {
      const headers = { Accept: accept };
      const answer = await bulk(region, '{"key":"b","value":{}}', { parameters, headers });
      return answer.status === 406 ? 406 : answer.headers['content-type'];
    };
    assert.match(String(await ask('*/*')), /^application\/json/);
    assert.match(String(await ask('application/json')), /^application\/json/);
    assert.equal(await ask(NDJSON), NDJSON);
    assert.equal(await ask('*/*', '?results=stream'), NDJSON);
    assert.equal(await ask('application/json', '?results=stream'), 406);
    assert.equal(await ask(NDJSON, '?results=summary'), 406);
    assert.equal(await ask(NDJSON, '?atomic=true'), 406);
    assert.equal(await ask('text/csv'), 406);
  });

  it('writes the items received so far while the sender waits for their results', async () => {
    const region = await service().region();
    const sent = httpRequest({
      port: service().port,
      method: 'POST',
      path: `/grid-api/v1/${region}/_bulk?results=stream`,
      headers: { 'Content-Type': NDJSON },
    });
    sent.write('{"key":"a","value":{}}\n');
    const [answer] = await once(sent, 'response');
    assert.equal(answer.statusCode, 207);
    const [line] = await once(answer, 'data');
    assert.equal(JSON.parse(String(line)).index, 0);
    assert.deepEqual(await service().stored(region), { a: '{}' });
    sent.end('{"key":"b","value":{}}');
    let rest = '';
    for await (const piece of answer) rest += String(piece);
    assert.equal(JSON.parse(rest.trim().split('\n').at(-1) ?? '').succeeded, 2);
  });

  it('writes all items or none when it is atomic, and names the failed item', async () => {
    const region = await service().region({ here: '{"n":1}' });
    const atomic = (items: readonly unknown[], headers = {}): Promise<Answer> =>
      bulk(region, lines(items), { parameters: '?atomic=true', headers });
    const good = { key: 'new', value: {} };
    const failureOf = (answer: Answer): unknown[] => {
      const { code, index } = JSON.parse(answer.text);
      return [answer.status, code, index];
    };
    const exists = { op: 'create', key: 'here', value: {} };
    assert.deepEqual(failureOf(await atomic([good, exists])), [409, 'grid/condition-failed', 1]);
    const differs = { key: 'here', value: {}, 'if-match': 999_999 };
    assert.deepEqual(failureOf(await atomic([good, good, differs])), [
      412,
      'grid/precondition-failed',
      2,
    ]);
    assert.deepEqual(failureOf(await atomic([good, { key: 'k' }])), [400, 'request/bad-body', 1]);
    assert.deepEqual(failureOf(await atomic([{ key: 'k', value: 1 }])), [400, 'grid/bad-value', 0]);
    const broken = await bulk(region, '{"key":"a","value":{}}\n{', { parameters: '?atomic=true' });
    assert.deepEqual(failureOf(broken), [400, 'request/bad-json', 1]);
    assert.deepEqual(await service().stored(region), { here: '{"n":1}' });
    const many = Array.from({ length: 3000 }, (_, i) => ({ key: `k${i}`, value: { i } }));
    const key = { 'Idempotency-Key': `bulk ${region}` };
    const done = await atomic(many, key);
    assert.equal(done.status, 200, done.text);
    const { sequence, succeeded } = summaryOf(done);
    assert.deepEqual([succeeded, sequence], [3000, service().engine.stats().sequence]);
    const again = await atomic(many, key);
    assert.deepEqual([again.headers['idempotent-replayed'], again.text], ['true', done.text]);
    assert.equal(service().engine.stats().sequence, sequence);
    const tooMany = Array.from({ length: 10_001 }, (_, i) => ({ op: 'remove', key: `k${i}` }));
    assert.deepEqual(failureOf(await atomic(tooMany)).slice(0, 2), [
      413,
      'request/too-many-operations',
    ]);
  });

  it('accepts compressed bodies, and refuses unknown codings', async () => {
    const region = await service().region();
    const items = lines(Array.from({ length: 3000 }, (_, i) => ({ key: `k${i}`, value: { i } })));
    for (const [coding, body] of [
      ['gzip', gzipSync(items)],
      ['zstd', zstdCompressSync(items)],
    ] as const) {
      const answer = await bulk(region, body, { headers: { 'Content-Encoding': coding } });
      assert.equal(summaryOf(answer).succeeded, 3000, answer.text);
    }
    const cut = gzipSync(items).subarray(0, 3000);
    const broken = await bulk(region, cut, { headers: { 'Content-Encoding': 'gzip' } });
    assert.deepEqual([broken.status, JSON.parse(broken.text).code], [400, 'request/bad-body']);
    const other = await bulk(region, items, { headers: { 'Content-Encoding': 'br' } });
    assert.equal(other.status, 415);
    assert.equal(other.headers['accept-encoding'], 'gzip, zstd');
  });

  it('accepts compressed bodies of other writes within the limit of uncompressed ones', async () => {
    const region = await service().region();
    const put = (body: Uint8Array, coding: string): Promise<Answer> =>
      service().send('PUT', `/${region}/a`, { body, headers: { 'Content-Encoding': coding } });
    assert.equal((await put(gzipSync('{"n":20.0}'), 'gzip')).status, 200);
    assert.equal((await put(zstdCompressSync('{"n":20.0}'), 'ZSTD')).status, 200);
    assert.deepEqual(await service().stored(region), { a: '{"n":20.0}' });
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024, 0x20));
    assert.ok(bomb.length < 100_000);
    const tooLarge = await put(bomb, 'gzip');
    assert.deepEqual(
      [tooLarge.status, JSON.parse(tooLarge.text).code],
      [413, 'request/body-too-large'],
    );
    assert.equal((await put(Buffer.from('nothing'), 'gzip')).status, 400);
    const twice = await put(gzipSync(gzipSync('{}')), 'gzip, gzip');
    assert.deepEqual([twice.status, twice.headers['accept-encoding']], [415, 'gzip, zstd']);
  });

  it('refuses a malformed bulk load', async () => {
    const region = await service().region();
    const status = async (options: Parameters<typeof bulk>[2], body = ''): Promise<unknown[]> => {
      const answer = await bulk(region, body, options);
      return [answer.status, JSON.parse(answer.text).code];
    };
    const type = (name: string) => ({ headers: { 'Content-Type': name } });
    assert.deepEqual(await status(type('text/plain')), [415, 'request/unsupported-media-type']);
    assert.deepEqual(await status(type('application/json'), '{}'), [400, 'request/bad-body']);
    assert.deepEqual(await status(type('application/json'), '[{}'), [400, 'request/bad-body']);
    assert.deepEqual(await status({ headers: { 'Idempotency-Key': 'k' } }), [
      400,
      'request/bad-idempotency-key',
    ]);
    assert.deepEqual(await status({ parameters: '?results=all' }), [400, 'request/bad-parameter']);
    assert.deepEqual(await status({ parameters: '?atomic=true&results=stream' }), [
      400,
      'request/bad-parameter',
    ]);
    assert.equal((await bulk('nowhere', '')).status, 404);
    assert.equal((await service().get(`/${region}/_bulk`)).status, 405);
    const nothing = await bulk(region, '');
    assert.deepEqual([nothing.status, summaryOf(nothing).succeeded], [200, 0]);
  });

  it('reports what was done when the body ends early or becomes invalid', async () => {
    const region = await service().region();
    const array = `[${'{"key":"a","value":{}},'.repeat(1200)}`;
    const answer = await bulk(region, array, { headers: { 'Content-Type': 'application/json' } });
    const { code, failed, succeeded } = JSON.parse(answer.text);
    assert.deepEqual([answer.status, code], [400, 'request/bad-body']);
    // Every item that is reported as written is in the store.
    assert.deepEqual([succeeded, failed], [1000, 0]);
    assert.deepEqual(await service().stored(region), { a: '{}' });
    const short = await bulk(region, '[{"key":"b","value":{}},{', {
      headers: { 'Content-Type': 'application/json' },
    });
    const { sequence, succeeded: written } = JSON.parse(short.text);
    assert.deepEqual([short.status, written, sequence], [400, 0, null]);
  });
});

it('fails a line that is too long, and continues after it', async () => {
  await using service = await Service.start({ requests: { maxBodyBytes: 1000 } });
  const region = await service.region();
  const long = `{"key":"long","value":{"text":"${'x'.repeat(50_000)}"}}`;
  const options: RequestOptions = {
    body: `{"key":"a","value":{}}\n${long}\n{"key":"b","value":{}}`,
    headers: { 'Content-Type': NDJSON },
  };
  const answer = await service.send('POST', `/${region}/_bulk`, options);
  const { failures, succeeded } = summaryOf(answer);
  assert.equal(succeeded, 2);
  assert.deepEqual(
    failures.map(({ code, index, line }) => [index, line, code]),
    [[1, 2, 'request/body-too-large']],
  );
});

it('limits the decompressed size of a load', async () => {
  await using service = await Service.start({ requests: { maxUnpackedBytes: 100_000 } });
  const region = await service.region();
  const body = gzipSync('{"key":"a","value":{}}\n'.repeat(100_000));
  const answer = await service.send('POST', `/${region}/_bulk`, {
    body,
    headers: { 'Content-Type': NDJSON, 'Content-Encoding': 'gzip' },
  });
  const { code, succeeded } = JSON.parse(answer.text);
  assert.deepEqual([answer.status, code], [413, 'request/body-too-large']);
  assert.ok(succeeded <= 100_000 / 23);
});

it('may take longer than the request time limit while the body arrives', async () => {
  await using service = await Service.start({
    server: { headersTimeoutMs: 500, requestTimeoutMs: 500, timeoutCheckMs: 20 },
  });
  const region = await service.region();
  const sent = httpRequest({
    port: service.port,
    method: 'POST',
    path: `/grid-api/v1/${region}/_bulk`,
    headers: { 'Content-Type': NDJSON },
  });
  const answered = once(sent, 'response');
  const until = performance.now() + 1500;
  let count = 0;
  while (performance.now() < until) {
    sent.write(`{"key":"k${count}","value":{}}\n`);
    count += 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  sent.end();
  const [answer] = await answered;
  let text = '';
  for await (const piece of answer) text += String(piece);
  assert.deepEqual([answer.statusCode, JSON.parse(text).succeeded], [200, count]);
});

it('stops after a batch when the service drains, and reports what was done', async () => {
  await using service = await Service.start();
  const region = await service.region();
  const sent = httpRequest({
    port: service.port,
    method: 'POST',
    path: `/grid-api/v1/${region}/_bulk`,
    headers: { 'Content-Type': NDJSON },
  });
  const answered = once(sent, 'response');
  sent.write('{"key":"a","value":{}}\n');
  while (Object.keys(await service.stored(region)).length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const drained = service.server.drain();
  const [answer] = await answered;
  let text = '';
  for await (const piece of answer) text += String(piece);
  const { code, failed, succeeded } = JSON.parse(text);
  assert.deepEqual(
    [answer.statusCode, code, succeeded, failed],
    [503, 'request/shutting-down', 1, 0],
  );
  sent.destroy();
  await drained;
});
