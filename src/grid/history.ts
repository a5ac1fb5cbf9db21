// Reading regions as of an earlier commit.

import type { Engine, ReadSignal, Snapshot } from '../engine/engine.ts';
import { HistorySnapshot } from '../engine/history-snapshot.ts';
import { type EntryVersion, RegionHistory } from '../engine/region-history.ts';
import { historyGone, momentAhead, noHistory, regionNotFound, versionNotFound } from './errors.ts';

export type { EntryVersion } from '../engine/region-history.ts';

/** A commit, or the last one up to a time. */
export type Moment =
  | { readonly kind: 'sequence'; readonly sequence: number }
  | { readonly kind: 'time'; readonly timeMs: number };

export interface HistoryParts {
  readonly engine: Engine;
  /** Milliseconds since 1970; decides which versions are too old. */
  readonly wallClock: () => number;
}

/**
 * The regions as of one moment; the caller closes the snapshot. Throws `grid/no-history` when a
 * region has none, `grid/history-gone` when the moment was trimmed, `grid/moment-ahead` when it is
 * in the future.
 */
export async function openSnapshotAt(
  parts: HistoryParts,
  regions: readonly string[],
  moment: Moment,
  signal?: ReadSignal,
): Promise<Snapshot> {
  const snapshot = await parts.engine.openSnapshot(signal);
  try {
    const histories = new Map<string, RegionHistory>();
    for (const region of regions) histories.set(region, await openHistory(snapshot, region));
    const sequence = await findSequence(parts, snapshot, histories, moment);
    for (const [region, history] of histories) {
      await requireKept(parts, snapshot, { region, history, sequence });
    }
    return await HistorySnapshot.open(snapshot, sequence, histories);
  } catch (error) {
    snapshot.close();
    throw error;
  }
}

/** A page of the versions of an entry: those below one, latest first. */
export interface VersionsWanted {
  readonly key: string;
  readonly below: number;
  readonly limit: number;
}

interface VersionsPage {
  readonly versions: readonly EntryVersion[];
  readonly isLast: boolean;
}

/** One page of the versions of an entry, latest first, and whether there are more. */
export async function listVersions(
  parts: HistoryParts,
  region: string,
  wanted: VersionsWanted,
): Promise<VersionsPage> {
  const { below, key, limit } = wanted;
  const snapshot = await parts.engine.openSnapshot();
  try {
    const history = await openHistory(snapshot, region);
    const ageMs = await findAge(parts.engine, region);
    const found = await history.listVersions(key, { below, limit: limit + 1 });
    const [first] = found;
    if (ageMs === null || first === undefined) return toPage(found, limit);
    const replacedMs = await history.findReplacedMs(key, first.version);
    return toPage(keptSince(found, replacedMs, parts.wallClock() - ageMs), limit);
  } finally {
    snapshot.close();
  }
}

/** The value that an entry had with a version; throws `grid/version-not-found`. */
export async function requireValue(
  parts: HistoryParts,
  region: string,
  { key, version }: { readonly key: string; readonly version: number },
): Promise<string> {
  const { versions } = await listVersions(parts, region, { key, below: version + 1, limit: 1 });
  const [found] = versions;
  if (found?.version === version && found.value !== undefined) return found.value;
  throw versionNotFound(region, key, version);
}

/** A page of versions of which one more than `limit` was read. */
function toPage(versions: readonly EntryVersion[], limit: number): VersionsPage {
  return { versions: versions.slice(0, limit), isLast: versions.length <= limit };
}

/**
 * The versions that were replaced after `sinceMs`. Each is replaced by the version before it in the
 * list, the first one at `replacedMs`.
 */
function keptSince(
  versions: readonly EntryVersion[],
  replacedMs: number | undefined,
  sinceMs: number,
): readonly EntryVersion[] {
  const end = versions.findIndex((_, i) => {
    const laterMs = i === 0 ? replacedMs : versions[i - 1]?.timeMs;
    return laterMs !== undefined && laterMs <= sinceMs;
  });
  return end < 0 ? versions : versions.slice(0, end);
}

async function openHistory(snapshot: Snapshot, region: string): Promise<RegionHistory> {
  const history = await RegionHistory.open(snapshot, region);
  if (history !== undefined) return history;
  throw snapshot.count(region) === undefined ? regionNotFound(region, []) : noHistory(region);
}

async function findSequence(
  { wallClock }: HistoryParts,
  snapshot: Snapshot,
  histories: ReadonlyMap<string, RegionHistory>,
  moment: Moment,
): Promise<number> {
  const latest = snapshot.sequence;
  if (moment.kind === 'sequence') {
    if (moment.sequence > latest) throw momentAhead(latest);
    return moment.sequence;
  }
  if (moment.timeMs > wallClock()) throw momentAhead(latest);
  let sequence = latest;
  for (const [region, history] of histories) {
    // The time of older states is unknown.
    if (moment.timeMs < history.oldestTimeMs) throw historyGone(region, history.oldest, latest);
    sequence = Math.min(sequence, await history.findCommitAt(moment.timeMs));
  }
  return sequence;
}

async function requireKept(
  { engine, wallClock }: HistoryParts,
  snapshot: Snapshot,
  wanted: { readonly region: string; readonly history: RegionHistory; readonly sequence: number },
): Promise<void> {
  const { history, region, sequence } = wanted;
  const latest = snapshot.sequence;
  if (sequence < history.oldest) throw historyGone(region, history.oldest, latest);
  const ageMs = await findAge(engine, region);
  if (ageMs === null) return;
  // Too old, but not trimmed yet: trimming waits for the next commit.
  const sinceMs = wallClock() - ageMs;
  const next = await history.firstChangeAfter(sequence);
  if (next === undefined || next.time > sinceMs) return;
  throw historyGone(region, await history.findCommitAt(sinceMs), latest);
}

async function findAge(engine: Engine, region: string): Promise<number | null> {
  const regions = await engine.describeRegions();
  return regions.find(({ name }) => name === region)?.history?.ageMs ?? null;
}
