// The guards of a conditional write, decided the same way by every engine. The
// caller must hold whatever makes the answer of `find` last until the write is done.

import type { Change, StoredEntry, WriteGuard, WriteOutcome } from './engine.ts';

export type FindEntry = (key: string) => StoredEntry | undefined;

/** The outcome of the first guard that fails, or undefined when all hold. */
export function findFailedGuard(
  guards: readonly WriteGuard[],
  changes: readonly Change[],
  find: FindEntry,
): WriteOutcome | undefined {
  for (const guard of guards) {
    const failure = checkGuard(guard, changes, find);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function checkGuard(
  guard: WriteGuard,
  changes: readonly Change[],
  find: FindEntry,
): WriteOutcome | undefined {
  switch (guard.kind) {
    case 'all-present': {
      const keys = changes.map((change) => change.key).filter((key) => find(key) === undefined);
      return keys.length === 0 ? undefined : { kind: 'keys-missing', keys };
    }
    case 'all-absent': {
      const entries = changes.flatMap(({ key }) => {
        const entry = find(key);
        return entry === undefined ? [] : [{ key, value: entry.value, version: entry.version }];
      });
      return entries.length === 0 ? undefined : { kind: 'keys-present', entries };
    }
    case 'version-is': {
      const current = find(guard.key);
      const holds = current !== undefined && guard.versions.includes(current.version);
      return holds ? undefined : versionDiffers(current);
    }
    case 'version-is-not': {
      const current = find(guard.key);
      const holds = current === undefined || !guard.versions.includes(current.version);
      return holds ? undefined : versionDiffers(current);
    }
  }
}

function versionDiffers(current: StoredEntry | undefined): WriteOutcome {
  return current === undefined
    ? { kind: 'version-differs' }
    : { kind: 'version-differs', current: { value: current.value, version: current.version } };
}
