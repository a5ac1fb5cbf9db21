// Conditions on an entry that is written, such as its version.

import type { WriteGuard } from '../engine/engine.ts';

/** A client's condition: a guard on the one key that is written; the write supplies the key. */
export type Precondition = WithoutKey<Extract<WriteGuard, { readonly key: string }>>;

type WithoutKey<Guard> = Guard extends unknown ? Omit<Guard, 'key'> : never;

export function toGuard(precondition: Precondition, key: string): WriteGuard {
  return { ...precondition, key };
}

/** The entry still has the version that was read; undefined: it is still absent. */
export function unchangedGuard(key: string, version: number | undefined): WriteGuard {
  return version === undefined
    ? { kind: 'absent', key }
    : { kind: 'version-is', key, versions: [version] };
}
