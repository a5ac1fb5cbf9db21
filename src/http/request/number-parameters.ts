// Query parameters that are numbers of a range. The OpenAPI document describes the same ranges.

import { badParameter } from '../errors.ts';
import type { QueryString } from './query-string.ts';

export interface NumberRange {
  /** The value of an absent parameter. */
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

/** Seconds between the heartbeats of a stream. */
export const HEARTBEAT: NumberRange = { fallback: 15, min: 0.1, max: 300 };
/** Seconds that a long poll waits for a change. */
export const WAIT: NumberRange = { fallback: 0, min: 0, max: 60 };
/** Changes in one answer. */
export const CHANGES: NumberRange = { fallback: 1_000, min: 1, max: 100_000 };
/** Versions of an entry in one answer. */
export const VERSIONS: NumberRange = { fallback: 50, min: 1, max: 1_000 };
/** Documents that a schema is inferred from. */
export const SAMPLE: NumberRange = { fallback: 1_000, min: 1, max: 10_000 };

export function parseWhole(query: QueryString, name: string, range: NumberRange): number {
  return parseNumber(query, name, range, { pattern: /^\d{1,9}$/, called: 'a whole number' });
}

export function parseSeconds(query: QueryString, name: string, range: NumberRange): number {
  const form = { pattern: /^\d{1,6}(\.\d{1,6})?$/, called: 'a number of seconds' };
  return parseNumber(query, name, range, form);
}

function parseNumber(
  query: QueryString,
  name: string,
  { fallback, max, min }: NumberRange,
  { pattern, called }: { readonly pattern: RegExp; readonly called: string },
): number {
  const text = query.text(name);
  if (text === undefined) return fallback;
  const number = pattern.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw badParameter(`${name} (${text}) must be ${called} from ${min} to ${max}`);
}
