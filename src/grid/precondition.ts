// A condition that a client puts on the entry it writes, such as its version.

import type { WriteGuard } from '../engine/engine.ts';

/** What must hold of the one key that is written: a guard whose key the write tells. */
export type Precondition = WithoutKey<Extract<WriteGuard, { readonly key: string }>>;

type WithoutKey<Guard> = Guard extends unknown ? Omit<Guard, 'key'> : never;

export function toGuard(precondition: Precondition, key: string): WriteGuard {
  return { ...precondition, key };
}
