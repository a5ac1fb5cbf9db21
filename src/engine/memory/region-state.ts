// One region of the memory engine as of a commit. States are immutable: a write creates a new one.

import { toCommittedChange } from '../committed-change.ts';
import type { Change, CommittedChange, RegionDefinition } from '../engine.ts';
import type { IndexDefinition } from '../index-definition.ts';
import type { SortedEntries } from './sorted-entries.ts';

/** `id` distinguishes a recreated region from its predecessor. */
export interface RegionState {
  readonly id: number;
  readonly definition: RegionDefinition;
  readonly indexes: readonly IndexDefinition[];
  readonly entries: SortedEntries;
}

export interface AppliedChanges {
  readonly state: RegionState;
  readonly entries: SortedEntries;
  /** The changes without those that had no effect. */
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
    if (keepsNothing || entries !== before) committed.push(toCommittedChange(region, change));
  }
  return { state, entries, committed };
}

function applyChange(entries: SortedEntries, change: Change, version: number): SortedEntries {
  switch (change.kind) {
    case 'put':
      return entries.put(change.key, { value: change.value, version });
    case 'remove':
      return entries.remove(change.key);
    case 'expire': {
      const isDue = entries.find(change.key)?.version === change.version;
      return isDue ? entries.remove(change.key) : entries;
    }
  }
}
