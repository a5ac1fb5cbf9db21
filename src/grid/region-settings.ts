// The history and expiry settings of a region, as requests give them and descriptions show them:
//
//   history {age: "PT24H", count: 1000000}    entryTtl "PT1H"    maxTtl 86400

import type { HistoryBounds, RegionAlteration, RegionSettings } from '../engine/region-settings.ts';
import { parseDuration, printDuration } from '../value/duration.ts';
import { nearestName } from '../value/nearest-name.ts';
import { badRegion } from './errors.ts';

/** Unchecked: members as parsed from JSON or YAML. */
export interface SettingsRequest {
  readonly history?: unknown;
  readonly entryTtl?: unknown;
  readonly maxTtl?: unknown;
}

/** Durations in ISO 8601. */
export interface PrintedSettings {
  readonly history?: { readonly age?: string; readonly count?: number };
  readonly entryTtl?: string;
  readonly maxTtl?: string;
}

const MAX_COUNT = 1_000_000_000;
const HISTORY_MEMBERS = ['age', 'count'];

/** The settings of a new region; throws `grid/bad-region`. Null means absent. */
export function parseSettings(request: SettingsRequest): RegionSettings {
  const { entryTtlMs, history, maxTtlMs } = parseAlteration(request);
  return {
    ...(history == null ? {} : { history }),
    ...(entryTtlMs == null ? {} : { entryTtlMs }),
    ...(maxTtlMs == null ? {} : { maxTtlMs }),
  };
}

/** The alteration to make; throws `grid/bad-region`. Null removes a setting. */
export function parseAlteration(request: SettingsRequest): RegionAlteration {
  const entryTtlMs = parseDurationSetting('entry-ttl', request.entryTtl);
  const maxTtlMs = parseDurationSetting('max-ttl', request.maxTtl);
  const alteration = { history: parseHistory(request.history), entryTtlMs, maxTtlMs };
  checkTtls(alteration);
  return alteration;
}

/** Checks an alteration of a region with these settings; throws `grid/bad-region`. */
export function checkTtls(alteration: RegionAlteration, current: RegionSettings = {}): void {
  const { entryTtlMs = current.entryTtlMs, maxTtlMs = current.maxTtlMs } = alteration;
  if (typeof entryTtlMs !== 'number' || typeof maxTtlMs !== 'number') return;
  if (entryTtlMs > maxTtlMs) throw badRegion('entry-ttl must not be longer than max-ttl');
}

/** The settings of a region, in the form of a request. */
export function printSettings({ entryTtlMs, history, maxTtlMs }: RegionSettings): PrintedSettings {
  return {
    ...(history === undefined ? {} : { history: printHistory(history) }),
    ...(entryTtlMs === undefined ? {} : { entryTtl: printDuration(entryTtlMs) }),
    ...(maxTtlMs === undefined ? {} : { maxTtl: printDuration(maxTtlMs) }),
  };
}

function printHistory({ ageMs, count }: HistoryBounds): NonNullable<PrintedSettings['history']> {
  return {
    ...(ageMs === null ? {} : { age: printDuration(ageMs) }),
    ...(count === null ? {} : { count }),
  };
}

function parseHistory(plain: unknown): HistoryBounds | null | undefined {
  if (plain === undefined || plain === null) return plain;
  if (typeof plain !== 'object' || Array.isArray(plain)) {
    throw badRegion('history must be an object with age, count or both');
  }
  const members = new Map<string, unknown>(Object.entries(plain));
  for (const name of members.keys()) {
    if (HISTORY_MEMBERS.includes(name)) continue;
    const near = nearestName(name, HISTORY_MEMBERS);
    throw badRegion(
      `Unknown member (history.${name}); ${near === undefined ? 'known: age, count' : `did you mean ${near}?`}`,
    );
  }
  const ageMs = parseDurationSetting('history.age', members.get('age')) ?? null;
  const count = parseCount(members.get('count'));
  if (ageMs === null && count === null) throw badRegion('history needs age, count or both');
  return { ageMs, count };
}

function parseCount(plain: unknown): number | null {
  if (plain === undefined || plain === null) return null;
  if (typeof plain === 'number' && Number.isInteger(plain) && plain >= 1 && plain <= MAX_COUNT) {
    return plain;
  }
  throw badRegion(`history.count must be a whole number from 1 to ${MAX_COUNT}`);
}

function parseDurationSetting(name: string, plain: unknown): number | null | undefined {
  if (plain === undefined || plain === null) return plain;
  const isText = typeof plain === 'string' || typeof plain === 'number';
  const ms = isText ? parseDuration(String(plain)) : undefined;
  if (ms !== undefined) return ms;
  throw badRegion(
    `${name} must be seconds or an ISO 8601 duration such as PT24H, above 0 and up to 1,000 years`,
  );
}
