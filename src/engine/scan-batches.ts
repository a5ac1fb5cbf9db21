// The forms of a scan.

import type { EntryBytes } from '../value/entry-bytes.ts';

/** The contents of a batch, by form. */
export interface ScanBatches {
  readonly entries: EntryBytes;
  /** UTF-8, joined by commas as the elements of a JSON array are. The caller owns them. */
  readonly values: Uint8Array;
  readonly keys: readonly string[];
}

export type ScanForm = keyof ScanBatches;
