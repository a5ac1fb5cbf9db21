// Writes the history of regions in memory, as records in a second region per region.
// `history-records.ts` describes them.

import type { CommittedChange } from '../engine.ts';
import { historyDefinition, historyRegion } from '../history-records.ts';
import {
  beginHistory,
  type CommitStamp,
  type HistoryChange,
  type RecordedHistory,
  type RecordReader,
  recordHistory,
  trimHistory,
} from '../record-history.ts';
import type { RegionState } from './region-state.ts';
import { SortedEntries } from './sorted-entries.ts';

/** Begins, ends or trims the history of a region that was created or altered. */
export function updateHistory(
  regions: Map<string, RegionState>,
  { definition: { history, name } }: RegionState,
  stamp: CommitStamp,
): void {
  const records = regions.get(historyRegion(name));
  if (history === undefined) regions.delete(historyRegion(name));
  else if (records === undefined) {
    const definition = historyDefinition(name);
    const empty = { id: stamp.sequence, definition, indexes: [], entries: SortedEntries.empty };
    regions.set(definition.name, write(empty, beginHistory(stamp)));
  } else {
    const trimmed = trimHistory(readerOf(records), stamp, history);
    regions.set(historyRegion(name), write(records, trimmed));
  }
}

/** Records the previous entries of a commit's changes; `before` is the region without them. */
export function writeHistory(
  regions: Map<string, RegionState>,
  before: RegionState,
  changes: readonly CommittedChange[],
  stamp: CommitStamp,
): void {
  const { history, name } = before.definition;
  const records = regions.get(historyRegion(name));
  if (history === undefined || records === undefined) return;
  const recorded = toHistoryChanges(before, changes);
  const commit = {
    ...stamp,
    entries: before.entries.count,
    count: recorded.length,
    changes: recorded,
  };
  regions.set(
    historyRegion(name),
    write(records, recordHistory(readerOf(records), commit, history)),
  );
}

function toHistoryChanges(
  { entries }: RegionState,
  changes: readonly CommittedChange[],
): HistoryChange[] {
  return changes.flatMap((change): HistoryChange[] => {
    if (change.kind === 'clear') {
      return [...entries.iterate({})].map(([key, before]) => ({ operation: 'clear', key, before }));
    }
    return 'key' in change
      ? [{ operation: change.kind, key: change.key, before: entries.find(change.key) }]
      : [];
  });
}

function readerOf({ entries }: RegionState): RecordReader {
  return {
    find: (key) => entries.find(key),
    next: (after) => {
      for (const [key, { value }] of entries.iterate({ after, limit: 1 })) return [key, value];
      return undefined;
    },
  };
}

function write(records: RegionState, { changes, isReset }: RecordedHistory): RegionState {
  let entries = isReset ? SortedEntries.empty : records.entries;
  for (const change of changes) {
    const { key } = change;
    entries =
      change.kind === 'put'
        ? entries.put(key, { value: change.value, version: change.version })
        : entries.remove(key);
  }
  return { ...records, entries };
}
