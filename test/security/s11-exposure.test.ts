// S11: other machines need a login unless a setting allows access without one, and only its owner can
// access the data directory.

import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { StartError } from '../../src/app/index.ts';
import { parseFlags } from '../../src/cli/parse-flags.ts';
import { SECRET_PATHS } from '../../src/config/setting-names.ts';
import { hashPassword } from '../../src/http/auth/password-hash.ts';
import { refuseHost } from '../../src/http/security/host-check.ts';
import { TemporaryDirectory } from '../faults/directory.ts';
import {
  AUDIENCE,
  apiKey,
  basic,
  bearer,
  CHEAP,
  createSigningKey,
  type Headers,
  ISSUER,
  rightClaims,
  rsToken,
} from './logins.ts';
import { SecuredService, type Settings } from './secured-service.ts';
import { createSelfSigned } from './self-signed.ts';

const EVERYWHERE: Settings = { 'http.host': '0.0.0.0', 'store.engine': 'memory' };

async function refusal(
  yaml: string,
  settings: Settings,
  environment: Readonly<Record<string, string>> = {},
): Promise<StartError> {
  const error: unknown = await SecuredService.start(yaml, settings, environment).then(
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

test('S11: with --insecure it needs no login, and with users it needs one', async () => {
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

test('S11: with invalid users the service does not start, rather than start without logins', async () => {
  for (const [yaml, expected] of [
    ['auth: { roles: { reader: [DATA:READ] } }', /declares no login/],
    ['auth: { users: [{ name: ada, password-hash: secret }] }', /gridkeep hash-password/],
    ['auth: { api-keys: [{ name: a, hash: sha256:00 }] }', /gridkeep make-api-key/],
    ['auth: { jwt: { issuer: a, audience: b } }', /one of jwks-url, key-file and key-env/],
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

test('S11: hashes, keys and passphrases may come from the environment, and are never shown', async () => {
  const tokens = createSigningKey('env');
  const program = apiKey('program', []);
  const certificate = createSelfSigned('encrypted');
  const encrypted = createPrivateKey(certificate.key).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'canary-passphrase',
  });
  using directory = new TemporaryDirectory();
  await writeFile(directory.join('certificate.pem'), certificate.certificate);
  await writeFile(directory.join('key.pem'), encrypted);
  const environment = {
    GRIDKEEP_SECRET_ADA: await hashPassword('password of ada', CHEAP),
    PROGRAM_HASH: program.setting.hash,
    GRIDKEEP_SECRET_TOKENS: tokens.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    GRIDKEEP_TLS_KEY_PASSPHRASE: 'canary-passphrase',
  };
  const yaml = `
auth:
  users: [{ name: ada, password-hash-env: GRIDKEEP_SECRET_ADA, permissions: ['*'] }]
  api-keys: [{ name: program, hash-env: PROGRAM_HASH, permissions: ['*'] }]
  jwt: { issuer: '${ISSUER}', audience: ${AUDIENCE}, key-env: GRIDKEEP_SECRET_TOKENS }
`;
  const settings = {
    'store.engine': 'memory',
    'tls.certificate-file': directory.join('certificate.pem'),
    'tls.key-file': directory.join('key.pem'),
  };
  await using secured = await SecuredService.start(yaml, settings, environment);
  const get = (path: string, headers: Headers) =>
    new Promise<{ readonly status: number | undefined; readonly text: string }>((done, fail) => {
      const options = { headers, ca: certificate.certificate, agent: false };
      request(secured.url + path, options, async (incoming) => {
        const text = Buffer.concat(await incoming.toArray()).toString();
        done({ status: incoming.statusCode, text });
      })
        .on('error', fail)
        .end();
    });
  const claims = rightClaims({ permissions: ['*'] });
  for (const headers of [
    basic('ada', 'password of ada'),
    bearer(program.key),
    bearer(rsToken(tokens, claims)),
  ]) {
    assert.equal((await get('/grid-api/v1/ping', headers)).status, 200);
  }
  const { text } = await get('/grid-admin/v1/config', bearer(program.key));
  assert.match(text, /"tls.key-passphrase","value":"\*+".*GRIDKEEP_TLS_KEY_PASSPHRASE/);
  await secured.service.stop('end of test');
  for (const secret of Object.values(environment)) {
    const [line = secret] = secret.split('\n').filter((it) => !it.startsWith('-----'));
    assert.ok(!text.includes(line) && !secured.logText.includes(line));
  }
});

test('S11: with an invalid secret in the environment the service does not start, and does not show it', async () => {
  const jwt = `jwt: { issuer: a, audience: b, key-env: GRIDKEEP_SECRET_X }`;
  const ada = `users: [{ name: ada, password-hash-env: GRIDKEEP_SECRET_X }]`;
  const program = `api-keys: [{ name: k, hash-env: GRIDKEEP_SECRET_X }]`;
  for (const yaml of [jwt, ada, program]) {
    const error = await refusal(
      `auth: { ${yaml} }`,
      { 'store.engine': 'memory' },
      { GRIDKEEP_SECRET_X: 'canary-4711' },
    );
    assert.equal(error.code, 'start/auth-refused', yaml);
    assert.doesNotMatch(error.message, /canary/);
  }
});

test('S11: with an encrypted key and no or a wrong passphrase the service does not start', async () => {
  using directory = new TemporaryDirectory();
  const { certificate, key } = createSelfSigned('encrypted');
  const cipher = { cipher: 'aes-256-cbc', passphrase: 'right' };
  const encrypted = createPrivateKey(key).export({ type: 'pkcs8', format: 'pem', ...cipher });
  await writeFile(directory.join('certificate.pem'), certificate);
  await writeFile(directory.join('key.pem'), encrypted);
  const settings = {
    'store.engine': 'memory',
    'tls.certificate-file': directory.join('certificate.pem'),
    'tls.key-file': directory.join('key.pem'),
  };
  for (const environment of [{}, { GRIDKEEP_TLS_KEY_PASSPHRASE: 'canary-wrong' }]) {
    const error = await refusal('', settings, environment);
    assert.equal(error.code, 'start/tls-unusable');
    assert.match(error.message, /need the right tls\.key-passphrase$/);
  }
});

test('S11: a secret given as a flag is refused, and not repeated', () => {
  assert.ok(SECRET_PATHS.length > 0);
  for (const path of SECRET_PATHS) {
    const flag = `--${path.replaceAll('.', '-')}`;
    for (const args of [[flag, 'canary'], [`${flag}=canary`]]) {
      const { problems, settings } = parseFlags(args);
      assert.deepEqual(settings, []);
      assert.equal(problems.length, 1);
      assert.match(
        problems[0] ?? '',
        /^--.* would show a secret .*GRIDKEEP_.* or the config file$/,
      );
      assert.doesNotMatch(problems[0] ?? '', /canary/);
    }
  }
});

test('S11: the CORS setting accepts only whole origins, and no star', async () => {
  for (const origin of ['*', 'app.example.com', 'https://app.example.com/', 'null', 'ftp://a.b']) {
    const error = await refusal('', { 'store.engine': 'memory', 'http.cors-origins': [origin] });
    assert.equal(error.code, 'start/origin-refused', origin);
  }
});

test('S11: further hosts are names as clients write them', async () => {
  for (const host of ['https://grid.example.com', 'grid.example.com/', '*.example.com', 'a b']) {
    const error = await refusal('', { 'store.engine': 'memory', 'http.allowed-hosts': [host] });
    assert.equal(error.code, 'start/proxy-refused', host);
    assert.match(error.message, /http\.allowed-hosts: .* is no host such as/);
  }
  for (const host of ['*', 'grid', 'my_grid.example.com:7443', '[fe80::1]:7070', '10.0.0.1']) {
    assert.equal(refuseHost(host), undefined, host);
  }
});

test('S11: only its owner can access the data directory and its files', async () => {
  await using secured = await SecuredService.start('');
  const data = join(secured.directory, 'data');
  assert.equal((await stat(data)).mode & 0o777, 0o700);
  const files = await readdir(data);
  assert.ok(files.length > 0);
});
