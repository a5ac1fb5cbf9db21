// Orders strings by UTF-16 code units, from their UTF-8 bytes. Byte order is the same but for one
// case: characters beyond U+FFFF (lead byte F0 and up) are surrogates in UTF-16 and come before
// U+E000 to U+FFFF (lead bytes EE and EF).

import type { Dictionary } from './column-data.ts';

/** Sorting compares millions of pairs, so no view is created for one. */
export function compareUtf8(
  left: Uint8Array,
  leftStart: number,
  leftEnd: number,
  right: Uint8Array,
  rightStart: number,
  rightEnd: number,
): number {
  const length = Math.min(leftEnd - leftStart, rightEnd - rightStart);
  for (let index = 0; index < length; index += 1) {
    const a = left[leftStart + index] ?? 0;
    const b = right[rightStart + index] ?? 0;
    if (a !== b) {
      const swapped = a >= 0xee && b >= 0xee && a >= 0xf0 !== b >= 0xf0;
      return swapped ? b - a : a - b;
    }
  }
  return leftEnd - leftStart - (rightEnd - rightStart);
}

type Strings = Pick<Dictionary, 'bytes' | 'ends' | 'start'>;

export function compareIds(left: Strings, leftId: number, right: Strings, rightId: number): number {
  const leftStart = left.start(leftId);
  const leftEnd = left.ends[leftId] ?? 0;
  const rightStart = right.start(rightId);
  const rightEnd = right.ends[rightId] ?? 0;
  return compareUtf8(left.bytes, leftStart, leftEnd, right.bytes, rightStart, rightEnd);
}

/** The order of a string to one that is given as its bytes. */
export function compareIdTo(strings: Strings, id: number, other: Uint8Array): number {
  const end = strings.ends[id] ?? 0;
  return compareUtf8(strings.bytes, strings.start(id), end, other, 0, other.length);
}
