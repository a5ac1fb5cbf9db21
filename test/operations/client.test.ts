// The client against a service: every call, logins, refusals and broken answers.

import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import {
  ClientError,
  ConflictError,
  exactObjects,
  GridClient,
  type KeyedValue,
  LoginError,
  NotFoundError,
  type PageOptions,
  RefusedError,
  texts,
  UnavailableError,
  UnreachableError,
  VersionDiffersError,
} from '../../src/client/index.ts';
import { Service } from '../service.ts';

interface Thing {
  readonly n: number;
  readonly name?: string;
}

let service: Service;
let client: GridClient;

before(async () => {
  service = await Service.start({ engine: 'memory' });
  client = new GridClient({ url: `${service.origin}/` });
});

after(() => service.stop());

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function makeRegion(name: string): Promise<void> {
  const shape = { name, type: 'PARTITION', keyConstraint: null, valueConstraint: null };
  assert.equal(await client.createRegion(shape), 'created');
}

/** A server with scripted answers, for cases that a real one never produces. */
async function withServer(
  answer: RequestListener,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  try {
    await use(`http://127.0.0.1:${port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('text is read back as it was put: any key, any form of number, many at a time', async () => {
  await client.ping();
  await makeRegion('texts');
  const region = client.region('texts', texts);
  const odd = ['keys', 'a/b', 'x,y', ' blank ', '%', '+', '..', 'é😀', '"', '?&=#', '\n'];
  const entries: KeyedValue<string>[] = odd.map((key) => ({ key, value: '{"n":20.0,"m":[1,{}]}' }));
  for (let i = 0; i < 900; i += 1) {
    entries.push({ key: `${i}-${'k'.repeat(60)}`, value: `{"i":${i}}` });
  }
  for (let i = 0; i < entries.length; i += 200) await region.putMany(entries.slice(i, i + 200));
  await region.putMany([{ key: 'one', value: '[{"a":1}]' }]);
  const expected = [...entries, { key: 'one', value: '[{"a":1}]' }].sort((a, b) =>
    a.key < b.key ? -1 : 1,
  );
  assert.equal(await region.count(), expected.length);
  assert.deepEqual((await collect(region.scan())).flat(), expected);
  assert.deepEqual(
    await collect(region.keys()),
    expected.map(({ key }) => key),
  );
  assert.deepEqual(
    await collect(region.values()),
    expected.map(({ value }) => value),
  );
  assert.deepEqual(
    await region.first(2),
    expected.slice(0, 2).map(({ value }) => value),
  );
  assert.deepEqual(await region.getMany(['one', 'absent', 'keys']), [
    '[{"a":1}]',
    undefined,
    '{"n":20.0,"m":[1,{}]}',
  ]);
  for (const { key, value } of entries.slice(0, odd.length)) {
    assert.equal((await region.get(key))?.value, value, key);
  }
});

test('a repeated transaction whose answer was not kept is no empty answer', async () => {
  const long = JSON.stringify({ n: 1, name: 'x'.repeat(70_000) });
  const region = await service.region({ a: long });
  const request = {
    do: [
      { op: 'put', region, key: 'b', value: { n: 2 } },
      { op: 'get', region, key: 'a' },
    ],
  } as const;
  const options = { idempotencyKey: 'long-answer' };
  const first = await client.transaction<Thing>(request, options);
  assert.equal(first.results[1]?.value?.name?.length, 70_000);
  await assert.rejects(client.transaction<Thing>(request, options), {
    name: 'ClientError',
    code: 'client/answer-not-kept',
  });
});

test('a codec may be an object with state', async () => {
  const codec = {
    parsed: 0,
    parse(text: string): Thing {
      this.parsed += 1;
      return JSON.parse(text) as Thing;
    },
    print: (thing: Thing): string => JSON.stringify(thing),
  };
  const things = client.region(await service.region({ a: '{"n":1}', b: '{"n":2}' }), codec);
  assert.deepEqual(await things.first(2), [{ n: 1 }, { n: 2 }]);
  assert.equal(codec.parsed, 2);
});

test('a document is created, changed and removed with increasing versions', async () => {
  await makeRegion('things');
  const things = client.region<Thing>('things');
  assert.equal(await things.get('a'), undefined);
  const created = await things.create('a', { n: 1 });
  assert.equal(created.key, 'a');
  await assert.rejects(things.create('a', { n: 2 }), (error) => {
    assert.ok(error instanceof ConflictError);
    assert.equal(error.code, 'grid/keys-exist');
    return true;
  });
  const entry = await things.get('a');
  assert.deepEqual(entry, { key: 'a', value: { n: 1 }, version: created.version });
  assert.ok(entry !== undefined);
  assert.equal(await things.refresh(entry), entry, 'an unchanged entry is the same object');

  const put = await things.put('a', { n: 2 }, { ifVersion: created.version });
  assert.ok(put.version > created.version);
  await assert.rejects(
    things.put('a', { n: 3 }, { ifVersion: created.version }),
    VersionDiffersError,
  );
  await assert.rejects(
    things.replace('a', { n: 3 }, { ifVersion: created.version }),
    VersionDiffersError,
  );
  assert.deepEqual((await things.refresh(entry))?.value, { n: 2 });

  const replaced = await things.replace('a', { n: 3 });
  assert.ok(replaced.version > put.version);
  await assert.rejects(things.replace('b', { n: 1 }), (error) => {
    assert.ok(error instanceof NotFoundError);
    assert.equal(error.code, 'grid/keys-missing');
    return true;
  });
  assert.equal(await things.remove('a', { ifVersion: replaced.version }), true);
  assert.equal(await things.remove('a'), false);
  assert.equal(await things.refresh(entry), undefined);
});

test('compare-and-set replaces only an equal value, and returns any other', async () => {
  await makeRegion('swapped');
  const things = client.region<Thing>('swapped');
  await things.put('a', { n: 1, name: 'x' });
  const expected = { name: 'x', n: 1 };
  const { version } = await things.compareAndSet('a', { expected, next: { n: 2 } });
  assert.equal((await things.get('a'))?.version, version);
  await assert.rejects(things.compareAndSet('a', { expected, next: { n: 3 } }), (error) => {
    assert.ok(error instanceof ConflictError);
    assert.equal(error.current, '{"n":2}');
    return true;
  });
  await assert.rejects(things.compareAndSet('b', { expected, next: expected }), NotFoundError);
});

test('many entries are removed together or not at all; an entry without a key gets one', async () => {
  await makeRegion('many');
  const things = client.region<Thing>('many');
  const first = await things.add({ n: 1 });
  const second = await things.add({ n: 2 });
  assert.ok(first.key < second.key);
  assert.deepEqual((await things.get(second.key))?.version, second.version);
  await assert.rejects(things.removeMany([first.key, 'absent']), NotFoundError);
  assert.equal(await things.count(), 2);
  await things.removeMany([first.key]);
  await things.removeMany([]);
  assert.deepEqual(await collect(things.keys()), [second.key]);
  await things.clear();
  assert.equal(await things.count(), 0);
});

test('a write to a region that stores nothing has version 0', async () => {
  const shape = { name: 'unstored', type: 'EMPTY', keyConstraint: null, valueConstraint: null };
  assert.equal(await client.createRegion(shape), 'created');
  const unstored = client.region<Thing>('unstored');
  assert.deepEqual(await unstored.put('a', { n: 1 }), { key: 'a', version: 0 });
});

test('exact objects keep integers that a number cannot hold', async () => {
  await makeRegion('exact');
  const document = { id: 9007199254740993n, small: 7, share: 0.5, list: [2n ** 70n] };
  const exact = client.region<typeof document>('exact', exactObjects());
  await exact.put('a', document);
  assert.deepEqual((await exact.get('a'))?.value, document);
  assert.equal(
    (await client.region('exact', texts).get('a'))?.value,
    '{"id":9007199254740993,"small":7,"share":0.5,"list":[1180591620717411303424]}',
  );
  const rows = await client.queries
    .adhoc<bigint>('SELECT e.id FROM /exact e', [], { codec: exactObjects() })
    .rows();
  assert.deepEqual(rows, [9007199254740993n]);
});

test('queries run with parameters by position and by name, whole, streamed and explained', async () => {
  await makeRegion('asked');
  const things = client.region<Thing>('asked');
  await things.putMany(
    Array.from({ length: 100 }, (_, n) => ({ key: String(n), value: { n, name: `t${n % 3}` } })),
  );
  const oql = 'SELECT t.n AS n FROM /asked t WHERE t.n >= $1 AND t.name = $2 ORDER BY t.n';
  assert.deepEqual(await client.queries.adhoc<Thing>(oql, [95, 't0']).rows(), [
    { n: 96 },
    { n: 99 },
  ]);
  const query = { id: 'a b/c', oql: 'SELECT t.n FROM /asked t WHERE t.n < :most ORDER BY t.n' };
  assert.equal(await client.queries.create(query, { check: true }), 'created');
  assert.equal(await client.queries.create(query), 'exists');
  const long = { id: 'long', oql: `SELECT * FROM /things -- ${'long text '.repeat(6000)}` };
  assert.equal(await client.queries.create(long), 'created');
  assert.deepEqual(await client.queries.get('long'), long);
  assert.equal(await client.queries.remove('long'), true);
  assert.deepEqual(await client.queries.list(), [query]);
  assert.deepEqual(await client.queries.get('a b/c'), query);
  assert.equal(await client.queries.get('none'), undefined);
  const named = client.queries.named<number>('a b/c', { most: 3.5 }, { timeoutMs: 10_000 });
  assert.deepEqual(await named.rows(), [0, 1, 2, 3]);
  const seen: number[] = [];
  for await (const n of named.stream()) {
    seen.push(n);
    if (n === 1) break;
  }
  assert.deepEqual(seen, [0, 1]);
  assert.equal(typeof (await named.explain()).plan['node'], 'string');
  assert.equal(typeof (await named.analyze()).plan['actual-rows'], 'number');
  await client.queries.update({ id: 'a b/c', oql: 'SELECT COUNT(*) FROM /asked' });
  assert.deepEqual(await client.queries.named('a b/c').rows(), [100]);
  assert.equal(await client.queries.remove('a b/c'), true);
  assert.equal(await client.queries.remove('a b/c'), false);
  await assert.rejects(client.queries.named('a b/c').rows(), NotFoundError);
});

test('every kind of parameter reaches the query with its type', async () => {
  await makeRegion('one');
  await client.region<Thing>('one').put('a', { n: 1 });
  const parameters = [
    'text',
    7,
    0.5,
    2n ** 64n,
    true,
    null,
    { type: 'double', value: 3 },
    new Date(Date.UTC(2024, 1, 29)),
    ['a', 3, 0.5, false, null, 2n ** 64n],
  ];
  const list = parameters.map((_, i) => `$${i + 1} AS p${i + 1}`).join(', ');
  const codec = exactObjects<Record<string, unknown>>();
  const [row] = await client.queries
    .adhoc(`SELECT ${list} FROM /one`, parameters, { codec })
    .rows();
  assert.deepEqual(Object.values(row ?? {}).slice(0, 6), parameters.slice(0, 6));
  assert.equal(row?.['p7'], 3);
  assert.match(String(row?.['p8']), /2024-02-29|1709164800000/);
  assert.deepEqual(row?.['p9'], parameters[8]);
});

test('regions and indexes are created, described and removed', async () => {
  const shape = {
    name: 'numbered',
    type: 'REPLICATE',
    keyConstraint: 'java.lang.Long',
    valueConstraint: 'example.Thing',
  };
  const index = { name: 'by-n', kind: 'hash', expression: 't.n', from: '/numbered t' };
  assert.equal(await client.createRegion(shape), 'created');
  assert.equal(await client.createRegion(shape), 'exists');
  assert.equal(await client.createIndex('numbered', index), 'created');
  assert.equal(await client.createIndex('numbered', index), 'exists');
  const found = (await client.describeRegions()).find(({ name }) => name === 'numbered');
  assert.deepEqual(found, { ...shape, entryCount: 0, bytes: 0, indexes: [index] });
  const listed = (await client.listRegions()).find(({ name }) => name === 'numbered');
  assert.deepEqual(listed, shape);
  await client.region('numbered').put('1', { n: 1 });
  const query = client.queries.adhoc('SELECT t.n AS n FROM /numbered t WHERE t.n = 1');
  const [unused] = await client.listIndexes('numbered');
  assert.deepEqual(unused, { ...index, uses: 0, countedSince: unused?.countedSince });
  await query.explain();
  for (const uses of [1, 2]) {
    await query.rows();
    const [used] = await client.listIndexes('numbered');
    assert.equal(used?.uses, uses);
    assert.ok(used.lastUsed !== undefined && used.lastUsed >= used.countedSince);
  }
  assert.equal(await client.dropIndex('numbered', 'by-n'), true);
  assert.equal(await client.dropIndex('numbered', 'by-n'), false);
  assert.equal(await client.destroyRegion('numbered'), true);
  assert.equal(await client.destroyRegion('numbered'), false);
  const [server] = await client.listServers();
  assert.match(server ?? '', /^http:\/\//);
});

test('the service returns the login, its metrics and its queries', async () => {
  assert.deepEqual(await client.service.readLogin(), {
    authentication: 'off',
    name: null,
    permissions: ['*'],
  });
  assert.match(await client.service.readMetrics(), /^#/);
  assert.deepEqual(await client.service.listRunningQueries(), []);
  assert.equal(await client.service.cancelQuery('0'), false);
});

test('a refusal is an error with its status, code, message and hint', async () => {
  await makeRegion('right');
  assert.equal(await client.region('nowhere').count(), undefined);
  assert.equal(await client.region('queries').count(), undefined);
  await assert.rejects(client.region<Thing>('rihgt').put('a', { n: 1 }), (error) => {
    assert.ok(error instanceof NotFoundError);
    assert.equal(error.status, 404);
    assert.equal(error.code, 'grid/region-not-found');
    assert.match(error.message, /rihgt/);
    assert.match(error.hint ?? '', /right/);
    return true;
  });
  await assert.rejects(client.region<Thing>('rihgt').get('a'), NotFoundError);
  await assert.rejects(client.queries.adhoc('SELECT FROM').rows(), (error) => {
    assert.ok(error instanceof RefusedError);
    assert.match(error.code, /^oql\//);
    return true;
  });
});

test('an address may include the API path; an invalid one, or one with a login, is refused', async () => {
  for (const url of [
    service.origin,
    `${service.origin}/grid-api/v1`,
    `${service.origin}/grid-api/v1/`,
  ]) {
    await new GridClient({ url }).ping();
  }
  for (const url of ['nonsense', 'ftp://x', 'http://user:secret@127.0.0.1', 'http://x/?a=1']) {
    assert.throws(
      () => new GridClient({ url }),
      (error) =>
        error instanceof ClientError &&
        error.code === 'client/bad-address' &&
        !error.message.includes('secret'),
    );
  }
});

test('an unreachable service and an interrupted answer are distinguished from a refusal', async () => {
  const gone = new GridClient({ url: 'http://127.0.0.1:1', retries: 1 });
  await assert.rejects(gone.ping(), (error) => {
    assert.ok(error instanceof UnreachableError);
    assert.match(error.message, /127\.0\.0\.1:1 does not answer/);
    return true;
  });
  await withServer(
    (_request, response) => {
      response.write('{"r":[{"a":1},');
      setImmediate(() => response.destroy());
    },
    async (url) => {
      const region = new GridClient({ url }).region('r');
      await assert.rejects(collect(region.keys()), { code: 'client/cut-short' });
      const entry = { key: 'a', value: {}, version: 1 };
      await assert.rejects(region.refresh(entry), { code: 'client/cut-short' });
    },
  );
});

test('503 is retried where that is safe, and then reported', async () => {
  const methods: string[] = [];
  let code = 'request/overloaded';
  await withServer(
    (request, response) => {
      methods.push(request.method ?? '');
      const isLast = methods.length >= 3;
      response.writeHead(isLast ? 200 : 503, { 'retry-after': '0', etag: '"1"' });
      response.end(isLast ? '' : JSON.stringify({ code, message: 'no' }));
    },
    async (url) => {
      const patient = new GridClient({ url });
      await patient.ping();
      assert.deepEqual(methods.splice(0), ['GET', 'GET', 'GET']);
      await patient.region<Thing>('r').put('a', { n: 1 });
      assert.deepEqual(methods.splice(0), ['PUT', 'PUT', 'PUT']);
      await assert.rejects(new GridClient({ url, retries: 1 }).ping(), UnavailableError);
      methods.splice(0);
      code = 'engine/outcome-unknown';
      await assert.rejects(patient.region<Thing>('r').put('a', { n: 1 }), { code });
      assert.deepEqual(methods, ['PUT']);
    },
  );
});

test('a write whose connection breaks is not repeated', async () => {
  let requests = 0;
  await withServer(
    (request) => {
      requests += 1;
      request.socket.destroy();
    },
    async (url) => {
      await assert.rejects(
        new GridClient({ url }).region<Thing>('r').put('a', { n: 1 }),
        UnreachableError,
      );
    },
  );
  assert.equal(requests, 1);
});

test('a redirect is not followed', async () => {
  await withServer(
    (_request, response) => response.writeHead(302, { location: service.origin }).end(),
    async (url) => {
      await assert.rejects(new GridClient({ url, retries: 0 }).ping(), {
        code: 'client/unreachable',
      });
    },
  );
});

test('a signal ends a call, a wait between retries and a stream, with its reason', async () => {
  const reason = new Error('enough');
  const aborted = AbortSignal.abort(reason);
  await assert.rejects(client.ping({ signal: aborted }), reason);
  await withServer(
    (_request, response) => response.writeHead(503, { 'retry-after': '3' }).end(),
    async (url) => {
      const controller = new AbortController();
      const waiting = new GridClient({ url, signal: controller.signal }).ping();
      setTimeout(() => controller.abort(reason), 50);
      await assert.rejects(waiting, reason);
    },
  );
  await withServer(
    (_request, response) => response.write('{"r":[{"n":1},'),
    async (url) => {
      const controller = new AbortController();
      const values = new GridClient({ url })
        .region<Thing>('r')
        .values({ signal: controller.signal });
      assert.deepEqual((await values.next()).value, { n: 1 });
      controller.abort(reason);
      await assert.rejects(values.next(), reason);
    },
  );
});

test('a login is sent as the service expects it, and a refused one is a separate error', async () => {
  const seen: (string | undefined)[] = [];
  await withServer(
    (request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(seen.length > 4 ? 401 : 200).end();
    },
    async (url) => {
      await new GridClient({ url }).ping();
      await new GridClient({ url, login: { kind: 'api-key', key: 'gk_1' } }).ping();
      const login = { kind: 'password', user: 'zoë', password: 'pa:ss€' } as const;
      await new GridClient({ url, login }).ping();
      let tokens = 0;
      const token = async (): Promise<string> => `t${++tokens}`;
      const renewing = new GridClient({ url, login: { kind: 'token', token } });
      await renewing.ping();
      await assert.rejects(renewing.ping(), LoginError);
    },
  );
  const basic = `Basic ${Buffer.from('zoë:pa:ss€').toString('base64')}`;
  assert.deepEqual(seen, [undefined, 'Bearer gk_1', basic, 'Bearer t1', 'Bearer t2']);
});

test('entries are returned in pages, with keys, versions and any text', async () => {
  await makeRegion('paged');
  const region = client.region('paged', texts);
  const value = '{"n":20.0,"a":{"b":"}],\\"","c":1e400}}';
  const written = await region.put('k 1', value);
  for (let i = 2; i < 8; i += 1) await region.put(`k ${i}`, `{"n":${i}}`);
  const [first, ...others] = await collect(region.pages({ limit: 3, count: 'exact' }));
  assert.deepEqual(first?.entries[0], { key: 'k 1', value, version: written.version });
  assert.equal(first?.total, 7);
  assert.deepEqual(
    others.map((page) => page.entries.map(({ key }) => key)),
    [['k 4', 'k 5', 'k 6'], ['k 7']],
  );
  const resumed = await collect(region.pages({ limit: 3, cursor: first?.cursor }));
  assert.equal(resumed.length, 2);
  const keysOf = async (options: PageOptions): Promise<readonly string[]> =>
    (await collect(region.entries(options))).map(({ key }) => key);
  assert.deepEqual(await keysOf({ prefix: 'k ', from: 'k 6', order: 'desc' }), ['k 7', 'k 6']);
  assert.deepEqual(await keysOf({ after: 'k 2', to: 'k 5', limit: 1 }), ['k 3', 'k 4']);
  assert.deepEqual(await keysOf({ where: 'n > 5 + 1' }), ['k 1', 'k 7']);
  const [part] = await collect(region.entries({ fields: ['n', 'a.c'] }));
  assert.equal(part?.value, '{"n":20.0,"a":{"c":1e400}}');
  await assert.rejects(collect(region.entries({ where: 'n >' })), RefusedError);
});

test('rows are transferred as NDJSON or CSV, and a failure half-way is reported', async () => {
  await makeRegion('lined');
  const region = client.region('lined', texts);
  await region.put('a', '{"n":20.0,"t":"x,\\"y"}');
  await region.put('b', '{"n":12345678901234567890}');
  const query = client.queries.adhoc('SELECT o.n AS n, o.t AS t FROM /lined o', [], {
    codec: texts,
    timeoutMs: 60_000,
  });
  assert.deepEqual(await query.rows({ as: 'ndjson' }), await query.rows());
  assert.equal(await query.csv(), 'n,t\r\n20.0,"x,""y"\r\n12345678901234567890,\r\n');
  const wrong = client.queries.adhoc('SELECT FROM');
  await assert.rejects(wrong.rows({ as: 'ndjson' }), { code: 'oql/syntax-error' });
  await assert.rejects(wrong.csv(), { code: 'oql/syntax-error' });
  const failing: RequestListener = (request, response) => {
    const isCut = request.url?.includes('cut') === true;
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.end(
      isCut ? '1\n2\n' : '1\n{"@error":{"code":"engine/store-failed","message":"gone"}}\n',
    );
  };
  await withServer(failing, async (url) => {
    const { queries } = new GridClient({ url, retries: 0 });
    const seen: unknown[] = [];
    const read = async (id: string): Promise<void> => {
      for await (const row of queries.named(id).stream({ as: 'ndjson' })) seen.push(row);
    };
    await assert.rejects(read('failed'), { code: 'engine/store-failed' });
    await assert.rejects(read('cut'), /cut|ended/i);
    assert.deepEqual(seen, [1, 1]);
  });
});

test('changes part of an entry by a merge patch or a JSON Patch', async () => {
  await makeRegion('patched');
  const region = client.region<Thing>('patched');
  const { version } = await region.put('a/b', { n: 1, name: 'x' });
  const merged = await region.patch('a/b', { n: 2, name: null }, { ifVersion: version });
  assert.deepEqual((await region.get('a/b'))?.value, { n: 2 });
  await assert.rejects(region.patch('a/b', { n: 3 }, { ifVersion: version }), VersionDiffersError);
  const patched = await region.patch(
    'a/b',
    [
      { op: 'test', path: '/n', value: 2 },
      { op: 'add', path: '/big', value: 9007199254740993n },
    ],
    { ttl: 60 },
  );
  assert.ok(patched.version > merged.version);
  const [text] = await client.region('patched', texts).getMany(['a/b']);
  assert.equal(text, '{"n":2,"big":9007199254740993}');
  assert.ok((await region.get('a/b'))?.expires !== undefined);
  await region.patch('a/b', ' [{"op":"remove","path":"/big"}]');
  assert.deepEqual((await region.get('a/b'))?.value, { n: 2 });
  await assert.rejects(region.patch('a/b', [{ op: 'remove', path: '/big' }]), ConflictError);
  await assert.rejects(region.patch('none', {}), NotFoundError);
});

test('does nothing when there is nothing to put', async () => {
  await makeRegion('nothing');
  await client.region('nothing').putMany([]);
  assert.equal(await client.region('nothing').count(), 0);
});

test('a bulk load of texts sends line breaks as white space, and never changes a string', async () => {
  await makeRegion('broken-lines');
  const region = client.region('broken-lines', texts);
  const { failures, succeeded } = await region.bulk([
    { key: 'a', value: '{\r\n  "n": 1,\n  "text": "x\\ny"\n}' },
    { key: 'b', value: '{"text":"x\ny"}' },
  ]);
  assert.equal(succeeded, 1);
  assert.deepEqual(
    failures.map(({ code, index }) => [index, code]),
    [[1, 'request/bad-json']],
  );
  assert.equal((await region.get('a'))?.value, '{"n":1,"text":"x\\ny"}');
  assert.equal(await region.get('b'), undefined);
});
