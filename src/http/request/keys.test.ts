import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RequestError } from '../errors.ts';
import { decodePart } from './decode-part.ts';
import { keysOfSegment } from './keys.ts';

test('keys of a segment are its parts, each decoded and trimmed', () => {
  const piece = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'b', '+', '~', '!', '&', '$'), minLength: 1 }),
    fc.constantFrom('%2C', '%2F', '%20a%20', 'a%20b', '%C3%A9'),
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1 }), (pieces) => {
      const expected = pieces.map((each) => decodePart(each).trim());
      assert.deepEqual(keysOfSegment(pieces.join(','), 1000), expected);
    }),
  );
});

test('white space beyond ASCII belongs to a key', () => {
  const keys = ['\uFEFFa', '\u00A0', 'a\u3000'];
  assert.deepEqual(keysOfSegment(keys.map(encodeURIComponent).join(','), 1000), keys);
  assert.deepEqual(keysOfSegment('%09a%0D%20', 1000), ['a']);
});

test('an empty part, too many parts and a broken escape are refused', () => {
  for (const segment of ['a,,b', 'a,', 'a,%20', 'a,b,c', 'a,%zz', 'a,\u00e9']) {
    assert.throws(() => keysOfSegment(segment, 2), RequestError, segment);
  }
  assert.throws(() => keysOfSegment('a,b,c', 2), { message: /may name 2 keys at most$/ });
  assert.throws(() => keysOfSegment('a,b', 1), { message: /may name 1 key at most$/ });
});
