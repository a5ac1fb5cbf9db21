// The media types of partial writes, and how many operations one may have.

import type { PatchEntry } from '../intent/intent.ts';

export const PATCH_TYPES: ReadonlyMap<string, PatchEntry['patch']> = new Map([
  ['application/merge-patch+json', 'merge'],
  ['application/json-patch+json', 'operations'],
]);

/** The value of `Accept-Patch`. */
export const ACCEPT_PATCH: string = [...PATCH_TYPES.keys()].join(', ');

/** Each operation may shift a whole array, so their number bounds the time of a patch. */
export const MAX_PATCH_OPERATIONS = 1000;
