// Unit tests of logins: what is cached and for how long, the sources of token keys, and the errors of
// settings.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { AuthSettings } from '../../src/config/auth-settings.ts';
import { parseAuth } from '../../src/config/parse-auth.ts';
import type { Authenticator } from '../../src/http/auth/authenticator.ts';
import { buildAuthenticator } from '../../src/http/auth/build-authenticator.ts';
import { RequestError } from '../../src/http/errors.ts';
import {
  apiKey,
  authenticatorOf,
  basic,
  bearer,
  createSigningKey,
  type Headers,
  incomingWith,
  JWT,
  jwksOf,
  NO_AUTH,
  rightClaims,
  rsToken,
  user,
} from './logins.ts';

async function outcome(authenticator: Authenticator, headers: Headers): Promise<string> {
  try {
    return (await authenticator.authenticate(incomingWith(headers))).name;
  } catch (error) {
    assert.ok(error instanceof RequestError, String(error));
    return error.code;
  }
}

const key = createSigningKey('k1');

test('a verified password is cached for a minute', async () => {
  let time = 0;
  const settings = { users: [await user('ada', 'right password', [])] };
  const authenticator = await authenticatorOf(settings, {}, { now: () => time });
  const headers = basic('ada', 'right password');
  const first = authenticator.authenticate(incomingWith(headers));
  assert.ok(first instanceof Promise);
  assert.equal(
    authenticator.authenticate(incomingWith(headers)),
    first,
    'one verification for both',
  );
  await first;
  assert.ok(!(authenticator.authenticate(incomingWith(headers)) instanceof Promise));
  time = 60_001;
  const again = authenticator.authenticate(incomingWith(headers));
  assert.ok(again instanceof Promise);
  await again;
});

test('an API key expires at its date, even if it was just used', async () => {
  const expires = '2030-01-01T00:00:00Z';
  let wall = Date.parse(expires) - 1_000;
  let time = 0;
  const { key: text, setting } = apiKey('program', [], expires);
  const clock = { now: () => time, wallClock: () => wall };
  const authenticator = await authenticatorOf({ apiKeys: [setting] }, {}, clock);
  assert.equal(await outcome(authenticator, bearer(text)), 'program');
  wall += 1_000;
  time += 1_000;
  assert.equal(await outcome(authenticator, bearer(text)), 'auth/login-failed');
});

test('a token ends at its expiry plus the clock tolerance', async () => {
  let wall = Date.now();
  let time = 0;
  const clock = { now: () => time, wallClock: () => wall };
  const authenticator = await authenticatorOf({ jwt: JWT }, { 'jwks.json': jwksOf(key) }, clock);
  const exp = Math.floor(wall / 1000) + 10;
  const token = bearer(rsToken(key, rightClaims({ exp })));
  assert.equal(await outcome(authenticator, token), 'tess');
  wall = exp * 1000 + 4_000;
  time += 14_000;
  assert.equal(await outcome(authenticator, token), 'tess');
  wall += 2_000;
  time += 2_000;
  assert.equal(await outcome(authenticator, token), 'auth/login-failed');
});

test('a key file may be a PEM public key', async () => {
  const pem = String(key.publicKey.export({ type: 'spki', format: 'pem' }));
  const jwt = { ...JWT, keyFile: 'key.pem' };
  const authenticator = await authenticatorOf({ jwt }, { 'key.pem': pem });
  assert.equal(await outcome(authenticator, bearer(rsToken(key, rightClaims()))), 'tess');
  const other = createSigningKey('k1');
  assert.equal(
    await outcome(authenticator, bearer(rsToken(other, rightClaims()))),
    'auth/login-failed',
  );
});

