// Addresses as Geode writes them into Location and Content-Location: characters that a URI
// may contain are left as they are, slashes too, and all others are percent-encoded. A lone surrogate
// has no UTF-8.

import type { GeodeReadEntries, GeodeWriteEntries } from './geode-intent.ts';

/** Geode sends no longer header; a longer address is omitted. */
export const MAX_ADDRESS = 8000;

/** The address of a path below the root; empty segments are left out. */
export function toAddress(base: string, ...segments: readonly string[]): string {
  return [base, ...segments.filter((segment) => segment !== '').map(quote)].join('/');
}

/** The address of entries that were read. */
export function readAddress({ keys, keysIn, region }: GeodeReadEntries, base: string): string {
  return keysIn === 'path'
    ? toAddress(base, region, keys.join(','))
    : `${toAddress(base, region)}?keys=${keys.map(encodeFormValue).join(',')}`;
}

/** The address of written entries, in the form in which the request gave their keys. */
export function writtenAddress(
  { givenKeys, keys, keysIn, region }: GeodeWriteEntries,
  base: string,
): string {
  return keysIn === 'path'
    ? toAddress(base, region, keys.join(','))
    : `${toAddress(base, region)}?keys=${givenKeys.map(quoteGiven).join(',')}`;
}

/**
 * In `?keys=` of a Location Geode repeats the keys as they came, and encodes only characters that
 * an address may not have.
 */
function quoteGiven(key: string): string {
  return encodeURI(key.toWellFormed())
    .replaceAll('%25', '%')
    .replaceAll(/[?#&]/g, encodeURIComponent);
}

/** A header with an address, or none where it would be too long. */
export function addressHeader(
  name: 'Location' | 'Content-Location',
  address: string,
): readonly string[] {
  return address.length > MAX_ADDRESS ? [] : [name, address];
}

/** As a form encodes it, in the way of Java: a blank is a plus. */
export function encodeFormValue(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replaceAll(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

function quote(segment: string): string {
  return encodeURI(segment.toWellFormed().normalize('NFC')).replaceAll(/[?#]/g, encodeURIComponent);
}
