// The type of a row in a column, as one byte. Tags up to FALSE have no payload; the others say
// where it is. `columns` writes them, and `oql` reads them.

export const MISSING = 0;
export const NULL = 1;
export const TRUE = 2;
export const FALSE = 3;
/** A safe integer: payload in `numbers`, printed canonically. */
export const INTEGER = 4;
/** A double whose canonical print is its stored text: payload in `numbers`. */
export const DOUBLE = 5;
/** A double written in another way (`1.50`, `1e3`): value in `numbers`, text in `texts`. */
export const NON_CANONICAL_DOUBLE = 6;
/** A string: dictionary id in `ids`. */
export const STRING = 7;
/** An object or array: its JSON text in `texts`. */
export const OBJECT = 8;
export const ARRAY = 9;
/**
 * A number that is not kept as a double: a whole one beyond 2^53, -0, or one that is infinite as a
 * double. JSON text in `texts`.
 */
export const OTHER_NUMBER = 10;

/** Only in computed vectors: the reference evaluator has to compute the value of this row. */
export const UNSURE = 15;
export const TAG_COUNT = 16;

/** Tags of the numbers that are in `numbers`, as a mask; `isNumberTag` tests one. */
export const NUMBER_TAGS: number = (1 << INTEGER) | (1 << DOUBLE) | (1 << NON_CANONICAL_DOUBLE);

/** Tags of rows without a value. */
export const ABSENT_TAGS: number = (1 << MISSING) | (1 << NULL);

export function isNumberTag(tag: number): boolean {
  return tag >= INTEGER && tag <= NON_CANONICAL_DOUBLE;
}

/** The tag of a whole number as a double: only safe integers are exact, and -0 has its own rules. */
export function wholeTag(value: number): typeof INTEGER | typeof OTHER_NUMBER {
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? INTEGER : OTHER_NUMBER;
}

/** The tag of a fraction as a double; the text it was read from may make it a NON_CANONICAL_DOUBLE. */
export function fractionTag(value: number): typeof DOUBLE | typeof OTHER_NUMBER {
  return Number.isFinite(value) && !Object.is(value, -0) ? DOUBLE : OTHER_NUMBER;
}

/**
 * In a column with strings every row has an id, so that one table look-up by id decides about a row
 * of any tag. These ids are for non-strings; those of missing, null, true and false equal their
 * tags. Ids of strings begin after them.
 */
const ID_NUMBER = 4;
const ID_OTHER = 5;
export const FIRST_STRING_ID = 6;

/** The reserved id of each tag; STRING rows have their own ids. */
export const RESERVED_IDS: Uint8Array = Uint8Array.from({ length: TAG_COUNT }, (_, tag) => {
  if (tag <= FALSE) return tag;
  return isNumberTag(tag) ? ID_NUMBER : ID_OTHER;
});
