// One write of one entry in a bulk load or transaction: the operation, its preconditions, and their
// translation into changes and guards.

import type { Change, RegionDefinition, WriteGuard } from '../engine/engine.ts';
import { checkKey, checkKeyConstraint, checkValue, checkValueLength } from './constraints.ts';
import { operationNotSupported } from './errors.ts';
import { checkTtl } from './expiry-records.ts';
import type { GridLimits } from './limits.ts';

/** `create`: the key must be absent. `replace` and `remove`: it must be present. */
export type EntryOperation = {
  readonly key: string;
  /** The entry must have one of these versions, or with `any` exist. */
  readonly ifMatch?: 'any' | readonly number[] | undefined;
} & (
  | {
      readonly op: 'put' | 'create' | 'replace';
      readonly value: string;
      /** Time to live of the entry; absent: the default of its region. */
      readonly ttlMs?: number | undefined;
    }
  | { readonly op: 'remove' }
);

/** The required state of the entry. */
export function requirementOf({
  ifMatch,
  op,
}: EntryOperation): 'present' | 'absent' | 'version' | undefined {
  if (ifMatch !== undefined) return ifMatch === 'any' ? 'present' : 'version';
  if (op === 'create') return 'absent';
  return op === 'put' ? undefined : 'present';
}

export function toGuards(operation: EntryOperation): readonly WriteGuard[] {
  const { ifMatch, key } = operation;
  switch (requirementOf(operation)) {
    case undefined:
      return [];
    case 'version':
      return [{ kind: 'version-is', key, versions: ifMatch === 'any' ? [] : (ifMatch ?? []) }];
    case 'present':
      return [{ kind: 'present', key }];
    case 'absent':
      return [{ kind: 'absent', key }];
  }
}

/**
 * Throws `grid/bad-key`, `grid/bad-value`, `grid/value-too-large`, `grid/bad-ttl`, or
 * `grid/operation-not-supported`.
 */
export function toChange(
  operation: EntryOperation,
  definition: RegionDefinition,
  { maxKeyBytes, maxValueBytes }: GridLimits,
): Change {
  const { key } = operation;
  checkKey(key, maxKeyBytes);
  if (operation.op === 'remove') return { kind: 'remove', key };
  const { op, ttlMs, value } = operation;
  if (op !== 'put' && definition.type === 'EMPTY') throw operationNotSupported(op, definition.name);
  checkTtl(ttlMs, definition);
  checkKeyConstraint(key, definition);
  checkValueLength(`key (${key})`, value, maxValueBytes);
  checkValue(value, op, definition);
  return { kind: 'put', key, value };
}
