// Reading a region from one snapshot, as it is or as of an earlier moment.

import type { ReadSignal, Snapshot, StoredEntry } from '../engine/engine.ts';
import { regionGone } from '../engine/errors.ts';
import { type HistoryParts, type Moment, openSnapshotAt } from './history.ts';

/** Keys and values of a whole region from one snapshot; the caller closes it. */
export interface RegionScan {
  count(): number;
  keys(limit?: number): AsyncIterable<readonly string[]>;
  /** UTF-8, compact JSON joined by commas; the caller owns each batch. */
  values(limit?: number): AsyncIterable<Uint8Array>;
  close(): void;
}

/**
 * A snapshot that shows the region; the caller closes it. Throws `engine/region-gone` when the region
 * was destroyed since it was opened: it would look empty.
 */
export async function openSnapshotOf(
  parts: HistoryParts,
  region: string,
  at: Moment | undefined,
  signal?: ReadSignal,
): Promise<Snapshot> {
  if (at !== undefined) return openSnapshotAt(parts, [region], at, signal);
  const snapshot = await parts.engine.openSnapshot(signal);
  if (snapshot.count(region) !== undefined) return snapshot;
  snapshot.close();
  throw regionGone(region);
}

export async function openScan(
  parts: HistoryParts,
  region: string,
  at: Moment | undefined,
): Promise<RegionScan> {
  const snapshot = await openSnapshotOf(parts, region, at);
  return {
    count: () => snapshot.count(region) ?? 0,
    keys: (limit) => snapshot.scan(region, { limit }, 'keys'),
    values: (limit) => snapshot.scan(region, { limit }, 'values'),
    close: () => snapshot.close(),
  };
}

/** One element per key, in order; an absent key gives undefined. */
export async function readAt(
  parts: HistoryParts,
  region: string,
  keys: readonly string[],
  at: Moment,
): Promise<readonly (StoredEntry | undefined)[]> {
  const snapshot = await openSnapshotAt(parts, [region], at);
  try {
    return await snapshot.read(region, keys);
  } finally {
    snapshot.close();
  }
}
