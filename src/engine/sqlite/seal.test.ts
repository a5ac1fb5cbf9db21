import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import {
  areKeysSound,
  areVersionsSound,
  isKeySound,
  openEntry,
  sealEntry,
  sealedLength,
} from './seal.ts';
import { findValues } from './sealed-bytes.ts';

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
      assert.deepEqual(openEntry(key, [number, seal, value]), { value, version: number });
      assert.equal(openEntry(`${key}x`, [number, seal, value]), undefined);
      assert.equal(openEntry(key, [number, seal, `${value}x`]), undefined);
      assert.equal(openEntry(key, [number - 1, seal, value]), undefined);
      assert.equal(sealedLength(seal, 0), Buffer.byteLength(value));
    }),
  );
});

it('verifies a whole batch at once, and detects any flipped bit', () => {
  const line = fc.oneof(text, fc.constant('y'.repeat(5000)));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.nat(), (lines, random) => {
      const values = Buffer.from(lines.join('\n'));
      const keys = lines.map((_, i) => `k${i}`);
      const seals = lines.map((value, i) => sealEntry(`k${i}`, value, 7)).join('');
      const areSound = (bytes: Uint8Array): boolean =>
        findValues(Buffer.from(seals, 'latin1'), bytes, 'lines') !== undefined;
      assert.ok(areSound(values));
      assert.ok(areKeysSound(seals, keys));
      if (values.length === 0) return;
      assert.ok(!areSound(flipBit(values, random % (values.length * 8))));
      assert.ok(!areKeysSound(seals, keys.with(random % keys.length, 'other')));
      assert.ok(!areKeysSound(seals, keys.slice(1)));
    }),
  );
});

it('accepts no seals only for an empty batch', () => {
  assert.ok(areKeysSound('', []));
  assert.ok(!areKeysSound('', ['a']));
});

it('refuses columns of another type', () => {
  const [key, value, seal] = ['a', '{"n":1}', sealEntry('a', '{"n":1}', 5)];
  assert.deepEqual(openEntry(key, [5, seal, value]), { value, version: 5 });
  for (const columns of [
    [5, seal, Buffer.from(value)],
    [5, Buffer.from(seal), value],
    [5, seal, null],
    [5, null, value],
    [null, seal, value],
    ['5', seal, value],
    [5 + 61 * 2 ** 53, seal, value],
    [5.5, seal, value],
    [5, seal.slice(0, -1), value],
    [],
  ]) {
    assert.equal(openEntry(key, columns), undefined);
  }
  assert.ok(isKeySound(key, seal));
  for (const columns of [[Buffer.from(key), seal], [key, Buffer.from(seal)], [7, seal], [key]]) {
    assert.ok(!isKeySound(columns[0], columns[1]));
  }
  assert.ok(areVersionsSound(seal, [5]));
  for (const version of [Number.NaN, 5.5, 2 ** 53 + 61]) {
    assert.ok(!areVersionsSound(seal, [version]));
  }
});
