// Numbers of commits: the sequence of a commit, and the version that it gave its entries.

/** A whole number. */
export function parseSequence(text: string): number | undefined {
  const sequence = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(sequence) ? sequence : undefined;
}

/** A whole number from 1 on, in the form in which versions are printed. */
export function parseVersion(text: string): number | undefined {
  return text.startsWith('0') ? undefined : parseSequence(text);
}
