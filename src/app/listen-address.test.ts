import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareHost, isLoopback, printUrl } from './listen-address.ts';

test('only addresses that other machines cannot reach are loopback', () => {
  for (const host of ['127.0.0.1', '127.8.9.10', 'localhost', 'LOCALHOST', '::1', '[::1]']) {
    assert.equal(isLoopback(host), true, host);
  }
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.evil.example', 'localhost.example', '']) {
    assert.equal(isLoopback(host), false, host);
  }
});

test('an IPv6 address gets brackets in a URL, and may have them in the setting', () => {
  assert.deepEqual(['[::1]', '::1', 'a'].map(bareHost), ['::1', '::1', 'a']);
  assert.equal(printUrl('http', '127.0.0.1', 80), 'http://127.0.0.1:80');
  assert.equal(printUrl('https', '::1', 7070), 'https://[::1]:7070');
});
