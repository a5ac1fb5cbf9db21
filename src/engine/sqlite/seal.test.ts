import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { areKeysSound, areValuesSound, isEntrySound, sealEntry, sealedLength } from './seal.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 200 });
const version = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

function flipBit(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const at = bit >> 3;
  copy[at] = (copy[at] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

it('accepts the entry it was made for and no other', () => {
  fc.assert(
    fc.property(text, text, version, (key, value, number) => {
      const seal = sealEntry(key, value, number);
      assert.ok(isEntrySound(seal, key, { value, version: number }));
      assert.ok(!isEntrySound(seal, `${key}x`, { value, version: number }));
      assert.ok(!isEntrySound(seal, key, { value: `${value}x`, version: number }));
      assert.ok(!isEntrySound(seal, key, { value, version: number - 1 }));
      assert.equal(sealedLength(seal, 0), Buffer.byteLength(value));
    }),
  );
});

it('checks a whole batch at once, and finds any flipped bit', () => {
  const line = fc.oneof(text, fc.constant('y'.repeat(5000)));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.nat(), (lines, random) => {
      const values = Buffer.from(lines.join('\n'));
      const keys = lines.map((_, i) => `k${i}`);
      const seals = lines.map((value, i) => sealEntry(`k${i}`, value, 7)).join('');
      assert.ok(areValuesSound(seals, values));
      assert.ok(areKeysSound(seals, keys));
      if (values.length === 0) return;
      assert.ok(!areValuesSound(seals, flipBit(values, random % (values.length * 8))));
      assert.ok(!areKeysSound(seals, keys.with(random % keys.length, 'other')));
      assert.ok(!areKeysSound(seals, keys.slice(1)));
    }),
  );
});

it('takes no entries for a sound batch of nothing only', () => {
  assert.ok(areKeysSound('', []));
  assert.ok(!areKeysSound('', ['a']));
});
