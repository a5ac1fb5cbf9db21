// The media types of bodies.

import type { PatchEntry, SafeQuery } from '../intent/intent.ts';

const UTF8_PARAMETER = /^\s*charset\s*=\s*"?utf-?8"?\s*$/i;

/** Type and subtype in lower case; empty when there is none, or its charset is not UTF-8. */
export function mediaTypeOf(header: string | undefined): string {
  const [type = '', ...parameters] = (header ?? '').split(';');
  const isUtf8 = parameters.every((each) => each.trim() === '' || UTF8_PARAMETER.test(each));
  return isUtf8 ? type.trim().toLowerCase() : '';
}

export const PATCH_TYPES: ReadonlyMap<string, PatchEntry['patch']> = new Map([
  ['application/merge-patch+json', 'merge'],
  ['application/json-patch+json', 'operations'],
]);

/** The value of `Accept-Patch`. */
export const ACCEPT_PATCH: string = [...PATCH_TYPES.keys()].join(', ');

/** Each operation may shift a whole array, so their number bounds the time of a patch. */
export const MAX_PATCH_OPERATIONS = 1000;

const OQL_TYPE = 'application/oql';

/** Of a text with its bind parameters, or of a text alone. */
export const QUERY_TYPES: ReadonlyMap<string, SafeQuery['content']> = new Map([
  ['application/json', 'json'],
  [OQL_TYPE, 'oql'],
]);

/** Of the bind parameters of a named query. */
export const PARAMETER_TYPES: ReadonlyMap<string, SafeQuery['content']> = new Map([
  ['application/json', 'json'],
]);

/** The value of `Accept-Query`. */
export function acceptQuery(types: ReadonlyMap<string, unknown>): string {
  return [...types.keys()].join(', ');
}
