// A client's condition on the entry that it writes, such as its version.

import type { WriteGuard } from '../engine/engine.ts';

/** A guard on the one key that is written; the write supplies the key. */
export type Precondition = WithoutKey<Extract<WriteGuard, { readonly key: string }>>;

type WithoutKey<Guard> = Guard extends unknown ? Omit<Guard, 'key'> : never;

export function toGuard(precondition: Precondition, key: string): WriteGuard {
  return { ...precondition, key };
}
