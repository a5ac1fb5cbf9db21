import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../../../../value/testing/share-of-runs.ts';
import { compileLike } from '../../../functions/like.ts';
import { compileByteLike } from './byte-like.ts';

const encoder = new TextEncoder();
const unit = fc.constantFrom('a', 'b', 'é', '\uffff', '\ue000', '\u{1f600}', '%', '_', '\\', '\n');
const text = fc.array(unit, { maxLength: 8 }).map((units) => units.join(''));

describe('strings as bytes', () => {
  it('match a LIKE pattern exactly when the text does', () => {
    fc.assert(
      fc.property(text, text, (pattern, value) => {
        const bytes = encoder.encode(`x${value}y`);
        const matches = compileByteLike(pattern)(bytes, 1, bytes.length - 1);
        assert.equal(matches, compileLike(pattern)(value));
      }),
      { numRuns: shareOfRuns(20_000) },
    );
  });
});
