import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseVersions } from './parse-versions.ts';

test('versions are parsed as they were printed', () => {
  fc.assert(
    fc.property(fc.array(fc.maxSafeNat(), { minLength: 1 }), (versions) => {
      assert.deepEqual(parseVersions(versions.join(',')), versions);
    }),
  );
});

test('an element that is not a sequence of digits becomes NaN', () => {
  for (const text of ['', 'a', '1a2', '-1', '1.5', ' 1', '1e3', '\u0661']) {
    assert.deepEqual(parseVersions(`7,${text},8`), [7, Number.NaN, 8]);
  }
});