test('keys come from the JWKS address; while it fails, tokens cannot be verified', async () => {
  let status = 500;
  let asked = 0;
  const provider = createServer((_request, response) => {
    asked += 1;
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(status === 200 ? jwksOf(key) : 'no');
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = provider.address() as AddressInfo; // listening on TCP
    const jwt = { ...JWT, keyFile: undefined, jwksUrl: `http://127.0.0.1:${port}/jwks` };
    const authenticator = await authenticatorOf({ jwt });
    const token = bearer(rsToken(key, rightClaims()));
    assert.equal(await outcome(authenticator, token), 'auth/unavailable');
    status = 200;
    assert.equal(await outcome(authenticator, token), 'tess');
    assert.equal(await outcome(authenticator, token), 'tess');
    const other = bearer(rsToken(key, rightClaims({ sub: 'otto' })));
    assert.equal(await outcome(authenticator, other), 'otto');
    assert.ok(asked <= 3, `${asked} requests for keys`);
  } finally {
    provider.closeAllConnections();
    await new Promise((resolve) => provider.close(resolve));
  }
});

test('an unreachable provider does not make a token wrong', async () => {
  const jwt = { ...JWT, keyFile: undefined, jwksUrl: 'http://127.0.0.1:9/jwks' };
  const authenticator = await authenticatorOf({ jwt });
  const token = bearer(rsToken(key, rightClaims()));
  assert.equal(await outcome(authenticator, token), 'auth/unavailable');
});

test('roles and permissions of a token come from the configured claims, nested ones too', async () => {
  const jwt = { ...JWT, rolesClaim: 'realm_access.roles', permissionsClaim: 'scope' };
  const roles = [{ name: 'reader', permissions: ['DATA:READ'] }];
  const authenticator = await authenticatorOf({ jwt, roles }, { 'jwks.json': jwksOf(key) });
  const permissionsOf = async (claims: object) => {
    const headers = bearer(rsToken(key, rightClaims({ ...claims })));
    return (await authenticator.authenticate(incomingWith(headers))).permissions;
  };
  const both = await permissionsOf({
    realm_access: { roles: ['reader', 'unknown', 7] },
    scope: 'openid QUERY:RUN:q *x',
  });
  assert.ok(both.allows(['DATA', 'READ', 'orders']));
  assert.ok(both.allows(['QUERY', 'RUN', 'q']));
  assert.ok(!both.allows(['DATA', 'WRITE', 'orders']));
  for (const claims of [{}, { realm_access: 'reader' }, { realm_access: null }, { scope: 5 }]) {
    assert.ok(!(await permissionsOf(claims)).allows(['DATA', 'READ', 'orders']));
  }
});

test('all problems of the settings are reported at once', async () => {
  const built = await buildAuthenticator(
    {
      ...NO_AUTH,
      users: [
        { name: 'ada', passwordHash: 'x', roles: ['raeder'], permissions: ['DATA:EAT'] },
        { name: 'ada', passwordHash: 'x', roles: [], permissions: [] },
        { name: 'a:b', passwordHash: 'x', roles: [], permissions: [] },
      ],
      roles: [{ name: 'reader', permissions: ['read'] }],
      apiKeys: [{ name: 'k', hash: 'x', expires: 'soon', roles: [], permissions: [] }],
    },
    { readFile: async () => '', now: () => 0, wallClock: () => 0 },
  );
  assert.deepEqual(built.kind === 'refused' && built.problems, [
    'auth.roles.reader: permission "read" must begin with DATA, QUERY, CLUSTER',
    'auth.users: ada occurs twice',
    'auth.users.ada: there is no role raeder; did you mean reader?',
    'auth.users.ada: permission "DATA:EAT": after DATA comes READ, WRITE, *',
    'auth.users.ada.password-hash must come from "gridkeep hash-password"',
    'auth.users.ada.password-hash must come from "gridkeep hash-password"',
    'auth.users.a:b: a name must not contain a colon',
    'auth.users.a:b.password-hash must come from "gridkeep hash-password"',
    'auth.api-keys.k.expires must be a date such as 2030-01-31, or a time such as 2030-01-31T12:00:00Z',
    'auth.api-keys.k.hash must come from "gridkeep make-api-key"',
  ]);
});

test('an API key expires at a day that exists, and has a hash of its own', async () => {
  const problemsOf = async (...apiKeys: AuthSettings['apiKeys']): Promise<readonly string[]> => {
    const tools = { readFile: async () => '', now: () => 0, wallClock: () => 0 };
    const built = await buildAuthenticator({ ...NO_AUTH, apiKeys }, tools);
    return built.kind === 'refused' ? built.problems : [];
  };
  for (const expires of ['2030-01-31', '2030-01-31T12:00:00Z', '2030-01-31T12:00:00+02:00']) {
    assert.deepEqual(await problemsOf(apiKey('k', [], expires).setting), [], expires);
  }
  for (const expires of ['2030-02-30', 'in 2050', '1', '2030', '2030-01-31T12:00:00', 'March 7']) {
    assert.equal((await problemsOf(apiKey('k', [], expires).setting)).length, 1, expires);
  }
  const { setting } = apiKey('first', []);
  assert.deepEqual(await problemsOf(setting, { ...setting, name: 'second' }), [
    'auth.api-keys.second.hash is that of another key',
  ]);
});

test('a key file that is no key is not quoted', async () => {
  const jwt = parseAuth(
    { jwt: { issuer: 'a', audience: 'b', 'key-file': 'f' } },
    {},
    assert.fail,
  )?.jwt;
  const tools = { readFile: async () => 'geheim', now: () => 0, wallClock: () => 0 };
  const built = await buildAuthenticator({ ...NO_AUTH, jwt }, tools);
  assert.deepEqual(built.kind === 'refused' && built.problems, [
    'auth.jwt.key-file cannot be used',
  ]);
});
