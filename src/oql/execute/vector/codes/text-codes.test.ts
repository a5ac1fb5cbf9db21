import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { UNSEEN } from './number-codes.ts';
import { TextCodes } from './text-codes.ts';

function codesOf(texts: readonly string[], codes = new TextCodes()): TextCodes {
  for (const [code, text] of texts.entries()) codes.add(text, code);
  return codes;
}

describe('codes of texts', () => {
  it('are found as in a map', () => {
    const text = fc.string({ unit: 'binary', maxLength: 12 });
    fc.assert(
      fc.property(fc.uniqueArray(text, { maxLength: 100 }), text, (texts, other) => {
        const codes = codesOf(texts);
        for (const each of [...texts, other]) assert.equal(codes.find(each), texts.indexOf(each));
      }),
    );
  });

  it('are found among many, and where texts are long', () => {
    const texts = Array.from({ length: 30_000 }, (_, at) => `${'x'.repeat(at % 40)} ${at}`);
    texts.push('y'.repeat(100_000), `${'y'.repeat(99_999)}z`, '');
    const codes = codesOf(texts);
    for (const [code, text] of texts.entries()) assert.equal(codes.find(text), code);
    assert.equal(codes.find('y'.repeat(99_999)), UNSEEN);
  });

  it('distinguish texts with the same hash', () => {
    const texts = ['a', 'b', 'c', 'ab', 'ba', 'abc', ''];
    const codes = codesOf(texts, new TextCodes((text) => text.length));
    for (const [code, text] of texts.entries()) assert.equal(codes.find(text), code);
    assert.equal(codes.find('d'), UNSEEN);
  });
});
