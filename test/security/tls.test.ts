// TLS: HTTPS with the configured files, only modern versions, and a new certificate after a reload.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect, type SecureVersion, type TLSSocket } from 'node:tls';
import { runUntilStopped, StartError } from '../../src/app/index.ts';
import type { TlsMaterial } from '../../src/http/connection/node-server.ts';
import { SecuredService } from './secured-service.ts';
import { createSelfSigned } from './self-signed.ts';

let directory: string;
let first: TlsMaterial;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gridkeep-tls-'));
  first = createSelfSigned('first');
});

after(() => rm(directory, { recursive: true }));

const file = (name: string): string => join(directory, name);

async function write(material: TlsMaterial): Promise<void> {
  await writeFile(file('certificate.pem'), material.certificate);
  await writeFile(file('key.pem'), material.key);
}

async function start(settings: Record<string, unknown> = {}): Promise<SecuredService> {
  await write(first);
  return SecuredService.start('', {
    'store.engine': 'memory',
    'tls.certificate-file': file('certificate.pem'),
    'tls.key-file': file('key.pem'),
    ...settings,
  });
}

interface TlsAnswer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

function send(url: string, method = 'GET', body = ''): Promise<TlsAnswer> {
  return new Promise((resolve, reject) => {
    const headers = body === '' ? {} : { 'Content-Type': 'application/json' };
    const outgoing = request(url, { method, headers, ca: first.certificate, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      let text = '';
      incoming.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode, headers: incoming.headers, text }),
      );
    });
    outgoing.end(body);
  });
}

/** The common name of the certificate shown, or the failure of the handshake. */
function handshake(
  url: string,
  versions: { readonly minVersion?: SecureVersion; readonly maxVersion?: SecureVersion } = {},
): Promise<{ readonly name: string; readonly protocol: string | null; readonly cipher: string }> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect(
      {
        host: '127.0.0.1',
        port: Number(new URL(url).port),
        rejectUnauthorized: false,
        ...versions,
      },
      () => {
        const name = String(socket.getPeerCertificate().subject.CN);
        resolve({ name, protocol: socket.getProtocol(), cipher: socket.getCipher().name });
        socket.destroy();
      },
    );
    socket.on('error', reject);
  });
}

test('with certificate and key the service uses HTTPS, also in all addresses', async () => {
  await using secured = await start();
  assert.match(secured.url, /^https:\/\/127\.0\.0\.1:\d+$/);
  const servers = await send(`${secured.url}/grid-api/v1/servers`);
  assert.deepEqual(JSON.parse(servers.text), [secured.url]);
  assert.equal(servers.headers['location'], `${secured.url}/grid-api/v1/servers`);
  const body = '{"name":"orders"}';
  const made = await send(`${secured.url}/grid-admin/v1/regions`, 'POST', body);
  assert.equal(made.status, 201);
  assert.equal(made.headers['location'], `${secured.url}/grid-admin/v1/regions/orders`);
  assert.match(secured.logText, /"url":"https:/);
});

test('only TLS 1.2 and 1.3 are accepted, with forward secrecy', async () => {
  await using secured = await start();
  assert.equal((await handshake(secured.url)).protocol, 'TLSv1.3');
  const older = await handshake(secured.url, { maxVersion: 'TLSv1.2' });
  assert.equal(older.protocol, 'TLSv1.2');
  assert.match(older.cipher, /^ECDHE-.*(GCM|POLY1305)/);
  await assert.rejects(handshake(secured.url, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }));
});

test('plain HTTP and garbage on the TLS port end only that connection', async () => {
  await using secured = await start();
  const { port } = new URL(secured.url);
  for (const text of [
    'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n',
    '\x16\x03\x01\x00\x05hello',
  ]) {
    const received = await new Promise<string>((resolve) => {
      const socket = connectTcp(Number(port), '127.0.0.1', () => socket.write(text));
      let all = '';
      socket.on('data', (chunk) => {
        all += chunk.toString('latin1');
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(all));
    });
    assert.ok(!received.includes('"status"'), received);
  }
  assert.equal((await send(`${secured.url}/livez`)).status, 200);
});

test('after a reload new connections get the new certificate', async () => {
  await using secured = await start();
  assert.equal((await handshake(secured.url)).name, 'first');
  await write(createSelfSigned('second'));
  await secured.service.reload?.();
  assert.equal((await handshake(secured.url)).name, 'second');
  await writeFile(file('key.pem'), createSelfSigned('third').key);
  await secured.service.reload?.();
  assert.equal((await handshake(secured.url)).name, 'second');
  for (const text of ['nothing of the kind', '', '\n']) {
    await writeFile(file('certificate.pem'), text);
    await secured.service.reload?.();
    assert.equal((await handshake(secured.url)).name, 'second');
  }
  await secured.service.stop('end of test');
  const events = secured.logText.match(/"event":"certificate-\w+"/g);
  assert.deepEqual(events, [
    '"event":"certificate-replaced"',
    ...Array<string>(4).fill('"event":"certificate-refused"'),
  ]);
});

test('SIGHUP reloads, and the service continues until it is stopped', async () => {
  await using secured = await start();
  const events = new EventEmitter();
  const reloaded = new Promise<void>((resolve) => {
    const reload = async (): Promise<void> => {
      await secured.service.reload?.();
      resolve();
    };
    void runUntilStopped({ ...secured.service, reload }, events);
  });
  await write(createSelfSigned('after the signal'));
  events.emit('SIGHUP');
  await reloaded;
  assert.equal((await handshake(secured.url)).name, 'after the signal');
  events.emit('SIGTERM');
});

test('with missing, single or mismatched files the service does not start', async () => {
  await write(first);
  await writeFile(file('other.pem'), createSelfSigned('other').key);
  await writeFile(file('empty.pem'), '');
  for (const [settings, expected] of [
    [{ 'tls.key-file': file('absent.pem') }, /absent\.pem does not exist/],
    [{ 'tls.certificate-file': file('absent.pem') }, /absent\.pem does not exist/],
    [{ 'tls.key-file': file('other.pem') }, /do not belong together/],
    [{ 'tls.key-file': file('certificate.pem') }, /cannot be used/],
    [{ 'tls.key-file': file('empty.pem') }, /empty\.pem is empty/],
    [{ 'tls.certificate-file': file('empty.pem') }, /empty\.pem is empty/],
    [{ 'tls.key-file': undefined }, /need each other/],
  ] as const) {
    const all = {
      'store.engine': 'memory',
      'tls.certificate-file': file('certificate.pem'),
      'tls.key-file': file('key.pem'),
      ...settings,
    };
    const defined = Object.fromEntries(Object.entries(all).filter(([, raw]) => raw !== undefined));
    const error: unknown = await SecuredService.start('', defined).then(
      async (secured) => secured[Symbol.asyncDispose](),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof StartError, String(error));
    assert.equal(error.code, 'start/tls-unusable');
    assert.match(error.message, expected);
  }
});
