// The expiry time of an exported entry as JSON text: a string with an RFC 3339 time.

import { kindOfJson } from '../../value/json-text.ts';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

export function printExpires(ms: number): string {
  return JSON.stringify(new Date(ms).toISOString());
}

/** Milliseconds since 1970; undefined when the text, which is checked JSON, is not a time. */
export function parseExpires(text: string): number | undefined {
  if (kindOfJson(text) !== 'string') return undefined;
  const time = JSON.parse(text) as string; // a checked string literal
  const ms = RFC_3339.test(time) ? Date.parse(time) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
