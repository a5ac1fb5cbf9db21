// LIKE over strings as UTF-8 bytes, without creating a string.

import { ANY_ONE, ANY_RUN, parseLike } from '../../../../value/like-pattern.ts';
import { compileLike, hasShortPieces } from '../../../functions/like.ts';

/** Whether `bytes[start, end)` matches. */
export type ByteMatcher = (bytes: Uint8Array, start: number, end: number) => boolean;

/**
 * LIKE over bytes. The ways to match bytes may try a piece of the pattern at every byte, which pays
 * for short pieces only.
 */
export function compileByteLike(pattern: string): ByteMatcher {
  if (hasShortPieces(pattern)) return compileShort(pattern);
  const matchesText = compileLike(pattern);
  const decoder = new TextDecoder();
  return (bytes, start, end) => matchesText(decoder.decode(bytes.subarray(start, end)));
}

function compileShort(pattern: string): ByteMatcher {
  const elements = parseBytes(pattern);
  const last = elements.length - 1;
  const startsOpen = elements[0] === ANY_RUN;
  const endsOpen = elements[last] === ANY_RUN;
  const part = elements.slice(startsOpen ? 1 : 0, endsOpen && last > 0 ? last : elements.length);
  if (part.every((element) => element >= 0)) {
    const inner = Uint8Array.from(part);
    const { length } = inner;
    if (startsOpen && endsOpen && last > 0) return containing(inner);
    if (startsOpen) {
      return (bytes, start, end) => end - start >= length && isAt(inner, bytes, end - length);
    }
    if (endsOpen) return (bytes, start, end) => end - start >= length && isAt(inner, bytes, start);
    return (bytes, start, end) => end - start === length && isAt(inner, bytes, start);
  }
  const pieces = Int16Array.from(elements);
  return (bytes, start, end) => matches(pieces, bytes, start, end);
}

/** The elements of a pattern, its characters as bytes. */
function parseBytes(pattern: string): readonly number[] {
  const encoder = new TextEncoder();
  return parseLike(pattern).flatMap((element) =>
    element < 0 ? element : [...encoder.encode(String.fromCodePoint(element))],
  );
}

function isAt(text: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (bytes[start + index] !== text[index]) return false;
  }
  return true;
}

function containing(text: Uint8Array): ByteMatcher {
  const first = text[0];
  return (bytes, start, end) => {
    for (let at = start; at <= end - text.length; at += 1) {
      if (bytes[at] === first && isAt(text, bytes, at)) return true;
    }
    return text.length === 0;
  };
}

/** On a mismatch only the last `%` has to be retried: an earlier one cannot match better. */
function matches(elements: Int16Array, bytes: Uint8Array, start: number, end: number): boolean {
  let element = 0;
  let at = start;
  let lastRun = -1;
  let runEnd = start;
  while (at < end) {
    const expected = elements[element];
    if (expected === ANY_RUN) {
      lastRun = element;
      runEnd = at;
      element += 1;
    } else if (expected === ANY_ONE || expected === bytes[at]) {
      element += 1;
      at += expected === ANY_ONE ? characterLength(bytes[at] ?? 0) : 1;
    } else if (lastRun >= 0) {
      runEnd += characterLength(bytes[runEnd] ?? 0);
      at = runEnd;
      element = lastRun + 1;
    } else {
      return false;
    }
  }
  while (elements[element] === ANY_RUN) element += 1;
  return element === elements.length;
}

function characterLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
