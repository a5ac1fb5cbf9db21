// The unit of `fc.string` for any code point. fast-check's own, 'binary', costs a second of each process
// that uses it: it lists all million of them in order to recognize a few texts.

import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/** Every code point except lone surrogates. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(0x10ffff - SURROGATES)
  .map(
    (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
    indexOf,
  );

/** Recognizes characters, so that fast-check also tries texts like `__proto__`. */
function indexOf(text: unknown): number {
  if (typeof text !== 'string' || [...text].length !== 1 || !text.isWellFormed()) {
    throw new Error('this is not one character');
  }
  const code = text.codePointAt(0) ?? 0;
  return code < FIRST_SURROGATE ? code : code - SURROGATES;
}
