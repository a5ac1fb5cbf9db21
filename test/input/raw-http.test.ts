// Bytes on a socket that no HTTP client would send: the family I3, and related cases.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { RawConnection, statusesIn } from '../http-client.ts';
import { API, manyEntries, Service } from '../service.ts';
import { itHolds } from './family.ts';
import { FIXED, rawHttp } from './raw-http.ts';

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
