// Addresses as Geode writes them into Location and Content-Location: characters that a URI
// may contain are left as they are, slashes too, and all others are percent-encoded.

/** Geode sends no longer header; a longer address is omitted. */
export const MAX_ADDRESS = 8000;

/** The address of a path below the root; empty segments are left out. */
export function toAddress(base: string, ...segments: readonly string[]): string {
  return [base, ...segments.filter((segment) => segment !== '').map(quote)].join('/');
}

/** The address of keys that were given as `?keys=`. */
export function toKeysAddress(base: string, region: string, keys: readonly string[]): string {
  return `${toAddress(base, region)}?keys=${keys.join(',')}`;
}

/**
 * In `?keys=` of a Location Geode repeats the keys as they came, and encodes only characters that
 * an address may not have.
 */
export function quoteGiven(key: string): string {
  return encodeURI(toWellFormed(key))
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
  return encodeURIComponent(toWellFormed(text))
    .replaceAll(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

function quote(segment: string): string {
  return encodeURI(toWellFormed(segment).normalize('NFC')).replaceAll(/[?#]/g, encodeURIComponent);
}

/** A lone surrogate has no UTF-8. */
function toWellFormed(text: string): string {
  return text.toWellFormed();
}
