import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../value/testing/share-of-runs.ts';
import { KeyRun } from './key-run.ts';

const encoder = new TextEncoder();

/** Keys that differ early, late or after a long common prefix, in any script. */
const key = fc
  .tuple(
    fc.constantFrom('', 'order-', 'order-2026-', 'é', '\uff01', '\u{1f600}'),
    fc.constantFrom('', '0', '000000', '0000000', '\u0000'),
    fc.oneof(
      fc.nat(3000).map(String),
      fc.nat(3000).map((n) => String(n).padStart(8, '0')),
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    ),
  )
  .map((parts) => parts.join(''));

describe('a run of many keys', () => {
  it('finds the position of any key, also after keys were appended', () => {
    const arbitrary = fc.tuple(
      fc.constantFrom('', 'all/', 'all/\u{1f600}'),
      fc.uniqueArray(key, { minLength: 1100, maxLength: 1800 }),
      fc.array(key, { maxLength: 200 }),
      fc.nat(1050),
    );
    fc.assert(
      fc.property(arbitrary, ([prefix, keys, others, late]) => {
        const sorted = keys.map((each) => prefix + each).sort();
        const searched = [...sorted, ...others, ...others.map((each) => prefix + each), '', prefix];
        const run = new KeyRun();
        sorted.forEach((each, index) => {
          assert.ok(run.append(encoder.encode(each)));
          // Only sometimes, because samples are taken at one size and used beyond it.
          if (index % 1051 === late) run.lowerBound(encoder.encode(each));
        });
        for (const each of searched) {
          let [low, high] = [0, sorted.length];
          while (low < high) {
            const middle = (low + high) >> 1;
            if ((sorted[middle] ?? '') < each) low = middle + 1;
            else high = middle;
          }
          assert.equal(run.lowerBound(encoder.encode(each)), low, JSON.stringify(each));
        }
      }),
      { numRuns: shareOfRuns(100) },
    );
  });
});
