import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { routes } from '../routes.ts';
import { API, entriesAddress } from './addresses.ts';

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

test('a key with the name of a sub-resource is addressed by a parameter', () => {
  const names = routes.flatMap(({ path }) => {
    const [region, name = ''] = path.split('/').slice(3);
    return path.startsWith(API) && region === '{region}' && /^\w+$/.test(name) ? [name] : [];
  });
  assert.deepEqual([...new Set(names)].sort(), ['_bulk', '_changes', '_history', 'keys']);
  for (const name of names) assert.equal(entriesAddress(API, 'r', [name]), `${API}/r?keys=${name}`);
});
