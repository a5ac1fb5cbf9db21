import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { addDigest, digestEntry, EMPTY_DIGEST, removeDigest } from './digest.ts';
import { sealEntry } from './seal.ts';

interface Entry {
  readonly key: string;
  readonly value: string;
  readonly version: number;
}

function part({ key, value, version }: Entry): number {
  return digestEntry(version, sealEntry(key, value, version));
}

const entries = fc.array(
  fc.record({
    key: fc.string({ minLength: 1, maxLength: 8 }),
    value: fc.string({ maxLength: 20 }),
    version: fc.integer({ min: 1, max: 2 ** 52 }),
  }),
  { maxLength: 30 },
);

it('does not depend on the order, and is updated to the same sum as a new one', () => {
  fc.assert(
    fc.property(entries, entries, (remaining, removed) => {
      const all = [...remaining, ...removed].reduce(
        (sum, it) => addDigest(sum, part(it)),
        EMPTY_DIGEST,
      );
      const updated = removed.reduce((sum, it) => removeDigest(sum, part(it)), all);
      const computedAnew = remaining
        .toReversed()
        .reduce((sum, it) => addDigest(sum, part(it)), EMPTY_DIGEST);
      assert.equal(updated, computedAnew);
      assert.ok(Number.isSafeInteger(all) && all >= 0 && all < 2 ** 52);
    }),
  );
});

it('differs when version, key or value differ', () => {
  const seen = new Map<number, string>();
  for (let version = 1; version <= 2000; version += 1) {
    for (const value of ['{"n":1}', '{"n":2}']) {
      for (const key of ['a', 'b']) {
        const digest = part({ key, value, version });
        const what = `${version} ${key} ${value}`;
        assert.equal(seen.get(digest), undefined, what);
        seen.set(digest, what);
      }
    }
  }
  // This version has the same lower bits.
  assert.notEqual(
    part({ key: 'a', value: '{}', version: 7 }),
    part({ key: 'a', value: '{}', version: 2 ** 32 + 7 }),
  );
});
