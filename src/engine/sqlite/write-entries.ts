// Writes entries inside the transaction of a batch: to one region, or to several as one commit.

import type { Change } from '../engine.ts';
import { checkRead } from '../entry-limits.ts';
import type { WriteRequest } from '../region-requests.ts';
import { checkUnique } from '../unique-indexes.ts';
import { findFailedGuard, findRefusals } from '../write-guards.ts';
import { change, type LoggedChange } from './change-rows.ts';
import type { AppliedChanges, RegionWriter } from './region-writer.ts';
import type { RegionRow } from './schema.ts';
import { done } from './store-reply.ts';
import type { CommitRequest, StoreReply } from './store-request.ts';
import { type HistoryContext, readBefore, writeHistory } from './write-history.ts';

/** The batch that a write is part of. */
export interface WriteContext extends HistoryContext {
  /** The latest commit. */
  readonly sequence: () => number;
  /** Throws `engine/region-gone`. */
  readonly require: (name: string, id: number) => RegionWriter;
  readonly midWrite: () => void;
  /** Writes the next commit into the change log and returns its sequence. */
  readonly record: (changes: readonly LoggedChange[]) => number;
  /** Sets the counters of a region, once nothing of the request can fail any more. */
  readonly accept: (region: RegionWriter, row: RegionRow, changes: readonly Change[]) => void;
  /** Rolls back the writes of the request. */
  readonly undo: () => void;
}

export function runWrite(request: WriteRequest, context: WriteContext): StoreReply {
  const { changes, guards, region: name, regionId } = request;
  const region = context.require(name, regionId);
  checkUnique(request, region.row.indexes);
  const failed = findFailedGuard(guards, changes, (key) => region.find(key));
  if (failed !== undefined) return done(failed);

  const before = readBefore(region, changes);
  const { unchanged, row } = apply(region, changes, context);
  if (unchanged.length === changes.length) {
    return done({ kind: 'committed', version: context.sequence() });
  }
  const records = writeHistory(context, region, before, unchanged);
  const sequence = context.record(toLogged(name, changes, unchanged));
  context.accept(region, row, changes);
  if (records !== undefined) context.accept(records.region, records.row, changes);
  const reply = done({ kind: 'committed', version: sequence }, sequence);
  return unchanged.length === 0 ? reply : { ...reply, unchanged };
}

export function runCommit({ end, writes }: CommitRequest, context: WriteContext): StoreReply {
  const missing = writes.find(({ region }) => context.find(region) === undefined);
  if (missing !== undefined) return done({ kind: 'region-missing', region: missing.region });
  const regions = writes.flatMap(({ region }) => context.find(region) ?? []);
  for (const [i, write] of writes.entries()) checkUnique(write, regions[i]?.row.indexes);
  const refusals = findRefusals(writes, (write, key) => regions[write]?.find(key));
  if (refusals.length > 0) return done({ kind: 'refused', refusals });

  const applied = regions.map((region, i) => {
    const changes = writes[i]?.changes ?? [];
    const before = readBefore(region, changes);
    return { region, changes, before, ...apply(region, changes, context) };
  });
  const reads = regions.map((region, i) => (writes[i]?.reads ?? []).map((key) => region.find(key)));
  checkRead(reads.flat());
  const logged = applied.flatMap(({ changes, region, unchanged: own }) =>
    toLogged(region.row.definition.name, changes, own),
  );
  if (logged.length === 0) return done({ kind: 'committed', version: context.sequence(), reads });
  if (end === 'roll-back') {
    context.undo();
    return done({ kind: 'committed', version: context.sequence() + 1, reads });
  }
  const histories = applied.map(({ before, changes, region, unchanged: own }) => ({
    changes,
    records: writeHistory(context, region, before, own),
  }));
  const sequence = context.record(logged);
  for (const { changes, region, row } of applied) context.accept(region, row, changes);
  for (const { changes, records } of histories) {
    if (records !== undefined) context.accept(records.region, records.row, changes);
  }
  let start = 0;
  const unchanged = applied.flatMap(({ changes, unchanged: own }) => {
    const positions = own.map((position) => start + position);
    start += changes.length;
    return positions;
  });
  const reply = done({ kind: 'committed', version: sequence, reads }, sequence);
  return unchanged.length === 0 ? reply : { ...reply, unchanged };
}

function apply(
  region: RegionWriter,
  changes: readonly Change[],
  { midWrite, sequence }: WriteContext,
): AppliedChanges {
  // A region of type EMPTY reports changes but stores nothing.
  if (region.row.definition.type === 'EMPTY') return { unchanged: [], row: region.row };
  return region.apply(changes, sequence() + 1, midWrite);
}

function toLogged(
  region: string,
  changes: readonly Change[],
  unchanged: readonly number[],
): readonly LoggedChange[] {
  const left = unchanged.length === 0 ? undefined : new Set(unchanged);
  const effective = left === undefined ? changes : changes.filter((_, i) => !left.has(i));
  return effective.map(({ kind, key }) => change(kind, region, key));
}
