// The expiry time of an exported entry as JSON text: a string with an RFC 3339 time.

import { parseRfc3339 } from '../../value/iso-date.ts';
import { kindOfJson } from '../../value/json-text.ts';

export function printExpires(ms: number): string {
  return JSON.stringify(new Date(ms).toISOString());
}

/** Milliseconds since 1970; undefined when the text, which is checked JSON, is not a time. */
export function parseExpires(text: string): number | undefined {
  if (kindOfJson(text) !== 'string') return undefined;
  return parseRfc3339(JSON.parse(text) as string); // a checked string literal
}
