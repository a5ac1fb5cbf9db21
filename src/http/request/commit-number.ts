// Numbers of commits: the sequence of a commit, and the version that it gave its entries.

/** 15 digits: always exact in a double, and more commits than a store makes in 1,000 years. */
export const SEQUENCE_PATTERN = '^[0-9]{1,15}$';

const SEQUENCE = new RegExp(SEQUENCE_PATTERN);

/** A whole number. */
export function parseSequence(text: string): number | undefined {
  return SEQUENCE.test(text) ? Number(text) : undefined;
}

/** A whole number from 1 on, in the form in which versions are printed. */
export function parseVersion(text: string): number | undefined {
  return text.startsWith('0') ? undefined : parseSequence(text);
}
