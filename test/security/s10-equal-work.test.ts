// S10, counted instead of timed: the work of a login does not depend on whether the user exists, and
// secrets are compared only in constant time.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import { ApiKeys } from '../../src/http/auth/api-key.ts';
import { hashPassword } from '../../src/http/auth/password-hash.ts';
import type { Principal } from '../../src/http/auth/principal.ts';
import { authenticatorOf, basic, bearer, type Headers, incomingWith } from './logins.ts';

const COST = { N: 16, r: 2, p: 3 };

interface Work {
  /** Cost and lengths of each password hash computed. */
  readonly hashes: unknown[];
  /** Lengths of the compared values. */
  readonly compared: number[];
}

/** Counts calls of Node's functions, for all modules that import them. */
function countWork(t: TestContext): Work {
  const work: Work = { hashes: [], compared: [] };
  const { scrypt, timingSafeEqual } = crypto;
  t.mock.method(crypto, 'scrypt', (...parameters: Parameters<typeof scrypt>) => {
    const [, salt, length, { N, p, r }] = parameters;
    work.hashes.push({ N, r, p, length, salt: Buffer.from(salt as Buffer).length });
    return scrypt(...parameters);
  });
  t.mock.method(crypto, 'timingSafeEqual', (a: Buffer, b: Buffer) => {
    work.compared.push(a.byteLength);
    return timingSafeEqual(a, b);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  return work;
}

function take({ compared, hashes }: Work): unknown {
  return { hashes: hashes.splice(0), compared: compared.splice(0) };
}

test('S10: a wrong password, an unknown user and a right password are the same work', async (t) => {
  const passwordHash = await hashPassword('right', COST);
  const grants = { roles: [], permissions: ['*'] };
  const authenticator = await authenticatorOf({
    users: [{ name: 'ada', passwordHash, ...grants }],
  });
  const work = countWork(t);
  const attempt = async (headers: Headers): Promise<unknown> => {
    const login = async () => authenticator.authenticate(incomingWith(headers));
    const name = await login().then(
      (principal) => principal.name,
      (error: { readonly code: string }) => error.code,
    );
    return { name, work: take(work) };
  };
  const same = { hashes: [{ ...COST, length: 32, salt: 16 }], compared: [32] };
  const failed = { name: 'auth/login-failed', work: same };
  assert.deepEqual(await attempt(basic('ada', 'wrong')), failed);
  assert.deepEqual(await attempt(basic('nobody', 'wrong')), failed);
  assert.deepEqual(await attempt(basic('ADA', '')), failed);
  assert.deepEqual(await attempt(basic('ada', 'right')), { name: 'ada', work: same });
  // Control: a cached login does no work, so the counts differ.
  const none = { hashes: [], compared: [] };
  assert.deepEqual(await attempt(basic('ada', 'right')), { name: 'ada', work: none });
  assert.deepEqual(await attempt(bearer('gridkeep_x')), { name: 'auth/login-failed', work: none });
});

test('S10: an API key does not match another one with the same beginning of the digest', (t) => {
  const work = countWork(t);
  const token = 'gridkeep_guess';
  const digest = crypto.hash('sha256', token, 'buffer');
  const alike = Buffer.from(digest);
  alike.writeUInt8(alike.readUInt8(31) ^ 1, 31);
  // Not read here.
  const principal = { name: 'k' } as Principal;
  const keyOf = (it: Buffer) => new ApiKeys([{ digest: it, expiresMs: undefined, principal }]);
  assert.equal(keyOf(alike).find(token), undefined);
  assert.equal(keyOf(digest).find(token)?.principal, principal);
  assert.deepEqual(work.compared, [32, 32]);
});
