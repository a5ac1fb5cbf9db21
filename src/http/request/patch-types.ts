// The media types of partial writes.

import type { PatchEntry } from '../intent/intent.ts';

export const PATCH_TYPES: ReadonlyMap<string, PatchEntry['patch']> = new Map([
  ['application/merge-patch+json', 'merge'],
  ['application/json-patch+json', 'operations'],
]);

/** The value of `Accept-Patch`. */
export const ACCEPT_PATCH: string = [...PATCH_TYPES.keys()].join(', ');
