// The client against a service: every call, logins, refusals and broken answers.

import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { ClientError, GridClient, type GridEntry } from '../../src/client/index.ts';
import { Service } from '../service.ts';

let service: Service;
let client: GridClient;

before(async () => {
  service = await Service.start({ engine: 'memory' });
  client = new GridClient({ url: `${service.origin}/` });
});

after(() => service.stop());

async function collect<T>(lists: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const list of lists) all.push(...list);
  return all;
}

/** A server that answers as it is told, for what a real one never does. */
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

test('what is put is read again: any key, any form of number, many at a time', async () => {
  await client.ping();
  const shape = { name: 'things', type: 'PARTITION', keyConstraint: null, valueConstraint: null };
  assert.equal(await client.createRegion(shape), 'created');
  assert.equal(await client.createRegion(shape), 'exists');
  const odd = ['keys', 'a/b', 'x,y', ' blank ', '%', '+', '..', 'é😀', '"', '?&=#', '\n'];
  const entries: GridEntry[] = odd.map((key) => ({ key, value: '{"n":20.0,"m":[1,{}]}' }));
  for (let i = 0; i < 900; i += 1) {
    entries.push({ key: `${i}-${'k'.repeat(60)}`, value: `{"i":${i}}` });
  }
  await client.put('things', entries.slice(0, 200));
  await client.put('things', entries.slice(200, 300));
  for (let i = 300; i < entries.length; i += 200) {
    await client.put('things', entries.slice(i, i + 200));
  }
  await client.put('things', [{ key: 'one', value: '[{"a":1}]' }]);
  const expected = [...entries, { key: 'one', value: '[{"a":1}]' }].sort((a, b) =>
    a.key < b.key ? -1 : 1,
  );
  assert.equal(await client.count('things'), expected.length);
  assert.deepEqual(await collect(client.entries('things')), expected);
  assert.deepEqual(await collect(client.read('things', ['one', 'absent', 'keys'])), [
    '[{"a":1}]',
    undefined,
    '{"n":20.0,"m":[1,{}]}',
  ]);
});

test('regions, indexes and named queries are described as they were made', async () => {
  const shape = {
    name: 'numbered',
    type: 'REPLICATE',
    keyConstraint: 'java.lang.Long',
    valueConstraint: 'example.Thing',
  };
  const index = { name: 'by-n', kind: 'hash', expression: 't.n', from: '/numbered t' };
  await client.createRegion(shape);
  assert.equal(await client.createIndex('numbered', index), 'created');
  assert.equal(await client.createIndex('numbered', index), 'exists');
  const query = { id: 'a b/c', oql: 'SELECT * FROM /numbered WHERE n = "+" AND m > $1' };
  assert.equal(await client.createQuery(query), 'created');
  assert.equal(await client.createQuery(query), 'exists');
  assert.deepEqual(await client.listQueries(), [query]);
  const found = (await client.describeRegions()).find(({ name }) => name === 'numbered');
  assert.deepEqual(found, { ...shape, entryCount: 0, indexes: [index] });
});

test('what the service refuses is an error with its status, code and words', async () => {
  assert.equal(await client.count('nowhere'), undefined);
  await assert.rejects(client.put('nowhere', [{ key: 'a', value: '{}' }]), (error) => {
    assert.ok(error instanceof ClientError);
    assert.equal(error.status, 404);
    assert.equal(error.reason, 'grid/region-not-found');
    assert.match(error.message, /nowhere/);
    return true;
  });
});

test('an address that is none, or that holds a login, is refused before anything is sent', () => {
  for (const url of ['nonsense', 'ftp://x', 'http://user:secret@127.0.0.1']) {
    assert.throws(
      () => new GridClient({ url }),
      (error) => error instanceof ClientError && !error.message.includes('secret'),
    );
  }
});

test('nobody there, and an answer that breaks off, are told apart from a refusal', async () => {
  const gone = new GridClient({ url: 'http://127.0.0.1:1' });
  await assert.rejects(gone.ping(), /127\.0\.0\.1:1 does not answer/);
  await withServer(
    (_request, response) => {
      response.write('{"r":[{"a":1},');
      setImmediate(() => response.destroy());
    },
    async (url) => {
      await assert.rejects(collect(new GridClient({ url }).keys('r')), {
        code: 'client/cut-short',
      });
    },
  );
});

test('503 is tried again, then told; a redirect is not followed', async () => {
  let asked = 0;
  await withServer(
    (_request, response) => {
      asked += 1;
      response.writeHead(asked < 3 ? 503 : 200, { 'retry-after': '0' }).end();
    },
    async (url) => {
      await new GridClient({ url }).ping();
      assert.equal(asked, 3);
      asked = 0;
      await assert.rejects(new GridClient({ url, retries: 1 }).ping(), { status: 503 });
    },
  );
  await withServer(
    (_request, response) => response.writeHead(302, { location: service.origin }).end(),
    async (url) => {
      await assert.rejects(new GridClient({ url }).ping(), { code: 'client/unreachable' });
    },
  );
});

test('a login is sent as the service expects it', async () => {
  const seen: (string | undefined)[] = [];
  await withServer(
    (request, response) => {
      seen.push(request.headers.authorization);
      response.end();
    },
    async (url) => {
      await new GridClient({ url }).ping();
      await new GridClient({ url, login: { kind: 'api-key', key: 'gk_1' } }).ping();
      const login = { kind: 'password', user: 'zoë', password: 'pa:ss€' } as const;
      await new GridClient({ url, login }).ping();
    },
  );
  const basic = `Basic ${Buffer.from('zoë:pa:ss€').toString('base64')}`;
  assert.deepEqual(seen, [undefined, 'Bearer gk_1', basic]);
});
