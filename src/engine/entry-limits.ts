// The limits of one entry, the same for every engine. The layers above the port have stricter ones;
// these keep an engine from storing an entry that it could not read back.

import { isLongerThan, utf8Length } from '../value/utf8-length.ts';
import type { Change, RegionWrite, StoredEntry } from './engine.ts';
import { badEntryKey, readTooLarge, valueTooLarge } from './errors.ts';

/** The length beside each entry of a SQLite store has 24 bits (sqlite/seal.ts). */
export const MAX_VALUE_BYTES: number = 2 ** 24 - 1;

/** Bytes of values in one read by keys; a JavaScript string cannot be twice as long. */
export const MAX_READ_BYTES: number = 2 ** 28;

/** Throws `engine/read-too-large`. */
export function checkRead(entries: readonly (StoredEntry | undefined)[]): void {
  let length = 0;
  for (const entry of entries) length += entry?.value.length ?? 0;
  if (length > MAX_READ_BYTES) throw readTooLarge(entries.length, MAX_READ_BYTES);
}

/** Throws `engine/value-too-large` or `engine/bad-key`; called before anything is written. */
export function checkChanges(changes: readonly Change[]): void {
  for (const change of changes) {
    // Scans begin after the empty key, and batches of keys are separated by NUL.
    if (change.key === '' || change.key.includes('\0')) throw badEntryKey();
    if (change.kind === 'put') checkValueLength(change.key, change.value);
  }
}

/** `checkChanges` for all writes of a commit. */
export function checkWrites(writes: readonly RegionWrite[]): void {
  for (const { changes } of writes) checkChanges(changes);
}

function checkValueLength(key: string, value: string): void {
  if (!isLongerThan(value, MAX_VALUE_BYTES)) return;
  throw valueTooLarge(key, utf8Length(value), MAX_VALUE_BYTES);
}
