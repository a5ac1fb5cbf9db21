// One region of the memory engine at one moment. States are immutable: a write makes a new one.

import type { Change, CommittedChange, RegionDefinition } from '../engine.ts';
import type { IndexDefinition } from '../index-definition.ts';
import type { SortedEntries } from './sorted-entries.ts';

/** `id` tells a recreated region from the one before it. */
export interface RegionState {
  readonly id: number;
  readonly definition: RegionDefinition;
  readonly indexes: readonly IndexDefinition[];
  readonly entries: SortedEntries;
}

export interface AppliedChanges {
  readonly state: RegionState;
  readonly entries: SortedEntries;
  /** Without changes that changed nothing. */
  readonly committed: readonly CommittedChange[];
}

export function applyChanges(
  state: RegionState,
  changes: readonly Change[],
  version: number,
): AppliedChanges {
  const { name: region, type } = state.definition;
  const keepsNothing = type === 'EMPTY';
  const committed: CommittedChange[] = [];
  let { entries } = state;
  for (const change of changes) {
    const before = entries;
    if (!keepsNothing) entries = applyChange(entries, change, version);
    if (keepsNothing || entries !== before) committed.push({ ...change, region });
  }
  return { state, entries, committed };
}

function applyChange(entries: SortedEntries, change: Change, version: number): SortedEntries {
  return change.kind === 'put'
    ? entries.put(change.key, { value: change.value, version })
    : entries.remove(change.key);
}
