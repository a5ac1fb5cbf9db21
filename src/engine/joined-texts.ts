// Texts end to end as bytes, for adapters that have them in another form.

import type { JoinedTexts } from './engine.ts';

const NEWLINE = 0x0a;

/** Joined by NUL, which no key holds. */
export function joinTexts(texts: readonly string[]): JoinedTexts {
  const bytes = new TextEncoder().encode(texts.join('\0'));
  const ends = new Uint32Array(texts.length);
  for (let index = 0, at = 0; index < texts.length; index += 1) {
    const end = bytes.indexOf(0, at);
    ends[index] = end < 0 ? bytes.length : end;
    at = end + 1;
  }
  return { bytes, ends };
}

/** The lines of a text that has at least one. */
export function findLines(bytes: Uint8Array): JoinedTexts {
  const ends: number[] = [];
  for (let at = 0; at >= 0; ) {
    const end = bytes.indexOf(NEWLINE, at);
    ends.push(end < 0 ? bytes.length : end);
    at = end < 0 ? end : end + 1;
  }
  return { bytes, ends: Uint32Array.from(ends) };
}
