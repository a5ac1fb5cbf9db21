import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashPassword, parsePasswordHash, verifyPassword } from './password-hash.ts';

const CHEAP = { N: 4, r: 1, p: 1 };

test('a hash contains its parameters and matches only its password', async () => {
  const text = await hashPassword('correct horse', CHEAP);
  assert.match(text, /^scrypt\$N=4\$r=1\$p=1\$[\w-]{22}\$[\w-]{43}$/);
  const hash = parsePasswordHash(text);
  assert.ok(hash !== undefined);
  assert.equal(await verifyPassword('correct horse', hash), true);
  assert.equal(await verifyPassword('correct horse ', hash), false);
  assert.equal(await verifyPassword('', hash), false);
  assert.notEqual(await hashPassword('correct horse', CHEAP), text);
});

test('two ways to write an accented letter are one password', async () => {
  const hash = parsePasswordHash(await hashPassword('caf\u00e9', CHEAP));
  assert.ok(hash !== undefined);
  assert.equal(await verifyPassword('cafe\u0301', hash), true);
});

test('a hash has the default cost unless another is named', async () => {
  const hash = parsePasswordHash(await hashPassword('correct horse'));
  assert.deepEqual(hash?.cost, { N: 32_768, r: 8, p: 3 });
});

test('a password followed by NUL is another password', async () => {
  const cost = { N: 2, r: 1, p: 1 };
  for (const password of ['correct horse', 'x'.repeat(63), 'é']) {
    const stored = parsePasswordHash(await hashPassword(password, cost));
    assert.ok(stored !== undefined);
    assert.equal(await verifyPassword(password, stored), true);
    for (const nuls of [1, 2, 50]) {
      assert.equal(await verifyPassword(password + '\0'.repeat(nuls), stored), false);
    }
  }
});

test('malformed hashes are refused', () => {
  const salt = 'A'.repeat(22);
  const hash = 'A'.repeat(43);
  for (const text of [
    '',
    'secret',
    `scrypt$N=3$r=1$p=1$${salt}$${hash}`,
    `scrypt$N=1$r=1$p=1$${salt}$${hash}`,
    `scrypt$N=0$r=1$p=1$${salt}$${hash}`,
    `scrypt$N=4$r=0$p=1$${salt}$${hash}`,
    `scrypt$N=4$r=1$p=0$${salt}$${hash}`,
    `scrypt$N=4$r=1$p=17$${salt}$${hash}`,
    `scrypt$N=2097152$r=8$p=1$${salt}$${hash}`,
    `scrypt$N=4$r=1$p=1$$${hash}`,
    `scrypt$N=4$r=1$p=1$${salt}$`,
    `bcrypt$N=4$r=1$p=1$${salt}$${hash}`,
  ]) {
    assert.equal(parsePasswordHash(text), undefined, text);
  }
});

test('bytes that are not UTF-8 are no password', async () => {
  const cost = { N: 2, r: 1, p: 1 };
  const stored = parsePasswordHash(await hashPassword('correct horse \uFFFD', cost));
  assert.ok(stored);
  assert.equal(await verifyPassword('correct horse \uFFFD', stored), false);
});
