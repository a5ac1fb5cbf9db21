import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSequence, parseVersion } from './commit-number.ts';

test('the number of a commit has up to 15 digits', () => {
  assert.equal(parseSequence('0'), 0);
  assert.equal(parseSequence('007'), 7);
  assert.equal(parseSequence('9'.repeat(15)), 999_999_999_999_999);
  for (const text of ['', '-1', '+1', '1.0', '1e3', ' 1', '1\n', '１', '1'.repeat(16)]) {
    assert.equal(parseSequence(text), undefined, JSON.stringify(text));
  }
});

test('a version is above 0 and has no leading zero', () => {
  assert.equal(parseVersion('1'), 1);
  assert.equal(parseVersion('10'), 10);
  for (const text of ['', '0', '01', '1'.repeat(16)]) assert.equal(parseVersion(text), undefined);
});
