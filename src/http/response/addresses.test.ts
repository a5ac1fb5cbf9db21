import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { entriesAddress } from './addresses.ts';

test('keys in an address are parsed back as the same keys', () => {
  const key = fc.oneof(
    fc.stringMatching(/^[\w.~-]+$/),
    fc.constantFrom('a,b', 'a/b', 'a b', '%', 'é', 'keys', '.', '?', '#'),
  );
  fc.assert(
    fc.property(fc.array(key, { minLength: 1 }), (keys) => {
      const address = entriesAddress('http://h/api', 'r', keys);
      const list = /^http:\/\/h\/api\/r(?:\/|\?keys=)([^/?#]*)$/.exec(address)?.[1];
      assert.deepEqual(list?.split(',').map(decodeURIComponent), keys);
    }),
  );
});
