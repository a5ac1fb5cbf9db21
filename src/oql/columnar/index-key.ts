// The keys of an index on computed values. Numbers and texts are their own keys; the key of a date
// is a text that no other value has. The key of several values is a text that sorts as they do:
//
//   null A · missing B · false C · true D
//   number E, then the bits of the double as 16 hexadecimal digits, so that they sort as it does
//   text   F, then the text, then NUL NUL; a NUL inside is followed by U+0001

import { plainNumber } from '../../value/number.ts';
import { Temporal, UNDEFINED, type Value } from '../../value/value.ts';

/** Undefined for a missing value; `NO_KEY` for a value that has no key. */
export type IndexKey = number | string | boolean | null | undefined | typeof NO_KEY;

export const NO_KEY: unique symbol = Symbol('no key');

/** Begins the keys of dates; U+FFFF is no character, so hardly any text begins with it. */
export const DATE_PREFIX = '\uffff';
/** Some 126,000 years on both sides of 1970, so that a sum of two has 16 digits at most. */
const FARTHEST_MS = 4e15;

export function indexKeyOf(value: Value): IndexKey {
  if (value === UNDEFINED) return undefined;
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') {
    return value.isWellFormed() && !value.startsWith(DATE_PREFIX) ? value : NO_KEY;
  }
  if (value instanceof Temporal) return dateKey(value) ?? NO_KEY;
  const number = plainNumber(value);
  return number !== undefined && Number.isFinite(number) ? number : NO_KEY;
}

/** Sorts in time order; undefined for a date that is out of range. */
export function dateKey({ epochMs, nanos }: Temporal): string | undefined {
  if (!(Math.abs(epochMs) < FARTHEST_MS)) return undefined;
  const ms = String(epochMs + FARTHEST_MS).padStart(16, '0');
  return `${DATE_PREFIX}${ms}${String(nanos).padStart(9, '0')}`;
}

export const KIND_LETTERS = {
  null: 'A',
  missing: 'B',
  false: 'C',
  true: 'D',
  number: 'E',
  string: 'F',
} as const;

/** A key followed by this sorts after every longer key that begins with the same key. */
export const AFTER_KEY = '~';

/** The key of several values; none of them may be `NO_KEY`. */
export function joinKeys(keys: readonly IndexKey[]): string {
  return keys.map(encodeIndexKey).join('');
}

export function encodeIndexKey(key: IndexKey): string {
  if (key === undefined) return KIND_LETTERS.missing;
  if (key === null) return KIND_LETTERS.null;
  if (typeof key === 'boolean') return key ? KIND_LETTERS.true : KIND_LETTERS.false;
  if (typeof key === 'number') return KIND_LETTERS.number + sortableDigits(key);
  if (typeof key === 'string') {
    const escaped = key.includes('\0') ? key.replaceAll('\0', '\0\u0001') : key;
    return `${KIND_LETTERS.string}${escaped}\0\0`;
  }
  throw new Error('a value without a key');
}

const bits = new DataView(new ArrayBuffer(8));

/** Flips the sign bit, and all bits of negative numbers, because those sort the other way. */
function sortableDigits(value: number): string {
  // Adding 0 turns -0 into 0.
  bits.setFloat64(0, value + 0);
  const high = bits.getUint32(0);
  const low = bits.getUint32(4);
  const isNegative = high >= 0x80000000;
  return hex(isNegative ? ~high : high ^ 0x80000000) + hex(isNegative ? ~low : low);
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
