// Addresses in Location and Content-Location. All text from clients is percent-encoded, including
// line breaks. `base` is the address of the data plane in the dialect of the request, as the client
// addressed it.

import { trimKey } from '../request/keys.ts';

export const API = '/grid-api/v1';
export const ADMIN = '/grid-admin/v1';

/** A longer Content-Location is omitted. */
export const MAX_CONTENT_LOCATION = 2048;
const PLAIN = /^[\w.~-]*$/;
const PLAIN_LIST = /^[\w.~,-]*$/;
const COMMA = 0x2c;
/** As the last segment of a path they mean something else, to us or to the client. */
const NO_SEGMENTS = ['keys', '_bulk', '_changes', '_history', '.', '..'];

export function entriesAddress(base: string, region: string, keys: readonly string[]): string {
  // One search through all keys is much cheaper than one per key.
  if (keys.length > 1) {
    const list = keys.join(',');
    if (PLAIN_LIST.test(list) && countCommas(list) === keys.length - 1) {
      return `${base}/${region}/${list}`;
    }
  }
  const separator = fitsPath(keys) ? '/' : '?keys=';
  return `${base}/${region}${separator}${keysInPath(keys)}`;
}

/** A key with a comma makes more of them than there are between keys. */
function countCommas(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === COMMA) count += 1;
  return count;
}

export function queryAddress(base: string, id: string): string {
  return `${base}/queries/${keyInPath(id)}`;
}

/** For Content-Location: the keys of the values in their order; undefined when too long. */
export function contentLocation(
  base: string,
  region: string,
  keys: readonly string[],
): string | undefined {
  // Each key takes at least one character and a comma.
  if (keys.length * 2 > MAX_CONTENT_LOCATION) return undefined;
  const address = keys.length === 0 ? `${base}/${region}` : entriesAddress(base, region, keys);
  return address.length > MAX_CONTENT_LOCATION ? undefined : address;
}

/** Whether the path would be parsed as these keys; it drops blanks around keys. */
function fitsPath(keys: readonly string[]): boolean {
  if (keys.length === 1 && NO_SEGMENTS.includes(keys[0] ?? '')) return false;
  return keys.every((key) => key === trimKey(key));
}

function keysInPath(keys: readonly string[]): string {
  if (keys.length === 1) return keyInPath(keys[0] ?? '');
  return keys.map(keyInPath).join(',');
}

function keyInPath(key: string): string {
  return PLAIN.test(key) ? key : encodeURIComponent(key);
}
