// Reads the expiry times of entries, for exports. A record is valid only while it has the version
// of its entry.

import type { Snapshot } from '../engine/engine.ts';
import { EXPIRY_REGION, expiryKey, parseExpiry, parseExpiryKey } from '../grid/index.ts';

/** An entry as exported. */
export interface ExpiringEntry {
  readonly key: string;
  /** Compact JSON text. */
  readonly value: string;
  /** When it expires, in milliseconds since 1970. */
  readonly expires?: number;
}

interface VersionedEntry {
  readonly key: string;
  readonly value: string;
  readonly version: number;
}

/** Regions that have records. */
export function listExpiring(records: Iterable<VersionedEntry>): ReadonlySet<string> {
  const regions = new Set<string>();
  for (const { key } of records) {
    const expiring = parseExpiryKey(key);
    if (expiring !== undefined) regions.add(expiring.region);
  }
  return regions;
}

/** All entries of a region, which come in key order, as do the records of all regions. */
export function* mergeExpiry(
  region: string,
  entries: Iterable<VersionedEntry>,
  records: Iterable<VersionedEntry>,
): Generator<ExpiringEntry> {
  using ordered = recordsOf(region, records);
  let record = ordered.next().value;
  for (const { key, value, version } of entries) {
    while (record !== undefined && record.key < key) record = ordered.next().value;
    const isValid = record?.key === key && record.version === version;
    yield isValid && record !== undefined
      ? { key, value, expires: parseExpiry(record.value) }
      : { key, value };
  }
}

/**
 * The records of a region by entry key, in the same order: record keys have the name of the region
 * as a prefix.
 */
function* recordsOf(
  region: string,
  records: Iterable<VersionedEntry>,
): Generator<VersionedEntry, undefined> {
  for (const { key, ...record } of records) {
    const expiring = parseExpiryKey(key);
    if (expiring?.region === region) yield { ...record, key: expiring.key };
    else if (key > `${region}/`) return;
  }
}

/** `mergeExpiry` for some entries of a snapshot. */
export async function readExpiry(
  snapshot: Snapshot,
  region: string,
  entries: readonly (readonly [key: string, value: string])[],
): Promise<readonly ExpiringEntry[]> {
  const plain = entries.map(([key, value]) => ({ key, value }));
  if ((snapshot.count(EXPIRY_REGION) ?? 0) === 0) return plain;
  const keys = plain.map(({ key }) => key);
  const records = await snapshot.read(
    EXPIRY_REGION,
    keys.map((key) => expiryKey({ region, key })),
  );
  if (records.every((record) => record === undefined)) return plain;
  // A scan gives no versions.
  const stored = await snapshot.read(region, keys);
  return plain.map((entry, i) => {
    const record = records[i];
    const isValid = record !== undefined && record.version === stored[i]?.version;
    return isValid ? { ...entry, expires: parseExpiry(record.value) } : entry;
  });
}
