// Free space on the disk of a directory, and whether a quota is used up.

import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

const PROBE_BYTES = 64 * 1024;

/** Unlimited when unknown: a directory that is gone is detected elsewhere. */
export function freeBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Number.MAX_SAFE_INTEGER;
  }
}

/** Whether the user's quota is used up. The system does not report it, so a small file is written. */
export function isQuotaUsedUp(directory: string): boolean {
  const file = join(directory, 'gridkeep.probe');
  try {
    const descriptor = openSync(file, 'w', 0o600);
    try {
      writeSync(descriptor, Buffer.alloc(PROBE_BYTES));
    } finally {
      closeSync(descriptor);
    }
    return false;
  } catch (error) {
    return isQuotaError(error);
  } finally {
    rmSync(file, { force: true });
  }
}

/** Node has only a number for this error, no name. */
export function isQuotaError(error: unknown): boolean {
  return error instanceof Error && 'errno' in error && error.errno === -constants.errno.EDQUOT;
}
