// Section 8 of the specification and the table of limits: each at n - 1, n, n + 1.
// They are set low here, so that no test has to be large or slow.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '../../src/engine/engine.ts';
import { type Answer, json, RawConnection, statusesIn } from '../http-client.ts';
import { API, ENGINES, manyEntries, Service } from '../service.ts';
import { until } from '../until.ts';

function code(answer: Answer): string {
  return Object(json(answer)).code;
}

/** An engine that catches up when the gate opens. */
function withGate(engine: Engine, gate: () => Promise<void> | undefined): Engine {
  return new Proxy(engine, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      const call = member.bind(target);
      return property === 'catchUp' ? () => gate() ?? call() : call;
    },
  });
}

for (const engine of ENGINES) {
  describe(`Limits of one request (${engine})`, () => {
    it('accepts a body of n bytes, and answers 413 to one of n + 1', async () => {
      await using service = await Service.start({ engine, requests: { maxBodyBytes: 1000 } });
      const region = await service.region();
      const body = (length: number): string => `{"s":"${'x'.repeat(length - 8)}"}`;
      for (const length of [999, 1000]) {
        const answer = await service.send('PUT', `/${region}/a`, { body: body(length) });
        assert.equal(answer.status, 200);
        assert.deepEqual(await service.stored(region), { a: body(length) });
      }
      const answer = await service.send('PUT', `/${region}/a`, { body: body(1001) });
      assert.equal(answer.status, 413);
      assert.equal(answer.headers['connection'], 'close');
      assert.equal(Object(json(answer)).cause, 'The body must not be longer than 1000 bytes');
      assert.deepEqual(await service.stored(region), { a: body(1000) });
    });

    it('accepts a value of n bytes with every kind of write, and answers 413 to one of n + 1', async () => {
      await using service = await Service.start({ engine, grid: { maxValueBytes: 100 } });
      const region = await service.region({ a: '{}', b: '{}' });
      const value = (bytes: number): string => `{"s":"é${'x'.repeat(bytes - 10)}"}`;
      const ways = [
        ['POST', '?key=new', (length: number) => value(length)],
        ['PUT', '/c', (length: number) => `  ${value(length)} `],
        ['PUT', '/d?op=CREATE', (length: number) => value(length)],
        ['PUT', '/a?op=REPLACE', (length: number) => value(length)],
        ['PUT', '/b?op=CAS', (length: number) => `{"@old":{},"@new":${value(length)}}`],
        ['PUT', '/a,e', (length: number) => `[{"x":1},${value(length)}]`],
      ] as const;
      const before = await service.stored(region);
      for (const [method, path, body] of ways) {
        const answer = await service.send(method, `/${region}${path}`, { body: body(101) });
        assert.deepEqual([answer.status, code(answer)], [413, 'grid/value-too-large'], path);
        assert.match(
          Object(json(answer)).message,
          /has 101 bytes, more than the 100 of limits\.value/,
        );
      }
      assert.deepEqual(await service.stored(region), before);
      for (const [method, path, body] of ways) {
        const { status } = await service.send(method, `/${region}${path}`, { body: body(100) });
        assert.ok(status < 300, path);
      }
      assert.equal((await service.stored(region))['e'], value(100));
    });

    it('accepts a value of n bytes by PATCH, and answers 413 to one of n + 1', async () => {
      await using service = await Service.start({ engine, grid: { maxValueBytes: 100 } });
      const region = await service.region({ a: '{"b":1}' });
      const text = (bytes: number): string => 'x'.repeat(bytes - '{"b":1,"s":""}'.length);
      const operations = (value: string): unknown => [{ op: 'add', path: '/s', value }];
      for (const [type, print] of [
        ['application/merge-patch+json', (s: string) => JSON.stringify({ s })],
        ['application/json-patch+json', (s: string) => JSON.stringify(operations(s))],
      ] as const) {
        const send = (bytes: number): Promise<Answer> =>
          service.send('PATCH', `/${region}/a`, {
            body: print(text(bytes)),
            headers: { 'Content-Type': type },
          });
        const before = await service.stored(region);
        const long = await send(101);
        assert.deepEqual([long.status, code(long)], [413, 'grid/value-too-large'], type);
        assert.deepEqual(await service.stored(region), before);
        assert.equal((await send(100)).status, 200);
      }
    });

    it('answers 413 to a read by keys beyond the byte limit of a read', async () => {
      await using service = await Service.start({ engine });
      const region = await service.region({ small: '{"n":1}' });
      const body = `{"s":"${'x'.repeat(2 ** 20 - 10)}"}`;
      assert.equal((await service.send('PUT', `/${region}/large`, { body })).status, 200);
      const path = (key: string): string => `/${region}/${new Array(257).fill(key).join(',')}`;
      const answer = await service.get(path('large'));
      assert.deepEqual([answer.status, code(answer)], [413, 'engine/read-too-large']);
      // One large value in the region does not affect reads of small ones.
      const small = await service.get(path('small'));
      assert.equal(small.text, `{"${region}":[${new Array(257).fill('{"n":1}').join(',')}]}`);
    });

    it('refuses to store a query text that is too long as a value', async () => {
      await using service = await Service.start({ engine, grid: { maxValueBytes: 100 } });
      const text = (length: number): string => 'x'.repeat(length - '{"id":"q","oql":""}'.length);
      for (const method of ['POST', 'PUT']) {
        const path = method === 'POST' ? '/queries?id=q&q=' : '/queries/q?q=';
        const long = await service.send(method, path + text(101));
        assert.deepEqual([long.status, code(long)], [413, 'grid/value-too-large']);
        assert.ok((await service.send(method, path + text(100))).status < 300);
      }
    });

    it('counts the bytes of a body that is sent in chunks as well', async () => {
      await using service = await Service.start({ engine, requests: { maxBodyBytes: 1000 } });
      const region = await service.region();
      const send = async (length: number): Promise<string> => {
        using connection = await RawConnection.open(service.port);
        const value = `{"s":"${'x'.repeat(length - 8)}"}`;
        connection.write(
          `PUT ${API}/${region}/a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`,
        );
        for (const half of [value.slice(0, 500), value.slice(500)]) {
          connection.write(`${half.length.toString(16)}\r\n${half}\r\n`);
        }
        connection.write('0\r\n\r\n');
        return await connection.untilClosed();
      };
      assert.deepEqual(statusesIn(await send(1000)), [200]);
      assert.deepEqual(statusesIn(await send(1001)), [413]);
    });

    it('delivers the 413 also to a client that continues to send', async () => {
      await using service = await Service.start({ engine, requests: { maxBodyBytes: 1000 } });
      const region = await service.region();
      using connection = await RawConnection.open(service.port);
      const length = 4 * 1024 * 1024;
      connection.write(
        `PUT ${API}/${region}/a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
      );
      connection.write(Buffer.alloc(length, 'x'));
      const received = await connection.untilClosed();
      assert.deepEqual(statusesIn(received), [413]);
      assert.match(received, /request\/body-too-large/);
    });

    it('accepts a URL of n bytes, and answers 414 to one of n + 1', async () => {
      await using service = await Service.start({ server: { maxUrlBytes: 200 } });
      const path = (length: number): string => `${API}/ping?x=`.padEnd(length, 'x');
      assert.equal((await service.sendTo('GET', path(199))).status, 200);
      assert.equal((await service.sendTo('GET', path(200))).status, 200);
      const answer = await service.sendTo('GET', path(201));
      assert.equal(answer.status, 414);
      assert.equal(code(answer), 'request/url-too-long');
      assert.equal(answer.headers['connection'], 'close');
    });

    it('answers 414 also to a URL that is longer than URL and headers may be together', async () => {
      const server = { maxUrlBytes: 2000, maxHeaderBytes: 2000 };
      await using service = await Service.start({ server });
      for (const length of [3000, 10_000, 200_000]) {
        using connection = await RawConnection.open(service.port);
        connection.write(`GET ${`${API}/ping?x=`.padEnd(length, 'x')} HTTP/1.1\r\nHost: x\r\n\r\n`);
        const received = await connection.untilClosed();
        assert.deepEqual(statusesIn(received), [414]);
        assert.match(received, /request\/url-too-long/);
      }
    });

    it('answers 414 also when the end of such a URL arrives', async () => {
      const server = { maxUrlBytes: 32_768, maxHeaderBytes: 32_768 };
      await using service = await Service.start({ server });
      for (const length of [66_000, 70_000, 100_000]) {
        using connection = await RawConnection.open(service.port);
        connection.write(`GET ${`${API}/ping?x=`.padEnd(length, 'x')} HTTP/1.1\r\nHost: x\r\n\r\n`);
        assert.deepEqual(statusesIn(await connection.untilClosed()), [414], String(length));
      }
    });

    it('accepts n headers, and answers 431 to n + 1', async () => {
      await using service = await Service.start({ server: { maxHeaders: 20 } });
      const send = async (count: number): Promise<string> => {
        using connection = await RawConnection.open(service.port);
        const more = Array.from({ length: count - 2 }, (_, i) => `X-${i}: ${i}\r\n`).join('');
        connection.write(`GET ${API}/ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`);
        return await connection.untilClosed();
      };
      assert.deepEqual(statusesIn(await send(19)), [200]);
      assert.deepEqual(statusesIn(await send(20)), [200]);
      const refused = await send(21);
      assert.deepEqual(statusesIn(refused), [431]);
      assert.match(refused, /A request may have 20 headers at most/);
    });

    it('accepts headers of n bytes, and answers 431 to n + 1 and to far more', async () => {
      await using service = await Service.start({
        server: { maxHeaderBytes: 2000, maxUrlBytes: 500 },
      });
      const send = async (bytes: number): Promise<string> => {
        using connection = await RawConnection.open(service.port);
        const fixed = 'Host: x\r\nConnection: close\r\nX: ';
        const header = `${fixed}${'x'.repeat(bytes - fixed.length - 2)}\r\n`;
        assert.equal(header.length, bytes);
        connection.write(`GET ${API}/ping HTTP/1.1\r\n${header}\r\n`);
        return await connection.untilClosed();
      };
      assert.deepEqual(statusesIn(await send(1999)), [200]);
      assert.deepEqual(statusesIn(await send(2000)), [200]);
      assert.deepEqual(statusesIn(await send(2001)), [431]);
      assert.deepEqual(statusesIn(await send(100_000)), [431]);
    });

    it('accepts n keys in one request, and answers 400 to n + 1', async () => {
      await using service = await Service.start({ engine, requests: { maxKeysPerRequest: 5 } });
      const region = await service.region(manyEntries(6));
      const keys = (count: number): string => Object.keys(manyEntries(count)).join(',');
      const values = (count: number): string => `[${Array(count).fill('{}').join(',')}]`;
      for (const count of [4, 5]) {
        assert.equal((await service.get(`/${region}/${keys(count)}`)).status, 200);
        assert.equal((await service.get(`/${region}?keys=${keys(count)}`)).status, 200);
        const put = await service.send('PUT', `/${region}/${keys(count)}`, { body: values(count) });
        assert.equal(put.status, 200);
      }
      const answers = [
        await service.get(`/${region}/${keys(6)}`),
        await service.get(`/${region}?keys=${keys(3)}&keys=${keys(3)}`),
        await service.send('PUT', `/${region}/${keys(6)}`, { body: values(6) }),
        await service.send('DELETE', `/${region}/${keys(6)}`),
        await service.send('DELETE', `/${region}?keys=${keys(6)}`),
      ];
      for (const answer of answers) {
        assert.equal(answer.status, 400);
        assert.equal(Object(json(answer)).cause, 'One request may name 5 keys at most');
      }
    });

    it('accepts a key of n bytes of UTF-8 without NUL, and answers 400 to others', async () => {
      await using service = await Service.start({ engine, grid: { maxKeyBytes: 12 } });
      const region = await service.region();
      const good = [
        'k'.repeat(11),
        'k'.repeat(12),
        'é'.repeat(6),
        '\u20ac'.repeat(4),
        '😀'.repeat(3),
      ];
      for (const key of good) {
        const path = `/${region}/${encodeURIComponent(key)}`;
        assert.equal((await service.send('PUT', path, { body: '{}' })).status, 200, key);
        assert.equal((await service.get(path)).status, 200);
        assert.equal((await service.send('DELETE', path)).status, 200);
      }
      const bad = [
        'k'.repeat(13),
        `${'é'.repeat(6)}k`,
        `${'\u20ac'.repeat(4)}k`,
        `${'😀'.repeat(3)}k`,
        'a\0b',
        '\0',
      ];
      for (const key of bad) {
        const path = `/${region}/${encodeURIComponent(key)}`;
        const answers = [
          await service.send('PUT', path, { body: '{}' }),
          await service.send('POST', `/${region}?key=${encodeURIComponent(key)}`, { body: '{}' }),
          await service.get(path),
          await service.get(`${path}?ignoreMissingKey=true`),
          await service.send('DELETE', path),
        ];
        for (const answer of answers) {
          assert.equal(answer.status, 400, key);
          assert.equal(code(answer), 'grid/bad-key');
        }
      }
      assert.deepEqual(await service.stored(region), {});
    });

    it('accepts JSON nested n deep, and answers 400 with the position to n + 1', async () => {
      await using service = await Service.start({ requests: { maxJsonDepth: 6 } });
      const region = await service.region();
      const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
      const mixed = (depth: number): string =>
        `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
      for (const value of [nested, mixed]) {
        for (const depth of [5, 6]) {
          const answer = await service.send('PUT', `/${region}/a`, { body: value(depth) });
          assert.equal(answer.status, 200);
        }
        const answer = await service.send('PUT', `/${region}/a`, { body: value(7) });
        assert.equal(answer.status, 400);
        assert.match(
          Object(json(answer)).cause,
          /^Malformed JSON at line 1, column \d+: Nesting deeper than 6$/,
        );
      }
      for (const depth of [6, 7]) {
        const several = await service.send('PUT', `/${region}/a,b`, {
          body: `[${nested(depth)},${nested(depth)}]`,
        });
        assert.equal(several.status, depth === 6 ? 200 : 400);
        const cas = await service.send('PUT', `/${region}/a?op=CAS`, {
          body: `{"@old":${nested(6)},"@new":${nested(depth)}}`,
        });
        assert.equal(cas.status, depth === 6 ? 200 : 400);
      }
      const deepest = await service.send('PUT', `/${region}/a`, { body: nested(100_000) });
      assert.equal(deepest.status, 400);
    });
  });
}

// They do not depend on the engine.
describe('Limits of the server', () => {
  /** A PUT whose body the test sends later, so that it stays in flight. */
  async function holdRequest(service: Service, region: string): Promise<RawConnection> {
    const connection = await RawConnection.open(service.port);
    const before = service.server.requestsInFlight;
    connection.write(
      `PUT ${API}/${region}/held HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`,
    );
    await connection.until((received) => received.includes('100 Continue'));
    assert.equal(service.server.requestsInFlight, before + 1);
    return connection;
  }

  it('serves n requests at once, and answers 503 with Retry-After to n + 1', async () => {
    await using service = await Service.start({ server: { maxRequestsInFlight: 3 } });
    const region = await service.region();
    using first = await holdRequest(service, region);
    assert.equal((await service.get(`/${region}`)).status, 200);
    using second = await holdRequest(service, region);
    assert.equal((await service.get(`/${region}`)).status, 200);
    using third = await holdRequest(service, region);
    const answer = await service.get(`/${region}`);
    assert.equal(answer.status, 503);
    assert.equal(answer.headers['retry-after'], '1');
    assert.equal(code(answer), 'request/overloaded');
    assert.equal((await service.get('/ping')).status, 200);
    for (const connection of [first, second, third]) {
      connection.write('{}');
      await connection.until((received) => received.includes('200 OK'));
    }
    assert.equal((await service.get(`/${region}`)).status, 200);
  });

  it('ends a request whose client disconnected', async () => {
    await using service = await Service.start({ server: { maxRequestsInFlight: 1 } });
    const region = await service.region();
    const held = await holdRequest(service, region);
    held.socket.destroy();
    let status = 503;
    await until(async () => {
      status = (await service.get(`/${region}`)).status;
      return status !== 503;
    });
    assert.equal(status, 200);
    assert.deepEqual(await service.stored(region), {});
  });

  it('ends a request whose client disconnected while its region was looked up', async () => {
    let gate: Promise<void> | undefined;
    await using service = await Service.start({
      server: { maxRequestsInFlight: 1 },
      wrapEngine: (inner) => withGate(inner, () => gate),
    });
    const region = await service.region();
    const opening = Promise.withResolvers<void>();
    gate = opening.promise;
    const held = await holdRequest(service, region);
    held.socket.destroy();
    // The server reads the end of the connection before these.
    for (let i = 0; i < 5; i += 1) assert.equal((await service.get('/ping')).status, 200);
    gate = undefined;
    opening.resolve();
    await until(() => service.server.requestsInFlight === 0);
    assert.equal((await service.get(`/${region}`)).status, 200);
  });

  it('answers 408 and closes when the headers do not arrive in time', async () => {
    const server = { headersTimeoutMs: 50, requestTimeoutMs: 5_000, timeoutCheckMs: 10 };
    await using service = await Service.start({ server });
    using connection = await RawConnection.open(service.port);
    connection.write(`GET ${API}/ping HTTP/1.1\r\nHost: x\r\nX-Slow: `);
    const received = await connection.untilClosed();
    assert.deepEqual(statusesIn(received), [408]);
    assert.match(received, /\r\nConnection: close\r\n/);
    assert.match(received, /"code":"request\/timeout"/);
  });

  it('answers 408 and closes when the body does not arrive in time', async () => {
    const server = { headersTimeoutMs: 50, requestTimeoutMs: 60, timeoutCheckMs: 10 };
    await using service = await Service.start({ server });
    const region = await service.region({ held: '{"n":1}' });
    using connection = await RawConnection.open(service.port);
    connection.write(
      `PUT ${API}/${region}/held HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{`,
    );
    assert.deepEqual(statusesIn(await connection.untilClosed()), [408]);
    assert.deepEqual(await service.stored(region), { held: '{"n":1}' });
  });

  it('closes a connection that stays idle between requests', async () => {
    await using service = await Service.start({ server: { keepAliveTimeoutMs: 20 } });
    using connection = await RawConnection.open(service.port);
    connection.write(`GET ${API}/ping HTTP/1.1\r\nHost: x\r\n\r\n`);
    assert.deepEqual(statusesIn(await connection.untilClosed()), [200]);
  });

  it('closes a connection on which nothing arrives', async () => {
    await using service = await Service.start({ server: { idleSocketMs: 20 } });
    using connection = await RawConnection.open(service.port);
    assert.equal(await connection.untilClosed(), '');
  });

  it('accepts n connections, and drops n + 1', async () => {
    await using service = await Service.start({ server: { maxConnections: 2 } });
    using first = await RawConnection.open(service.port);
    using second = await RawConnection.open(service.port);
    for (const connection of [first, second]) {
      connection.write(`GET ${API}/ping HTTP/1.1\r\nHost: x\r\n\r\n`);
      await connection.until((received) => received.includes('200 OK'));
    }
    using third = await RawConnection.open(service.port);
    assert.equal(await third.untilClosed(), '');
  });

  it('lets requests in flight finish while it drains', async () => {
    await using service = await Service.start();
    const region = await service.region();
    using held = await holdRequest(service, region);
    let drained = false;
    const draining = service.server.drain().then(() => {
      drained = true;
    });
    assert.equal((await service.get(`/${region}`)).status, 503);
    assert.equal(drained, false);
    held.write('{}');
    await held.until((received) => received.includes('200 OK'));
    await draining;
    assert.deepEqual(await service.stored(region), { held: '{}' });
  });
});
