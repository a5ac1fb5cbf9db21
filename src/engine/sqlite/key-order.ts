// Checks the order of keys that were read. A tree pointer to the wrong page repeats entries that all
// pass their checksums. It may even preserve their number, but never their order.

import type { JoinedTexts } from '../../value/entry-bytes.ts';

/** Whether the keys are ascending, all of them after `after`. */
export function areAscending(keys: readonly string[], after: string): boolean {
  let before = after;
  for (const key of keys) {
    if (key <= before) return false;
    before = key;
  }
  return true;
}

/** `areAscending` for keys in UTF-8. */
export function areTextsAscending({ bytes, ends }: JoinedTexts, after: string): boolean {
  if (ends.length === 0) return true;
  const first = Buffer.from(bytes.buffer, bytes.byteOffset, ends[0]).toString();
  if (first <= after) return false;
  let start = 0;
  for (let index = 1; index < ends.length; index += 1) {
    const end = ends[index - 1] ?? 0;
    const next = end + 1;
    // A key is followed by a separator, which is zero, or by the end.
    let at = start;
    let nextAt = next;
    while (at < end && bytes[at] === bytes[nextAt]) {
      at += 1;
      nextAt += 1;
    }
    if (at === end ? nextAt === ends[index] : rank(bytes[at]) >= rank(bytes[nextAt])) return false;
    start = next;
  }
  return true;
}

/**
 * Maps bytes to the order of UTF-16 code units: the four bytes of a surrogate pair (F0 and up) sort
 * before the three of U+E000 to U+FFFF (EE, EF).
 */
function rank(byte = 0): number {
  if (byte < 0xee) return byte;
  return byte < 0xf0 ? byte + 0x10 : byte;
}
