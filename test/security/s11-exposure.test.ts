// S11: nobody outside this machine gets in without a login, unless that was
// asked for in so many words; the data directory is its owner's alone.

import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { StartError } from '../../src/app/index.ts';
import { hashPassword } from '../../src/http/auth/password-hash.ts';
import { basic, CHEAP } from './logins.ts';
import { SecuredService, type Settings } from './secured-service.ts';

const EVERYWHERE: Settings = { 'http.host': '0.0.0.0', 'store.engine': 'memory' };

async function refusal(yaml: string, settings: Settings): Promise<StartError> {
  const error: unknown = await SecuredService.start(yaml, settings).then(
    async (secured) => {
      await secured[Symbol.asyncDispose]();
      return undefined;
    },
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StartError, String(error));
  return error;
}

async function withUser(): Promise<string> {
  const hash = await hashPassword('password of ada', CHEAP);
  return `auth: { users: [{ name: ada, password-hash: ${hash}, permissions: ['*'] }] }`;
}

test('S11: an address that others can reach is refused without authentication', async () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com']) {
    const error = await refusal('', { ...EVERYWHERE, 'http.host': host });
    assert.equal(error.code, 'start/insecure-address', host);
  }
});

test('S11: with --insecure it is served without, with users it is served with a login', async () => {
  {
    await using open = await SecuredService.start('', { ...EVERYWHERE, 'http.insecure': true });
    const { port } = new URL(open.url);
    assert.equal((await fetch(`http://127.0.0.1:${port}/grid-api/v1/ping`)).status, 200);
  }
  await using secured = await SecuredService.start(await withUser(), EVERYWHERE);
  const ping = `http://127.0.0.1:${new URL(secured.url).port}/grid-api/v1/ping`;
  assert.equal((await fetch(ping)).status, 401);
  assert.equal((await fetch(ping, { headers: basic('ada', 'password of ada') })).status, 200);
});

test('S11: declarations of users that are wrong start nothing, rather than an open service', async () => {
  for (const [yaml, expected] of [
    ['auth: { roles: { reader: [DATA:READ] } }', /nobody who could log in/],
    ['auth: { users: [{ name: ada, password-hash: secret }] }', /gridkeep hash-password/],
    ['auth: { api-keys: [{ name: a, hash: sha256:00 }] }', /gridkeep make-api-key/],
    ['auth: { jwt: { issuer: a, audience: b } }', /either jwks-url or key-file/],
    ['auth: { jwt: { issuer: a, audience: b, jwks-url: "http://x.example/" } }', /https/],
    ['auth: { jwt: { issuer: a, audience: b, key-file: absent.pem } }', /key-file cannot be used/],
    ['auth: { jwt: { issuer: a, audience: b, key-file: x, algorithms: [HS256] } }', /algorithms/],
    ['auth: { jwt: { issuer: a, audience: b, key-file: x, algorithms: [none] } }', /algorithms/],
  ] as const) {
    const error = await refusal(yaml, { 'store.engine': 'memory' });
    assert.equal(error.code, 'start/auth-refused', yaml);
    assert.match(error.message, expected);
  }
  for (const yaml of ['auth:\n', 'auth: []\n', 'auth: { user: [] }\n', 'auth: { users: 5 }\n']) {
    await assert.rejects(SecuredService.start(yaml), /gridkeep\.yaml:1: /, yaml);
  }
});

test('S11: the CORS setting takes whole origins alone, and no star', async () => {
  for (const origin of ['*', 'app.example.com', 'https://app.example.com/', 'null', 'ftp://a.b']) {
    const error = await refusal('', { 'store.engine': 'memory', 'http.cors-origins': [origin] });
    assert.equal(error.code, 'start/origin-refused', origin);
  }
});

test('S11: the data directory and its files are open to their owner alone', async () => {
  await using secured = await SecuredService.start('');
  const data = join(secured.directory, 'data');
  assert.equal((await stat(data)).mode & 0o777, 0o700);
  const files = await readdir(data);
  assert.ok(files.length > 0);
});
