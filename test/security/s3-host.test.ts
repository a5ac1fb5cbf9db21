// S3: `Host` must be one of our names (DNS rebinding).

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RawConnection, statusesIn } from '../http-client.ts';
import { Service } from '../service.ts';

let service: Service;

before(async () => {
  service = await Service.start({
    http: {
      allowedHosts: ['grid.example.com', 'Grid.example.com:8443'],
      advertised: ['http://node-1.example.com:7070'],
    },
  });
});

after(() => service.stop());

async function statusOf(head: string): Promise<number | undefined> {
  using connection = await RawConnection.open(service.port);
  connection.write(`${head}\r\nConnection: close\r\n\r\n`);
  return statusesIn(await connection.untilClosed())[0];
}

const PING = 'GET /grid-api/v1/ping HTTP/1.1';

test('S3: loopback names, the listening address and configured names are accepted', async () => {
  for (const host of [
    `127.0.0.1:${service.port}`,
    `localhost:${service.port}`,
    `LOCALHOST:${service.port}`,
    `[::1]:${service.port}`,
    // A client of a forwarded port uses another port number.
    'localhost',
    'localhost:1',
    '127.0.0.1',
    '[::1]:65535',
    'grid.example.com',
    'GRID.example.com',
    'grid.example.com:8443',
    'node-1.example.com:7070',
  ]) {
    assert.equal(await statusOf(`${PING}\r\nHost: ${host}`), 200, host);
    assert.equal(await statusOf(`${PING}\r\nHost: ${host}`), 200, `${host} again`);
  }
});

test('S3: foreign names, and names that only look like ours, get 421', async () => {
  for (const host of [
    'evil.example',
    `evil.example:${service.port}`,
    `127.0.0.1.evil.example:${service.port}`,
    `localhost.:${service.port}`,
    'localhost:x',
    '127.0.0.1:',
    '127.0.0.2:1',
    `10.0.0.1:${service.port}`,
    'grid.example.com:7070',
    '*',
    `user@127.0.0.1:${service.port}`,
  ]) {
    assert.equal(await statusOf(`${PING}\r\nHost: ${host}`), 421, host);
  }
});

test('S3: two hosts, or none, get 400', async () => {
  const right = `Host: 127.0.0.1:${service.port}`;
  assert.equal(await statusOf(`${PING}\r\n${right}\r\n${right}`), 400);
  assert.equal(await statusOf(`${PING}\r\n${right}\r\nHost: evil.example`), 400);
  assert.equal(await statusOf(`${PING}\r\nHost:`), 400);
  assert.equal(await statusOf(PING), 400);
  assert.equal(await statusOf('GET /grid-api/v1/ping HTTP/1.0'), 400);
});

test('S3: an absolute target counts as a host too', async () => {
  const right = `127.0.0.1:${service.port}`;
  const absolute = (name: string): string =>
    `GET http://${name}/grid-api/v1/ping HTTP/1.1\r\nHost: ${right}`;
  assert.equal(await statusOf(absolute(right)), 200);
  assert.equal(await statusOf(absolute('evil.example')), 421);
});

test('S3: the check applies to every route and method', async () => {
  for (const line of ['GET /livez', 'OPTIONS /grid-api/v1', 'DELETE /grid-api/v1/x', 'GET /docs']) {
    assert.equal(await statusOf(`${line} HTTP/1.1\r\nHost: evil.example`), 421, line);
  }
});
