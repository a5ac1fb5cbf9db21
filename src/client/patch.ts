// Patches of an entry, as merge patch (RFC 7396) or JSON Patch (RFC 6902).

import { exactObjects } from './codec.ts';

/** Members to set, `null` to remove one; or operations; or either as JSON text. */
export type Patch = Readonly<Record<string, unknown>> | readonly PatchOperation[] | string;

/** Paths are JSON Pointers: `/lines/0/price`. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

export function printPatch(patch: Patch): {
  readonly body: string;
  readonly contentType: string;
} {
  const body = typeof patch === 'string' ? patch : exactObjects<unknown>().print(patch);
  const kind = body.trimStart().startsWith('[') ? 'json-patch' : 'merge-patch';
  return { body, contentType: `application/${kind}+json` };
}
