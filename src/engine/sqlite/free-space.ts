// Free space on the disk of a directory, and whether a quota is used up.

import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

/** A fast disk can write some megabytes at most in this time. */
const LOOK_EVERY_MS = 10;
const PROBE_BYTES = 64 * 1024;

/** Every commit needs the figure, so it is cached briefly. */
export class FreeSpace {
  readonly #directory: string;
  #bytes = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(directory: string) {
    this.#directory = directory;
  }

  bytes(): number {
    const nowMs = performance.now();
    if (nowMs - this.#lookedAtMs >= LOOK_EVERY_MS) {
      this.#lookedAtMs = nowMs;
      this.#bytes = freeBytes(this.#directory);
    }
    return this.#bytes;
  }
}

/** Unlimited when unknown: a directory that is gone is detected elsewhere. */
function freeBytes(directory: string): number {
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
