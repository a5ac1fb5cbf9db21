// Clients that half-close the connection after the request, and clients that send Expect before a
// body, on connections read directly and by Node.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { RawConnection } from '../http-client.ts';
import { API, ENGINES, Service } from '../service.ts';
import { until } from '../until.ts';

const PAIRS = 'SELECT COUNT(*) FROM /r a, /r b, /r c, /r d WHERE a.n + b.n + c.n + d.n < 0';
const ENDLESS = JSON.stringify({ oql: PAIRS });
const JSON_BODY = 'Content-Type: application/json';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

function print(line: string, ...fields: readonly string[]): string {
  return [line, 'Host: x', ...fields, '', ''].join('\r\n');
}

function put(key: string, ...fields: readonly string[]): string {
  return `${print(`PUT ${API}/r/${key} HTTP/1.1`, JSON_BODY, 'Content-Length: 7', ...fields)}{"n":1}`;
}

/** A query that runs until its time limit. It rests at its yield points, to leave the core to others. */
function endless(timeoutMs: number): string {
  const line = `POST ${API}/queries/adhoc?timeout=${timeoutMs} HTTP/1.1`;
  return print(line, JSON_BODY, `Content-Length: ${ENDLESS.length}`) + ENDLESS;
}

function statusesIn(received: string): readonly string[] {
  return received.match(/HTTP\/1\.1 \d+/g)?.map((line) => line.slice(9)) ?? [];
}

