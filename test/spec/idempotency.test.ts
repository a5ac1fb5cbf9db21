// Idempotency-Key: a repeated request gets the first answer and does nothing.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer, RequestOptions } from '../http-client.ts';
import { onEveryEngine } from '../service.ts';

const REPLAYED = 'idempotent-replayed';

function keyed(key: string, options: RequestOptions = {}): RequestOptions {
  return { ...options, headers: { ...options.headers, 'Idempotency-Key': key } };
}

function code(answer: Answer): unknown {
  return JSON.parse(answer.text).code;
}

/** An answer without the parts that differ between requests. */
function seen({ headers, status, text }: Answer): unknown {
  return [status, headers['location'], headers['etag'], headers['content-type'], text];
}

onEveryEngine('Idempotency-Key', (service) => {
  /** Sends a request twice; the second answer must equal the first. */
  const twice = async (method: string, path: string, options: RequestOptions): Promise<Answer> => {
    const first = await service().send(method, path, options);
    assert.ok(first.status < 300, first.text);
    assert.equal(first.headers[REPLAYED], undefined);
    const sequence = service().engine.stats().sequence;
    const second = await service().send(method, path, options);
    assert.equal(second.headers[REPLAYED], 'true');
    assert.deepEqual(seen(second), seen(first));
    assert.equal(service().engine.stats().sequence, sequence);
    return first;
  };

  it('names the address of the repeat, not that of the first request', async () => {
    const region = await service().region();
    const options = keyed('moved', { body: '{}' });
    assert.equal((await service().send('PUT', `/${region}/a`, options)).status, 200);
    const { host, port } = new URL(service().origin);
    const moved = { ...options.headers, Host: `localhost:${port}` };
    const repeat = await service().send('PUT', `/${region}/a`, { ...options, headers: moved });
    assert.equal(repeat.headers[REPLAYED], 'true');
    assert.equal(
      repeat.headers['location'],
      `${service().api}/${region}/a`.replace(host, `localhost:${port}`),
    );
  });

  it('executes each kind of write once and repeats its answer', async () => {
    const region = await service().region();
    const added = await twice('POST', `/${region}`, keyed('add', { body: '{"n":1}' }));
    const keys = Object.keys(await service().stored(region));
    assert.deepEqual(
      keys.map((key) => `${service().api}/${region}/${key}`),
      [added.headers['location']],
    );
    await twice('PUT', `/${region}/a?op=CREATE`, keyed('create', { body: '{"n":1.0}' }));
    await twice('PUT', `/${region}/a`, keyed('put', { body: '{"n":2}' }));
    await twice('PUT', `/${region}/a,b`, keyed('two', { body: '[{"n":3},{"n":3}]' }));
    const cas = '{"@old":{"n":3},"@new":{"n":4}}';
    await twice('PUT', `/${region}/a?op=CAS`, keyed('cas', { body: cas }));
    const patched = await twice(
      'PATCH',
      `/${region}/a`,
      keyed('patch', {
        body: '{"m":20.0}',
        headers: {
          'Content-Type': 'application/merge-patch+json',
          Prefer: 'return=representation',
        },
      }),
    );
    assert.equal(patched.text, '{"n":4,"m":20.0}');
    await twice('DELETE', `/${region}/b`, keyed('delete'));
    await twice('DELETE', `/${region}?keys=a`, keyed('delete a'));
  });

  it('executes a transaction once, and repeats what it read', async () => {
    const region = await service().region({ a: '{"n":1.0}' });
    const body = JSON.stringify({
      do: [
        { op: 'get', region, key: 'a' },
        { op: 'create', region, key: 'b', value: { n: 2 } },
        { op: 'get', region, key: 'b' },
        { op: 'get', region, key: 'none' },
      ],
    });
    const first = await twice('POST', '/_tx', keyed('tx', { body }));
    await service().put(region, { a: '{"n":9}', none: '{}' });
    const again = await service().send('POST', '/_tx', keyed('tx', { body }));
    assert.equal(again.text, first.text);
    assert.match(again.text, /"value":\{"n":1\.0\}/);
    const readOnly = JSON.stringify({ do: [{ op: 'get', region, key: 'a' }] });
    await twice('POST', '/_tx', keyed('read', { body: readOnly }));
  });

  it('refuses the key for another request', async () => {
    const region = await service().region();
    const put = (path: string, body: string, headers = {}): Promise<Answer> =>
      service().send('PUT', path, keyed('one', { body, headers }));
    assert.equal((await put(`/${region}/a`, '{"n":1}')).status, 200);
    const others = [
      await put(`/${region}/a`, '{"n":2}'),
      await put(`/${region}/b`, '{"n":1}'),
      await put(`/${region}/a?op=CREATE`, '{"n":1}'),
      await put(`/${region}/a`, '{"n":1}', { 'If-Match': '*' }),
      await service().send('DELETE', `/${region}/a`, keyed('one')),
      await service().send('POST', `/${region}`, keyed('one', { body: '{"n":1}' })),
      await service().send('POST', '/_tx', keyed('one', { body: '{"do":[]}' })),
    ];
    for (const answer of others) {
      assert.deepEqual([answer.status, code(answer)], [422, 'request/idempotency-key-reused']);
    }
    assert.deepEqual(await service().stored(region), { a: '{"n":1}' });
    const same = await put(`/${region}/a`, ' { "n" : 1 } ');
    assert.equal(same.headers[REPLAYED], 'true');
  });

  it('stores no answer of a failed request', async () => {
    const region = await service().region({ a: '{}' });
    const create = keyed('later', { body: '{"n":1}' });
    const path = `/${region}/a?op=CREATE`;
    assert.equal((await service().send('PUT', path, create)).status, 409);
    assert.equal((await service().send('PUT', path, create)).status, 409);
    assert.equal((await service().send('DELETE', `/${region}/a`)).status, 200);
    const done = await service().send('PUT', path, create);
    assert.deepEqual([done.status, done.headers[REPLAYED]], [201, undefined]);
    assert.equal((await service().send('PUT', path, create)).headers[REPLAYED], 'true');
    const bad = keyed('bad', { body: '{"n":' });
    assert.equal((await service().send('PUT', `/${region}/a`, bad)).status, 400);
  });

  it('executes one of many concurrent repeats; the others get its answer or a conflict', async () => {
    const region = await service().region();
    const options = keyed('burst', { body: '{"n":1}' });
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => service().send('POST', `/${region}`, options)),
    );
    for (const answer of answers) {
      if (answer.status === 409) {
        assert.equal(code(answer), 'request/idempotency-key-in-use');
        assert.equal(answer.headers['retry-after'], '1');
      } else assert.equal(answer.status, 201);
    }
    assert.equal(Object.keys(await service().stored(region)).length, 1);
    const after = await service().send('POST', `/${region}`, options);
    assert.equal(after.headers[REPLAYED], 'true');
  });

  it('repeats the answer even when the region was destroyed', async () => {
    const region = await service().region();
    const options = keyed('gone', { body: '{}' });
    const first = await service().send('PUT', `/${region}/a`, options);
    await service().grid.destroyRegion(region);
    assert.deepEqual(seen(await service().send('PUT', `/${region}/a`, options)), seen(first));
  });

  it('refuses invalid keys, and requests that do not support them', async () => {
    const region = await service().region({ a: '{}' });
    for (const key of ['', 'x'.repeat(256), 'k\u00e4se']) {
      const answer = await service().send('PUT', `/${region}/a`, keyed(key, { body: '{}' }));
      assert.deepEqual([answer.status, code(answer)], [400, 'request/bad-idempotency-key'], key);
    }
    const twice = await service().send('PUT', `/${region}/a`, {
      body: '{}',
      headers: { 'Idempotency-Key': ['one', 'two'] },
    });
    assert.deepEqual([twice.status, code(twice)], [400, 'request/bad-idempotency-key']);
    const clear = await service().send('DELETE', `/${region}`, keyed('clear'));
    assert.deepEqual([clear.status, code(clear)], [400, 'request/bad-idempotency-key']);
    const text = encodeURIComponent(`SELECT * FROM /${region}`);
    for (const [method, path] of [
      ['POST', `/queries?id=once&q=${text}`],
      ['PUT', `/queries/once?q=${text}`],
      ['DELETE', '/queries/once'],
      ['POST', `/${region}/_history/a?restore=1`],
    ] as const) {
      const answer = await service().send(method, path, keyed('query'));
      assert.deepEqual([answer.status, code(answer)], [400, 'request/bad-idempotency-key'], path);
    }
    assert.deepEqual(await service().stored(region), { a: '{}' });
    assert.equal((await service().get('/queries')).text.includes('"once"'), false);
  });

  it('stores a long answer without its body', async () => {
    const long = JSON.stringify({ text: 'x'.repeat(70_000) });
    const region = await service().region({ a: long });
    const body = JSON.stringify({
      do: [
        { op: 'get', region, key: 'a' },
        { region, key: 'b', value: {} },
      ],
    });
    const first = await service().send('POST', '/_tx', keyed('long', { body }));
    assert.ok(first.text.length > 70_000);
    const again = await service().send('POST', '/_tx', keyed('long', { body }));
    assert.deepEqual([again.status, again.headers[REPLAYED], again.text], [200, 'true', '']);
  });
});
