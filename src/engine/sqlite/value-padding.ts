// Padding before and after joined values, into which a document around them is written:
// `{"name":[` before them, with the name of a region, and `]}` after them.

export const PADDING_BEFORE = 272;
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
