// Rows of an index that hold just one value.

import type { ValueIndex } from './value-index.ts';

/**
 * All rows with the value, those no longer visible too. Undefined where they are more than `most`,
 * or the index alone does not tell them: numbers too odd for a key may equal the one sought,
 * computed values may fail, and a key index knows only the rows whose value is not their key.
 */
export function findExactly(
  index: ValueIndex,
  value: number | string,
  most: number,
): readonly number[] | undefined {
  if (index.kind === 'key' || (index.isComputed && index.countApart('odd') > 0)) return undefined;
  const rows: number[] = [];
  const visit = (row: number): void => void rows.push(row);
  if (typeof value === 'string') {
    const bounds = exactly(value);
    if (index.countStrings(bounds) > most) return undefined;
    index.forEachString(bounds, visit);
  } else {
    const bounds = exactly(value);
    if (index.countApart('odd') > 0 || index.countNumbers(bounds) > most) return undefined;
    index.forEachNumber(bounds, visit);
  }
  return rows;
}

interface Exactly<Key> {
  readonly low: { readonly key: Key; readonly inclusive: true };
  readonly high: { readonly key: Key; readonly inclusive: true };
}

function exactly<Key>(key: Key): Exactly<Key> {
  const bound = { key, inclusive: true } as const;
  return { low: bound, high: bound };
}
