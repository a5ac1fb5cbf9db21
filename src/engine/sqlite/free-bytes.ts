// The room left on the disk of a directory.

import { statfsSync } from 'node:fs';

/** Unknown counts as plenty: a directory that is gone is noticed elsewhere. */
export function freeBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Number.MAX_SAFE_INTEGER;
  }
}
