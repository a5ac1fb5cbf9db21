import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareText } from './compare.ts';
import { compareIdTo } from './utf8-order.ts';

const encoder = new TextEncoder();
const unit = fc.constantFrom('a', 'b', 'é', '\uffff', '\ue000', '\u{1f600}', '\n');
const text = fc.array(unit, { maxLength: 8 }).map((units) => units.join(''));

describe('strings as bytes', () => {
  it('are ordered by UTF-16 code units', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        const bytes = encoder.encode(left);
        const strings = { bytes, ends: Uint32Array.of(bytes.length), start: () => 0 };
        const order = compareIdTo(strings, 0, encoder.encode(right));
        assert.equal(Math.sign(order), compareText(left, right));
      }),
    );
  });
});
