import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopback, printUrl } from './loopback.ts';
import { createNewKey } from './new-key.ts';
import { readVersion } from './version.ts';

test('only addresses of this machine alone are loopback', () => {
  for (const host of ['127.0.0.1', '127.8.9.10', 'localhost', 'LOCALHOST', '::1', '[::1]']) {
    assert.equal(isLoopback(host), true, host);
  }
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.evil.example', 'localhost.example', '']) {
    assert.equal(isLoopback(host), false, host);
  }
});

test('an IPv6 address gets brackets in a URL', () => {
  assert.equal(printUrl('http', '127.0.0.1', 80), 'http://127.0.0.1:80');
  assert.equal(printUrl('https', '::1', 7070), 'https://[::1]:7070');
});

test('new keys are UUIDs of version 7 that begin with the time and never repeat', () => {
  const newKey = createNewKey(() => 0x0123_4567_89ab);
  const keys = Array.from({ length: 100 }, newKey);
  for (const key of keys) {
    assert.match(key, /^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  assert.equal(new Set(keys).size, keys.length);
});

test('the version is that of the package', async () => {
  assert.match(await readVersion(), /^\d+\.\d+\.\d+/);
});
