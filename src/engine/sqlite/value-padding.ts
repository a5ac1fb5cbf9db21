// Padding before and after joined values, into which the head and the end of an answer are written.

export const PADDING_BEFORE = 3072;
export const PADDING_AFTER = 8;
const BLANKS_BEFORE = `'${' '.repeat(PADDING_BEFORE)}'`;
const BLANKS_AFTER = `'${' '.repeat(PADDING_AFTER)}'`;

/** SQL that returns a text as bytes with padding around them. */
export function withPadding(text: string): string {
  return `CAST(${BLANKS_BEFORE} || ${text} || ${BLANKS_AFTER} AS BLOB)`;
}

/** The bytes without the padding, in the same buffer. */
export function withoutPadding(padded: Uint8Array): Uint8Array {
  return padded.subarray(PADDING_BEFORE, padded.length - PADDING_AFTER);
}
