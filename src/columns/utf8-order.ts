// Orders strings by UTF-16 code units, from their UTF-8 bytes. Byte order is the same but for one
// case: characters beyond U+FFFF (lead byte F0 and up) are surrogates in UTF-16 and come before
// U+E000 to U+FFFF (lead bytes EE and EF).

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
