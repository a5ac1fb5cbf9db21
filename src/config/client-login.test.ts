import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readClientLogin } from './client-login.ts';
import { loadConfig } from './load-config.ts';

test('a login is a user with a password, an API key, or none', () => {
  assert.deepEqual(readClientLogin({ PATH: '/bin' }), { kind: 'none' });
  assert.deepEqual(readClientLogin({ GRIDKEEP_CLIENT_API_KEY: 'k' }), {
    kind: 'api-key',
    key: 'k',
  });
  assert.deepEqual(readClientLogin({ GRIDKEEP_CLIENT_USER: 'u', GRIDKEEP_CLIENT_PASSWORD: '' }), {
    kind: 'password',
    user: 'u',
    password: '',
  });
});

test('incomplete logins, two logins and unknown names are refused without showing a secret', () => {
  for (const environment of [
    { GRIDKEEP_CLIENT_USER: 'secret' },
    { GRIDKEEP_CLIENT_PASSWORD: 'secret' },
    { GRIDKEEP_CLIENT_API_KEY: 'secret', GRIDKEEP_CLIENT_USER: 'secret' },
    { GRIDKEEP_CLIENT_PASSWROD: 'secret' },
  ]) {
    const login = readClientLogin(environment);
    assert.ok(login.kind === 'refused');
    assert.match(login.problem, /GRIDKEEP_CLIENT_/);
    assert.ok(!login.problem.includes('secret'));
  }
});

test('the service ignores a login that is meant for commands', async () => {
  const outcome = await loadConfig({
    workingDirectory: '/nonexistent',
    environment: { GRIDKEEP_CLIENT_API_KEY: 'k' },
  });
  assert.equal(outcome.kind, 'loaded');
});
