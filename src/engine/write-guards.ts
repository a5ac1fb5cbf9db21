// The guards of a conditional write, tested by the same code in every engine. The caller must hold a lock
// or transaction, so that the entries do not change until the write is done.

import type {
  Change,
  FailedGuard,
  GuardFailure,
  RegionWrite,
  StoredEntry,
  WriteGuard,
} from './engine.ts';

export type FindEntry = (key: string) => StoredEntry | undefined;

/** The outcome of the first guard that fails, or undefined when all hold. */
export function findFailedGuard(
  guards: readonly WriteGuard[],
  changes: readonly Change[],
  find: FindEntry,
): GuardFailure | undefined {
  for (const guard of guards) {
    const failure = checkGuard(guard, changes, find);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** Every guard of a commit that fails. `find` searches the region of the write with that index. */
export function findRefusals(
  writes: readonly RegionWrite[],
  find: (write: number, key: string) => StoredEntry | undefined,
): readonly FailedGuard[] {
  return writes.flatMap(({ changes, guards = [] }, write) =>
    guards.flatMap((guard, index) => {
      const failure = checkGuard(guard, changes, (key) => find(write, key));
      return failure === undefined ? [] : [{ write, guard: index, failure }];
    }),
  );
}

function checkGuard(
  guard: WriteGuard,
  changes: readonly Change[],
  find: FindEntry,
): GuardFailure | undefined {
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
    case 'present':
      return find(guard.key) === undefined ? versionDiffers(undefined) : undefined;
    case 'absent': {
      const current = find(guard.key);
      return current === undefined ? undefined : versionDiffers(current);
    }
  }
}

function versionDiffers(current: StoredEntry | undefined): GuardFailure {
  return current === undefined
    ? { kind: 'version-differs' }
    : { kind: 'version-differs', current: { value: current.value, version: current.version } };
}
