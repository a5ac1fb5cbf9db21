// Expiry times, stored as records in a reserved region. Each record is written in the same commit
// as its entry. It is valid only while it has the version of the entry, so an overwrite without a
// time to live, a removal or a clear need not touch it.
//
//   <region>/<key>    {"expires":1794819600000}    milliseconds since 1970
//   /lease            {"server":"…","until":…}     the server that sweeps, if there are several

import type {
  Change,
  CommitEnd,
  CommitOutcome,
  Engine,
  RegionDefinition,
  RegionWrite,
} from '../engine/engine.ts';
import { badTtl } from './errors.ts';
import { reservedRegion } from './region-rules.ts';

export const EXPIRY_REGION = '_expiry';

/** No region has an empty name. */
export const LEASE_KEY = '/lease';

export interface ExpiringKey {
  readonly region: string;
  readonly key: string;
}

export function expiryKey({ key, region }: ExpiringKey): string {
  return `${region}/${key}`;
}

/** Undefined for the lease. */
export function parseExpiryKey(recordKey: string): ExpiringKey | undefined {
  const slash = recordKey.indexOf('/');
  if (slash <= 0) return undefined;
  return { region: recordKey.slice(0, slash), key: recordKey.slice(slash + 1) };
}

export function parseExpiry(value: string): number {
  return Number(value.slice('{"expires":'.length, -1));
}

/** A written entry and its time to live; undefined: the default of its region. */
export interface EntryTtl {
  readonly key: string;
  readonly ttlMs?: number | undefined;
}

/** A written entry. */
export interface NewEntry extends EntryTtl {
  readonly value: string;
}

/** Throws `grid/bad-ttl` for a time beyond the region's maximum. */
export function checkTtl(ttlMs: number | undefined, { maxTtlMs, name }: RegionDefinition): void {
  if (ttlMs === undefined || maxTtlMs === undefined || ttlMs <= maxTtlMs) return;
  throw badTtl(name, maxTtlMs);
}

/**
 * The records to write with entries that expire; undefined when none expires. Throws `grid/bad-ttl`
 * for a time beyond the region's maximum.
 */
export function toExpiryWrite(
  definition: RegionDefinition,
  entries: readonly EntryTtl[],
  nowMs: number,
): RegionWrite | undefined {
  const { entryTtlMs, maxTtlMs, name, type } = definition;
  const changes: Change[] = [];
  for (const { key, ttlMs } of entries) {
    checkTtl(ttlMs, definition);
    const livesMs = ttlMs ?? (entryTtlMs && Math.min(entryTtlMs, maxTtlMs ?? entryTtlMs));
    // A region of type EMPTY stores no entries.
    if (livesMs === undefined || type === 'EMPTY') continue;
    const value = `{"expires":${nowMs + livesMs}}`;
    changes.push({ kind: 'put', key: expiryKey({ region: name, key }), value });
  }
  return changes.length === 0 ? undefined : { region: EXPIRY_REGION, changes };
}

/** Commits; creates the region of records if it is missing, then commits again. */
export async function commitWithExpiry(
  engine: Engine,
  writes: readonly RegionWrite[],
  end?: CommitEnd,
): Promise<CommitOutcome> {
  const outcome = await engine.commit(writes, end);
  if (outcome.kind !== 'region-missing' || outcome.region !== EXPIRY_REGION) return outcome;
  await engine.createRegion(reservedRegion(EXPIRY_REGION));
  return engine.commit(writes, end);
}
