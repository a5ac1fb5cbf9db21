import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNewKey } from './new-key.ts';

test('new keys are UUIDs of version 7 that begin with the time and never repeat', () => {
  const newKey = createNewKey(() => 0x0123_4567_89ab);
  const keys = Array.from({ length: 100 }, newKey);
  for (const key of keys) {
    assert.match(key, /^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  assert.equal(new Set(keys).size, keys.length);
});
