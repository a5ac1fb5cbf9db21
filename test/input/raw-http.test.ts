// Bytes on a socket that no HTTP client would send: the family I3, and related cases.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { RawConnection, statusesIn } from '../http-client.ts';
import { API, manyEntries, Service } from '../service.ts';
import { itHolds } from './family.ts';
import { FIXED, rawHttp } from './raw-http.ts';

const X = 'x'.repeat(90_000);

describe('Raw HTTP', () => {
  let service: Service;
  before(async () => {
    service = await Service.start();
    await service.grid.createRegion({ name: 'raw' });
  });
  after(() => service.stop());

  itHolds(rawHttp);

  it('has at least 60 fixed cases with different names', () => {
    assert.ok(FIXED.length >= 60);
    assert.equal(new Set(FIXED.map((fixed) => fixed.name)).size, FIXED.length);
  });

  it('gives the same answers when the bytes arrive one by one', async () => {
    let compared = 0;
    for (const { name, bytes, answers } of FIXED) {
      if (bytes.length > 400) continue;
      using connection = await RawConnection.open(service.port);
      connection.socket.setNoDelay(true);
      for (const byte of bytes) {
        if (connection.closed) break;
        connection.write(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
      const received = await connection.untilClosed();
      // Bytes after a refusal may reset the connection.
      if (received === '') continue;
      assert.deepEqual(statusesIn(received), answers, name);
      compared += 1;
    }
    assert.ok(compared > FIXED.length * 0.8, `${compared} of ${FIXED.length} were compared`);
  });

  it('sends no body in answer to HEAD, even if it cannot be parsed', async () => {
    const fixed = FIXED.filter((it) => it.bytes.startsWith('GET ') && it.answers.length === 1);
    const heads = fixed.map(({ answers, bytes }) => ({
      bytes: bytes.replace('GET ', 'HEAD '),
      status: answers[0] ?? 0,
    }));
    const ping = `GET ${API}/ping HTTP/1.1\r\nHost: x\r\n`;
    const bad = `HEAD ${API}/ping HTTP/3.9\r\nHost: x\r\n\r\n`;
    const cases = [
      ...heads,
      { bytes: `\r\n\r\n${bad}`, status: 400 },
      { bytes: `${ping}\r\n${bad}`, status: 400 },
      // Node takes over with the first of these.
      { bytes: `${ping}TE: trailers\r\n\r\n${bad}`, status: 400 },
    ];
    // They arrive in several packets.
    const long = [
      { bytes: `HEAD ${API}/ping HTTP/1.1\r\nHost: x\r\nX: ${X}\r\n\r\n`, status: 431 },
      { bytes: `HEAD ${API}/ping?${X} HTTP/1.1\r\n\r\n`, status: 414 },
    ];
    await using byNode = await Service.start({ http: { reading: 'node' } });
    for (const reader of [service, byNode]) {
      for (const { bytes, status } of reader === service ? [...cases, ...long] : cases) {
        using connection = await RawConnection.open(reader.port);
        connection.write(bytes);
        const received = await connection.untilClosed();
        const shown = `${bytes.slice(0, 200)}\n${received}`;
        assert.equal(statusesIn(received).at(-1), status, shown);
        assert.ok(received.endsWith('\r\n\r\n'), shown);
      }
    }
    assert.ok(heads.length > 20);
  });

  it('applies the header time limit to an HTTP/0.9 request', async () => {
    const server = { headersTimeoutMs: 30, requestTimeoutMs: 30, timeoutCheckMs: 10 };
    await using own = await Service.start({ server });
    using connection = await RawConnection.open(own.port);
    connection.write(`GET ${API}/ping\r\n`);
    assert.deepEqual(statusesIn(await connection.untilClosed()), [408]);
  });

  it('answers a CONNECT after an answer that the client reads late', async () => {
    await service.put('raw', manyEntries(2000, 4000));
    using connection = await RawConnection.open(service.port);
    connection.socket.pause();
    connection.write(`GET ${API}/raw?limit=ALL HTTP/1.1\r\nHost: x\r\n\r\n`);
    connection.write('CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n');
    while (service.server.requestsInFlight === 0) await nextRound();
    connection.socket.resume();
    const received = await connection.untilClosed();
    assert.deepEqual(statusesIn(received), [200, 405]);
    assert.match(received, /\r\nAllow: GET, .*PATCH, .*\r\nConnection: close\r\n/);
  });
});

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
