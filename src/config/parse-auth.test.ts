import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAuth } from './parse-auth.ts';

function problemsOf(
  plain: unknown,
  environment: Readonly<Record<string, string>> = {},
): readonly string[] {
  const problems: string[] = [];
  parseAuth(plain, environment, (problem) => problems.push(problem));
  return problems;
}

test('users, roles, API keys and tokens are read, with defaults', () => {
  const problems: string[] = [];
  const auth = parseAuth(
    {
      users: [{ name: 'ada', 'password-hash': 'h', roles: 'admin' }],
      roles: { admin: ['*'], reader: 'DATA:READ', none: null },
      'api-keys': [{ name: 'k', hash: 'h', expires: '2030-01-31', permissions: ['DATA:READ'] }],
      jwt: { issuer: 'i', audience: 'a', 'jwks-url': 'u' },
    },
    {},
    (problem) => problems.push(problem),
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(auth, {
    users: [{ name: 'ada', passwordHash: 'h', roles: ['admin'], permissions: [] }],
    roles: [
      { name: 'admin', permissions: ['*'] },
      { name: 'reader', permissions: ['DATA:READ'] },
      { name: 'none', permissions: [] },
    ],
    apiKeys: [
      { name: 'k', hash: 'h', expires: '2030-01-31', roles: [], permissions: ['DATA:READ'] },
    ],
    jwt: {
      issuer: 'i',
      audience: 'a',
      jwksUrl: 'u',
      keyFile: undefined,
      keyText: undefined,
      algorithms: ['RS256'],
      clockToleranceSeconds: 5,
      rolesClaim: 'roles',
      permissionsClaim: 'permissions',
    },
  });
});

test('values of another shape are reported', () => {
  assert.deepEqual(problemsOf([]), ['auth must be a map with users, roles, api-keys, jwt']);
  assert.deepEqual(
    problemsOf({
      user: [],
      users: [{ name: 'ada' }, { 'password-hash': 'h', roles: [5] }],
      roles: [],
      'api-keys': {},
      jwt: { issuer: 'i', 'clock-tolerance-seconds': -1 },
    }),
    [
      'unknown setting auth.user; did you mean users?',
      'auth.users[0].password-hash is missing',
      'auth.users[1].name is missing',
      'auth.users[1].roles must be a list of texts',
      'auth.roles must be a map from role to its permissions',
      'auth.api-keys must be a list',
      'auth.jwt.audience is missing',
      'auth.jwt.clock-tolerance-seconds must be a whole number from 0 to 300',
    ],
  );
  assert.deepEqual(problemsOf({ jwt: 5 }), ['auth.jwt must be a map']);
});

test('hashes and keys may be in environment variables that the file names', () => {
  const auth = parseAuth(
    {
      users: [{ name: 'ada', 'password-hash-env': 'GRIDKEEP_SECRET_ADA' }],
      'api-keys': [{ name: 'k', 'hash-env': 'KEY_HASH' }],
      jwt: { issuer: 'i', audience: 'a', 'key-env': 'TOKEN_KEY' },
    },
    { GRIDKEEP_SECRET_ADA: 'of ada', KEY_HASH: 'of k', TOKEN_KEY: 'of tokens' },
    (problem) => assert.fail(problem),
  );
  assert.deepEqual(
    [auth?.users[0]?.passwordHash, auth?.apiKeys[0]?.hash, auth?.jwt?.keyText],
    ['of ada', 'of k', 'of tokens'],
  );
});

test('a variable that is unset, empty or beside a text is reported, and its value never shown', () => {
  const problems = problemsOf(
    {
      users: [
        { name: 'a', 'password-hash-env': 'hunter2' },
        { name: 'b', 'password-hash-env': 'EMPTY' },
        { name: 'c', 'password-hash-env': 'FULL', 'password-hash': 'canary-1' },
        { name: 'd', 'password-hash-env': 5 },
        { name: 'e' },
      ],
      jwt: { issuer: 'i', audience: 'a', key: 'canary-2' },
    },
    { EMPTY: '', FULL: 'canary-3' },
  );
  assert.deepEqual(problems, [
    'auth.users[0].password-hash-env names a variable that is not set',
    'auth.users[1].password-hash-env names a variable that is not set',
    'auth.users[2].password-hash-env and password-hash exclude each other',
    'auth.users[3].password-hash-env must be a text',
    'auth.users[3].password-hash is missing',
    'auth.users[4].password-hash is missing',
    'unknown setting auth.jwt.key',
  ]);
  assert.doesNotMatch(problems.join(), /hunter2|canary/);
});

test('an API key whose date is left empty is refused, because it would be valid forever', () => {
  const key = { name: 'k', hash: 'h', expires: null };
  assert.deepEqual(problemsOf({ 'api-keys': [key] }), ['auth.api-keys[0].expires must be a text']);
});
