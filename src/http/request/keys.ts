// Which keys a request addresses: the last path segment, or `?keys=`.

import { printAmount } from '../../value/print-amount.ts';
import { badKeys } from '../errors.ts';
import { decodePart } from './decode-part.ts';
import type { QueryString } from './query-string.ts';

/** Visible ASCII without escapes: decoding and trimming would change nothing. */
const PLAIN = /^[!-$&-~]*$/;

/** Blanks are those of ASCII: other white space, such as U+FEFF, belongs to a key. */
const OUTER_BLANKS = /^[\t-\r ]+|[\t-\r ]+$/g;

const SPACE = 0x20;

/** The key without the blanks around it, as a path names it. */
export function trimKey(key: string): string {
  const isTrimmed = key.charCodeAt(0) > SPACE && key.charCodeAt(key.length - 1) > SPACE;
  return isTrimmed ? key : key.replaceAll(OUTER_BLANKS, '');
}

/**
 * Keys of a path segment: split on raw commas, then each piece is decoded once,
 * so `%2C` and `%2F` belong to a key. Blanks around a piece are dropped.
 */
export function keysOfSegment(segment: string, maxKeys: number): readonly string[] {
  if (!segment.includes(',')) return checkKeys([trimKey(decodePart(segment))], maxKeys);
  const pieces = segment.split(',');
  // One search through all keys is much cheaper than one per key.
  if (PLAIN.test(segment)) return checkKeys(pieces, maxKeys);
  return checkKeys(
    pieces.map((piece) => trimKey(decodePart(piece))),
    maxKeys,
  );
}

/**
 * Keys of `?keys=`, which may be repeated; undefined when absent. Blanks are significant here, so
 * that every possible key can be addressed.
 */
export function keysOfQuery(query: QueryString, maxKeys: number): readonly string[] | undefined {
  const values = query.all('keys');
  if (values.length === 0) return undefined;
  return checkKeys(
    values.flatMap((value) => value.split(',').map(decodePart)),
    maxKeys,
  );
}

function checkKeys(keys: readonly string[], maxKeys: number): readonly string[] {
  if (keys.includes('')) throw badKeys('A key must not be empty');
  if (keys.length > maxKeys)
    throw badKeys(`One request may name ${printAmount(maxKeys, 'key')} at most`);
  return keys;
}
