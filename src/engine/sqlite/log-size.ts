// How long the write-ahead log becomes. A page that is written several times is copied into the data
// file only once for each checkpoint, so a longer log saves copies. But a start after a crash reads all
// of it, and it takes space beside the data.

import { statSync } from 'node:fs';

const MIN_CHECKPOINT_BYTES = 64 * 1024 * 1024;
const MAX_CHECKPOINT_BYTES = 256 * 1024 * 1024;

/** The log is checkpointed when it has grown by this much: half of the data file, within bounds. */
export function checkpointBytes(dataFile: string): number {
  const dataBytes = statSync(dataFile, { throwIfNoEntry: false })?.size ?? 0;
  return Math.max(MIN_CHECKPOINT_BYTES, Math.min(dataBytes / 2, MAX_CHECKPOINT_BYTES));
}

/** The log grows while it is copied. On a slow disk it may grow faster than it is copied. */
export function longestLogBytes(copiedAt: number): number {
  return Math.floor(copiedAt * 1.5);
}

/**
 * The size to which SQLite truncates a log that it restarts (`journal_size_limit`). Overwriting it
 * is faster than extending it again.
 */
export function keptLogBytes(dataFile: string): number {
  return longestLogBytes(checkpointBytes(dataFile));
}
