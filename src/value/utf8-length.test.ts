import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isLongerThan, utf8Length } from './utf8-length.ts';

test('the length is that of the encoded text, lone surrogates included', () => {
  const unit = fc.constantFrom(
    'a',
    '\u007f',
    '\u0080',
    '\u07ff',
    '\u0800',
    '\uffff',
    '\ud83d',
    '\ude00',
    '😀',
  );
  fc.assert(
    fc.property(fc.array(unit), fc.nat(40), (units, maxBytes) => {
      const text = units.join('');
      assert.equal(utf8Length(text), Buffer.byteLength(text));
      assert.equal(isLongerThan(text, maxBytes), Buffer.byteLength(text) > maxBytes);
    }),
  );
});
