import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../../value/testing/share-of-runs.ts';
import { joinTexts } from '../joined-texts.ts';
import { areAscending, areTextsAscending } from './key-order.ts';

// Few code units, so that keys often share prefixes or are equal.
const unit = fc.constantFrom(
  'a',
  'b',
  '\u007f',
  'é',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '😀',
  '\u{10ffff}',
);
const key = fc.string({ unit, minLength: 1, maxLength: 4 });

it('checks the order of keys as texts and as bytes alike', () => {
  fc.assert(
    fc.property(
      fc.array(key, { maxLength: 4 }),
      fc.string({ unit, maxLength: 2 }),
      (keys, after) => {
        const expected = keys.every((each, i) => each > (i === 0 ? after : (keys[i - 1] ?? '')));
        assert.equal(areAscending(keys, after), expected);
        assert.equal(areTextsAscending(joinTexts(keys), after), expected);
        const sorted = [...new Set(keys)].sort((a, b) => (a < b ? -1 : 1));
        assert.ok(areAscending(sorted, ''));
        assert.ok(areTextsAscending(joinTexts(sorted), ''));
      },
    ),
    { numRuns: shareOfRuns(5_000) },
  );
});
