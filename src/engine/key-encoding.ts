// The encoding of keys in a database. Databases compare text by UTF-8 bytes, which is the order of code
// points; the port requires the order of UTF-16 code units. The two differ only from the surrogates
// upwards, so a key with such a code unit is stored with every unit as a separate code point:
//
//   code unit   0000–D7FF   →  itself
//   surrogate   D800–DFFF   →  U+E000–U+E7FF
//   code unit   E000–FFFF   →  U+E800–U+107FF
//
// The mapping preserves the order, and every other key (nearly all) is stored unchanged.

const FIRST_MOVED = 0xd800;
const SHIFT = 0x800;

/** The text to store for `key`; compared by UTF-8 bytes it sorts as `key` does. */
export function encodeKey(key: string): string {
  return hasUnitFrom(key, FIRST_MOVED) ? shiftUnits(key) : key;
}

/** The key that was stored as `text`. */
export function decodeKey(text: string): string {
  // Stored text contains surrogates only as pairs for code points above U+FFFF.
  return hasUnitFrom(text, FIRST_MOVED) ? unshiftPoints(text) : text;
}

/** Whether decoding would not change `text`, which is one stored key or many. */
export function isPlain(text: string): boolean {
  return !hasUnitFrom(text, FIRST_MOVED);
}

function hasUnitFrom(text: string, limit: number): boolean {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) >= limit) return true;
  }
  return false;
}

function shiftUnits(key: string): string {
  let text = '';
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    text += String.fromCodePoint(unit < FIRST_MOVED ? unit : unit + SHIFT);
  }
  return text;
}

function unshiftPoints(text: string): string {
  let key = '';
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    key += String.fromCharCode(point < FIRST_MOVED ? point : point - SHIFT);
  }
  return key;
}
