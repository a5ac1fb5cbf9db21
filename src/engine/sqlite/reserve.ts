// Room kept for a start on a full disk. SQLite makes the log and its index anew after a clean
// stop, and cannot even be read where there is no block left for them. The reserve is given up
// while a store is opened or closed, and filled again after that: it may then be smaller by
// what the log and its index take, which comes back when they go.

import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import type { StoreFiles } from './store-files.ts';

/** The index takes 32 KiB, the row that the start writes a page or two. */
const RESERVE_BYTES = 256 * 1024;
const STEP_BYTES = 4096;

export function freeReserve({ reserve }: StoreFiles): void {
  try {
    rmSync(reserve, { force: true });
  } catch {
    // The store can do without it as long as the disk has room.
  }
}

/** Takes as much as there is; true when that is all of it. */
export function fillReserve({ reserve }: StoreFiles): boolean {
  try {
    const descriptor = openSync(reserve, 'w', 0o600);
    try {
      // Written, for a file that only has a size has no room. In steps, so that the last block is
      // taken too. No zeros: some file systems keep none.
      const step = Buffer.alloc(STEP_BYTES, 'room for a start on a full disk\n');
      for (let bytes = 0; bytes < RESERVE_BYTES; bytes += step.length) {
        if (writeSync(descriptor, step) < step.length) return false;
      }
      return true;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return false;
  }
}
