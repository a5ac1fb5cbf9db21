// Disk space reserved for a start on a full disk. After a clean stop SQLite creates the log and its
// index again, and cannot even read the store when there is no block left for them. The reserve is
// released while a store is opened or closed, and filled again afterwards. It is then smaller by the
// size of the log and its index, until they are removed.

import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import type { StoreFiles } from './store-files.ts';

/** The index needs 32 KiB, the row that a start writes needs one or two pages. */
const RESERVE_BYTES = 256 * 1024;
const STEP_BYTES = 4096;

export function freeReserve({ reserve }: StoreFiles): void {
  try {
    rmSync(reserve, { force: true });
  } catch {
    // The store does not need it while the disk has free space.
  }
}

/** Reserves as much as there is; true when that is the full reserve. */
export function fillReserve({ reserve }: StoreFiles): boolean {
  try {
    const descriptor = openSync(reserve, 'w', 0o600);
    try {
      // The bytes are written because a sparse file occupies no blocks. Small steps reach the last
      // free block too. They are not zeros, for some file systems do not store zeros.
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