for (const reading of ['direct', 'node'] as const) {
  const open = async (): Promise<Service> => {
    const service = await Service.start({ http: { reading }, pause: () => delay(20) });
    await service.grid.createRegion({ name: 'r', type: 'REPLICATE' });
    const entries = Array.from({ length: 300 }, (_, n) => ({
      key: `k${n}`,
      value: `{"n":${n}}`,
    }));
    await (await service.grid.region('r')).put(entries, []);
    return service;
  };

  /** Everything received after sending these bytes and nothing more. */
  const sendAndEnd = async (service: Service, bytes: string): Promise<string> => {
    using connection = await RawConnection.open(service.port);
    connection.socket.end(Buffer.from(bytes, 'latin1'));
    return await connection.untilClosed();
  };

  describe(`a client that closes its half, read by ${reading}`, () => {
    it('gets the answer to its write, and then the end', async () => {
      await using service = await open();
      assert.deepEqual(statusesIn(await sendAndEnd(service, put('new'))), ['200']);
      assert.equal((await service.get('/r/new')).text, '{"r":[{"n":1}]}');
    });

    it('gets the answers to all of its requests in order', async () => {
      await using service = await open();
      const read = print(`GET ${API}/r/k1 HTTP/1.1`);
      const received = await sendAndEnd(service, put('new') + read + put('new2') + read);
      assert.deepEqual(statusesIn(received), ['200', '200', '200', '200']);
      assert.equal(received.split('{"r":[{"n":1}]}').length, 3);
    });

    it('gets the answer to a long query after a 100', async () => {
      await using service = await open();
      const received = await sendAndEnd(service, endless(700));
      assert.deepEqual(statusesIn(received), ['100', '500']);
      assert.ok(received.startsWith(CONTINUE), received);
      assert.match(received, /"code":"oql\/timeout"/);
    });

    it('gets no 100 when it speaks HTTP/1.0', async () => {
      await using service = await open();
      const bytes = endless(400).replace('HTTP/1.1', 'HTTP/1.0');
      assert.deepEqual(statusesIn(await sendAndEnd(service, bytes)), ['500']);
    });

    it('gets an error for an incomplete request', async () => {
      await using service = await open();
      const half = put('new').slice(0, -3);
      assert.deepEqual(statusesIn(await sendAndEnd(service, half)), ['400']);
    });

    it('learns what a bulk load wrote before its body broke off', async () => {
      await using service = await open();
      for (const results of ['summary', 'stream']) {
        using connection = await RawConnection.open(service.port);
        const line = `{"key":"${results}","value":{}}\n`;
        const type = 'Content-Type: application/x-ndjson';
        const target = `POST ${API}/r/_bulk?results=${results} HTTP/1.1`;
        connection.write(`${print(target, type, 'Content-Length: 1000')}${line}{"key":`);
        await until(async () => (await service.stored('r'))[results] !== undefined);
        connection.socket.end();
        const received = await connection.untilClosed();
        assert.deepEqual(statusesIn(received), [results === 'stream' ? '207' : '400']);
        assert.match(received, /"code":"request\/malformed"/);
        assert.match(received, /"message":"The body ended before it was complete"/);
        assert.match(received, /"succeeded":1,"failed":0,"sequence":\d+/);
      }
    });

    it('ends its query when it disconnects', async () => {
      await using service = await open();
      const connection = await RawConnection.open(service.port);
      connection.write(endless(600_000));
      await until(() => service.grid.listRunningQueries().length > 0);
      connection.socket.destroy();
      await until(() => service.grid.listRunningQueries().length === 0);
      assert.equal((await service.get('/ping')).status, 200);
    });
  });

  describe(`a client that expects something, read by ${reading}`, () => {
    it('gets one 100 Continue', async () => {
      await using service = await open();
      using connection = await RawConnection.open(service.port);
      const [head = '', body = ''] = put('new', 'Expect: 100-continue').split('\r\n\r\n');
      connection.write(`${head}\r\n\r\n`);
      assert.equal(await connection.until((received) => received.includes('\r\n\r\n')), CONTINUE);
      connection.write(body);
      const received = await connection.until((all) => all.includes(' 200 OK'));
      assert.deepEqual(statusesIn(received), ['100', '200']);
    });

    it('is refused before it sends a body that would be rejected', async () => {
      await using service = await open();
      using connection = await RawConnection.open(service.port);
      connection.write(print(`PUT /nowhere HTTP/1.1`, 'Content-Length: 7', 'Expect: 100-continue'));
      assert.deepEqual(statusesIn(await connection.untilClosed()), ['404']);
    });

    it('gets no 100 for a request that waits for an earlier answer', async () => {
      await using service = await open();
      const first = endless(30).replace('HTTP/1.1', 'HTTP/1.1\r\nX-Not-Plain: \xe9');
      for (const path of ['/docs', `${API}/r?limit=2`, `${API}/r/k1`, `${API}/openapi.json`]) {
        using connection = await RawConnection.open(service.port);
        const last = print(`GET ${path} HTTP/1.1`, 'Expect: 100-continue', 'Connection: close');
        connection.write(first + last);
        const received = await connection.untilClosed();
        assert.deepEqual(statusesIn(received), ['500', '200'], path);
        assert.doesNotMatch(received, /100 Continue/, path);
      }
    });

    it('gets a reason when it expects anything else', async () => {
      await using service = await open();
      using connection = await RawConnection.open(service.port);
      connection.write(put('new', 'Expect: wonders'));
      const received = await connection.untilClosed();
      assert.deepEqual(statusesIn(received), ['417']);
      assert.match(received, /"code":"request\/expectation-failed"/);
    });
  });
}

describe('a client that closes its half', () => {
  for (const engine of ENGINES) {
    it(`leaves nothing open, on ${engine}`, async () => {
      await using service = await Service.start({ engine });
      const region = await service.region({ a: '{"n":1}' });
      for (const path of [`/${region}/a`, `/${region}?limit=ALL`, `/${region}/keys`]) {
        using connection = await RawConnection.open(service.port);
        connection.socket.end(print(`GET ${API}${path} HTTP/1.1`));
        assert.deepEqual(statusesIn(await connection.untilClosed()), ['200'], path);
      }
      assert.equal(service.engine.stats().openSnapshots, 0);
      assert.equal(service.server.requestsInFlight, 0);
    });
  }
});
