// The records of a unique index say which entry has which value. They live in a reserved region,
// and each is written in the same commit as its entry.
//
//   v<value>    {"key":"…"}                the value as text, the same for all that are equal
//   h<digest>   {"key":"…","version":7}    a value whose text is no key; a record made later
//   ready                                  every entry has its record
//
// A record counts only while its entry has the version of the record, or the one that the record
// states. So an overwrite, a removal, a clear or an expiry need not touch it to set the value free.

import type { RegionDefinition, StoredEntry, WriteGuard } from '../../engine/engine.ts';
import { hashKey } from '../../value/compare.ts';
import type { Value } from '../../value/value.ts';

const PREFIX = '_unique/';
/** Begins with a letter that no value has. */
export const READY_KEY = 'ready';
/** Stores index keys, and limit what of them they do. */
const LONGEST_TEXT = 400;

export interface UniqueRecord {
  /** Of the entry. */
  readonly key: string;
  /** That the entry had when the record was made. */
  readonly version: number;
  /** Of the record itself. */
  readonly recordVersion: number;
}

export function isRecordsRegion(region: string): boolean {
  return region.startsWith(PREFIX);
}

/** `id` is of one index alone, for ever. */
export function recordsRegion(id: string): string {
  return `${PREFIX}${id}`;
}

export function recordsDefinition(name: string): RegionDefinition {
  return { name, type: 'REPLICATE', keyConstraint: null, valueConstraint: null };
}

/** At once for nearly all values. */
export function recordKey(values: readonly Value[]): string | Promise<string> {
  const text = values.map(hashKey).join();
  const isKey = text.length <= LONGEST_TEXT && text.isWellFormed() && !text.includes('\0');
  return isKey ? `v${text}` : digestKey(text);
}

/** Of the code units, so that texts that are not well-formed stay apart. */
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

/** A record that is written with its entry, or beside one of this version. */
export function printRecord(key: string, version?: number): string {
  return JSON.stringify({ key, version });
}

export function parseRecord({ value, version: recordVersion }: StoredEntry): UniqueRecord {
  // Written by `printRecord` alone.
  const { key, version = recordVersion } = JSON.parse(value) as { key: string; version?: number };
  return { key, version, recordVersion };
}

/** The record is still as it was read. */
export function recordGuard(key: string, found: UniqueRecord | undefined): WriteGuard {
  return found === undefined
    ? { kind: 'absent', key }
    : { kind: 'version-is', key, versions: [found.recordVersion] };
}
