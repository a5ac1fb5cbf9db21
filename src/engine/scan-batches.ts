// The forms of a scan, and the sizes of its batches.

import type { EntryBytes } from '../value/entry-bytes.ts';

/** The contents of a batch, by form. */
export interface ScanBatches {
  readonly entries: EntryBytes;
  /** UTF-8, joined by commas as the elements of a JSON array are. The caller owns them. */
  readonly values: Uint8Array;
  readonly keys: readonly string[];
}

export type ScanForm = keyof ScanBatches;

/** A batch ends with the value that reaches this size. */
export const BATCH_BYTES: number = 128 * 1024;
/** Entries of a batch of small values. */
export const MAX_BATCH_ROWS = 2048;
/** Keys of a batch without values. */
export const KEYS_PER_BATCH = 4096;
