// The records of a unique index say which entry has which value. They live in a reserved region,
// and each is written in the same commit as its entry.
//
//   v<value>    {"key":"…"}                the value as text, the same for all equal values
//   h<digest>   {"key":"…","version":7}    a value whose text is no key; a record made later
//   ready                                  every entry has its record
//
// A record is valid only while its entry has the version of the record, or the one in the record.
// So an overwrite, a removal, a clear or an expiry frees the value without touching the record.

import type { StoredEntry } from '../../engine/engine.ts';
import { hashKey } from '../../value/compare.ts';
import type { Value } from '../../value/value.ts';

const PREFIX = '_unique/';
/** Its first letter is not that of any record. */
export const READY_KEY = 'ready';
/** Stores limit the length of keys, because they index them. */
const LONGEST_TEXT = 400;

export interface UniqueRecord {
  /** The key of the entry. */
  readonly key: string;
  /** The version of the entry when the record was written. */
  readonly version: number;
  /** The version of the record itself. */
  readonly recordVersion: number;
}

export function isRecordsRegion(region: string): boolean {
  return region.startsWith(PREFIX);
}

/** `id` belongs to one index and is never reused. */
export function recordsRegion(id: string): string {
  return `${PREFIX}${id}`;
}

/** Synchronous for nearly all values. */
export function recordKey(values: readonly Value[]): string | Promise<string> {
  const text = values.map(hashKey).join();
  const isKey = text.length <= LONGEST_TEXT && text.isWellFormed() && !text.includes('\0');
  return isKey ? `v${text}` : digestKey(text);
}

/** A digest of the code units, so that texts that are not well-formed stay distinct. */
async function digestKey(text: string): Promise<string> {
  const bytes = new Uint8Array(text.length * 2);
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    bytes[2 * at] = unit >> 8;
    bytes[2 * at + 1] = unit & 0xff;
  }
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'));
  return `h${hex.join('')}`;
}

/** A record that is written with its entry, or later for an entry of this version. */
export function printRecord(key: string, version?: number): string {
  return JSON.stringify({ key, version });
}

export function parseRecord({ value, version: recordVersion }: StoredEntry): UniqueRecord {
  // Written by `printRecord` alone.
  const { key, version = recordVersion } = JSON.parse(value) as { key: string; version?: number };
  return { key, version, recordVersion };
}
