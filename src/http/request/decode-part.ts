// Percent-decoding of one part of a URL, once, strictly.

import { badEncoding } from '../errors.ts';

/** Only `%` escapes are decoded; `+` is a plus. Invalid escapes or UTF-8 are refused. */
export function decodePart(raw: string): string {
  if (!raw.includes('%') && isAscii(raw)) return raw;
  // Raw bytes above 127 reach us as Latin-1 characters; a URL may not contain them.
  if (!isAscii(raw)) throw badEncoding(raw);
  try {
    return decodeURIComponent(raw);
  } catch (error) {
    if (error instanceof URIError) throw badEncoding(raw);
    throw error;
  }
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    if (text.charCodeAt(i) > 0x7e) return false;
  }
  return true;
}
