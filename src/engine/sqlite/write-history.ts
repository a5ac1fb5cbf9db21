// Writes the history of a region inside the transaction of a batch, as records in a second region.
// `history-records.ts` describes them.

import type { Change } from '../engine.ts';
import { historyRegion } from '../history-records.ts';
import { type CommitStamp, type HistoryChange, recordHistory } from '../record-history.ts';
import type { RegionWriter } from './region-writer.ts';
import type { RegionRow } from './schema.ts';

/** Records that were written; the counters of their region must still be accepted. */
export interface WrittenRecords {
  readonly region: RegionWriter;
  readonly row: RegionRow;
}

/** What recording history needs from the batch. */
export interface HistoryContext {
  readonly stamp: () => CommitStamp;
  readonly find: (name: string) => RegionWriter | undefined;
}

/** Entries as they are before changes that are about to be made. */
export type EntriesBefore = readonly HistoryChange[] | undefined;

/** Undefined for a region without history. */
export function readBefore(region: RegionWriter, changes: readonly Change[]): EntriesBefore {
  if (region.row.definition.history === undefined) return undefined;
  return changes.map(({ key, kind }) => ({ operation: kind, key, before: region.find(key) }));
}

/** Records the previous entries of the changes. Call it before the region's counters are set. */
export function writeHistory(
  context: HistoryContext,
  region: RegionWriter,
  before: EntriesBefore,
  unchanged: readonly number[],
): WrittenRecords | undefined {
  if (before === undefined || unchanged.length === before.length) return undefined;
  const omitted = new Set(unchanged);
  const changes = omitted.size === 0 ? before : before.filter((_, i) => !omitted.has(i));
  return record(context, region, { count: changes.length, changes });
}

/** Records all entries of a region that is about to be cleared. */
export function writeClearHistory(
  context: HistoryContext,
  region: RegionWriter,
): WrittenRecords | undefined {
  return record(context, region, {
    count: region.row.entryCount,
    changes: clearedEntries(region),
  });
}

function* clearedEntries(region: RegionWriter): Generator<HistoryChange> {
  for (const [key, before] of region.entries()) yield { operation: 'clear', key, before };
}

function record(
  { find, stamp }: HistoryContext,
  region: RegionWriter,
  recorded: { readonly count: number; readonly changes: Iterable<HistoryChange> },
): WrittenRecords | undefined {
  const { definition, entryCount } = region.row;
  const records = find(historyRegion(definition.name));
  if (definition.history === undefined || records === undefined) return undefined;
  const commit = { ...stamp(), entries: entryCount, ...recorded };
  const row = records.applyRecords(recordHistory(records, commit, definition.history));
  return { region: records, row };
}
