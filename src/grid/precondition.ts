// What a client states of the entry it writes.

import type { StoredEntry, WriteGuard, WriteOutcome } from '../engine/engine.ts';

/** What must hold of the one key that is written, tested in the step that writes it. */
export type Precondition =
  | { readonly kind: 'exists' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'version-is'; readonly versions: readonly number[] }
  | { readonly kind: 'version-is-not'; readonly versions: readonly number[] };

export function holds(precondition: Precondition, current: StoredEntry | undefined): boolean {
  switch (precondition.kind) {
    case 'exists':
      return current !== undefined;
    case 'absent':
      return current === undefined;
    case 'version-is':
      return current !== undefined && precondition.versions.includes(current.version);
    case 'version-is-not':
      return current === undefined || !precondition.versions.includes(current.version);
  }
}

export function toGuard(precondition: Precondition, key: string): WriteGuard {
  switch (precondition.kind) {
    case 'exists':
      return { kind: 'all-present' };
    case 'absent':
      return { kind: 'all-absent' };
    case 'version-is':
    case 'version-is-not':
      return { ...precondition, key };
  }
}

/** Guards are looked at in order, so a failure that a stated guard can give was given by it. */
export function failedBy(outcome: WriteOutcome, stated: readonly WriteGuard[]): boolean {
  return stated.some(
    (guard) =>
      (guard.kind === 'all-present' && outcome.kind === 'keys-missing') ||
      (guard.kind === 'all-absent' && outcome.kind === 'keys-present'),
  );
}
