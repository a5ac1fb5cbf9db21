import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { decodeKey, encodeKey } from './key-encoding.ts';
import { UNUSUAL_KEYS } from './testing/unusual-keys.ts';

// Arbitrary code units, lone surrogates included.
const anyKey = fc
  .array(
    fc.oneof(
      fc.integer({ min: 1, max: 0xffff }),
      fc.constantFrom(0x61, 0xd7ff, 0xd800, 0xdfff, 0xe000, 0xffff),
    ),
  )
  .map((units) => String.fromCharCode(...units));

it('decodes every key that it encodes', () => {
  fc.assert(fc.property(anyKey, (key) => decodeKey(encodeKey(key)) === key));
  for (const key of UNUSUAL_KEYS) assert.equal(decodeKey(encodeKey(key)), key);
});

it('sorts encoded keys by UTF-8 bytes as keys sort by code units', () => {
  fc.assert(
    fc.property(anyKey, anyKey, (a, b) => {
      const order = Buffer.compare(Buffer.from(encodeKey(a)), Buffer.from(encodeKey(b)));
      assert.equal(order, a === b ? 0 : a < b ? -1 : 1);
    }),
  );
});

it('encodes to well-formed text, and leaves plain keys unchanged', () => {
  fc.assert(fc.property(anyKey, (key) => encodeKey(key).isWellFormed()));
  assert.equal(encodeKey('order-7 é 漢'), 'order-7 é 漢');
});
