// Writes entries inside the transaction of a batch: to one region, or to several as one commit.

import type { Change, CommitOutcome, RegionWrite } from '../engine.ts';
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
  const found = findRegions(writes, context.find);
  if (found.kind === 'region-missing') return done(found);
  for (const [i, write] of writes.entries()) checkUnique(write, found.regions[i]?.row.indexes);
  const refusals = findRefusals(writes, (write, key) => found.regions[write]?.find(key));
  if (refusals.length > 0) return done({ kind: 'refused', refusals });

  const applied = found.regions.map((region, i) => {
    const changes = writes[i]?.changes ?? [];
    const before = readBefore(region, changes);
    return { region, changes, before, ...apply(region, changes, context) };
  });
  const reads = found.regions.map((region, i) =>
    (writes[i]?.reads ?? []).map((key) => region.find(key)),
  );
  checkRead(reads.flat());
  const { logged, unchanged } = describeChanges(applied);
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

type FoundRegions =
  | { readonly kind: 'found'; readonly regions: readonly RegionWriter[] }
  | Extract<CommitOutcome, { kind: 'region-missing' }>;

/** The region of each write. */
function findRegions(
  writes: readonly RegionWrite[],
  find: (name: string) => RegionWriter | undefined,
): FoundRegions {
  const regions: RegionWriter[] = [];
  for (const { region } of writes) {
    const found = find(region);
    if (found === undefined) return { kind: 'region-missing', region };
    regions.push(found);
  }
  return { kind: 'found', regions };
}

interface AppliedWrite {
  readonly region: RegionWriter;
  readonly changes: readonly Change[];
  /** Positions of the changes without an effect. */
  readonly unchanged: readonly number[];
}

/** The changes of all writes that the log records, and the positions of those without an effect. */
function describeChanges(applied: readonly AppliedWrite[]): {
  readonly logged: readonly LoggedChange[];
  readonly unchanged: readonly number[];
} {
  const logged: LoggedChange[] = [];
  const unchanged: number[] = [];
  let before = 0;
  for (const { changes, region, unchanged: own } of applied) {
    for (const each of toLogged(region.row.definition.name, changes, own)) {
      logged.push(each);
    }
    for (const position of own) unchanged.push(before + position);
    before += changes.length;
  }
  return { logged, unchanged };
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
