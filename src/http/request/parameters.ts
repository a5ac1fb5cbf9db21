// Query parameters with special rules, each parsed into a type.

import type { Moment } from '../../grid/index.ts';
import { parseDuration } from '../../value/duration.ts';
import { parseRfc3339 } from '../../value/iso-date.ts';
import { badFlag, badLimit, badOperation, badParameter } from '../errors.ts';
import { parseSequence } from './commit-number.ts';
import { decodePart } from './decode-part.ts';
import type { QueryString } from './query-string.ts';

/** Spec 4.2. */
export const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 2 ** 31 - 1;
const OPERATIONS = ['PUT', 'REPLACE', 'CREATE', 'CAS'] as const;

/** A value of `op`. */
export type WriteOperation = (typeof OPERATIONS)[number];

/** Spec 4.2: an integer or ALL, 50 when absent or empty. */
export function parseLimit(query: QueryString): number | 'ALL' {
  const value = query.text('limit');
  if (value === undefined || value === '') return DEFAULT_LIMIT;
  if (value.toUpperCase() === 'ALL') return 'ALL';
  const limit = /^\+?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(limit <= MAX_LIMIT)) throw badLimit(value);
  return limit;
}

/** A boolean in any letter case; the empty value is invalid (spec 4.5). */
export function parseFlag(query: QueryString, name: string): boolean {
  const value = query.text(name);
  if (value === undefined) return false;
  const word = value.toLowerCase();
  if (word !== 'true' && word !== 'false') throw badFlag(name, value);
  return word === 'true';
}

/** `pretty` is typed by people, so 1 and 0 are accepted. */
export function parsePretty(query: QueryString): boolean {
  const value = query.text('pretty');
  if (value === '1' || value === '0') return value === '1';
  return parseFlag(query, 'pretty');
}

export function parseOperation(query: QueryString): WriteOperation {
  const value = query.text('op');
  if (value === undefined) return 'PUT';
  const operation = OPERATIONS.find((word) => word === value.toUpperCase());
  if (operation === undefined) throw badOperation(value, OPERATIONS);
  return operation;
}

/** The requested moment: a commit by its number, or the last one up to a time. */
export function parseMoment(query: QueryString): Moment | undefined {
  const value = query.text('at');
  if (value === undefined) return undefined;
  const sequence = parseSequence(value);
  if (sequence !== undefined) return { kind: 'sequence', sequence };
  const timeMs = parseRfc3339(value);
  if (timeMs === undefined) {
    throw badParameter(`at (${value}) must be the number of a commit or an RFC 3339 time`);
  }
  return { kind: 'time', timeMs };
}

/** The time to live of the written entries; undefined: the region's default. */
export function parseTtl(query: QueryString): number | undefined {
  const value = query.text('ttl');
  if (value === undefined) return undefined;
  const ms = parseDuration(value);
  if (ms !== undefined) return ms;
  throw badParameter(
    `ttl (${value}) must be seconds or an ISO 8601 duration such as PT24H, above 0`,
  );
}

/** Milliseconds a query may take, or undefined; it can only lower the server's limit. */
export function parseTimeout(query: QueryString): number | undefined {
  const value = query.text('timeout');
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(value)) {
    throw badParameter(`timeout (${value}) must be a positive number of milliseconds`);
  }
  return Number(value);
}

/** The OQL text in `q`. One pair of double quotes around the whole is dropped. */
export function parseQueryText(query: QueryString): string | undefined {
  const text = parseOqlText(query, 'q');
  const quoted =
    text !== undefined && text.length > 1 && text.startsWith('"') && text.endsWith('"');
  return quoted ? text.slice(1, -1) : text;
}

/**
 * An OQL text. A text with `+` and without `%20` comes from a form encoder, which writes blanks as
 * `+`: every OQL text has blanks, so no other reading is possible.
 */
export function parseOqlText(query: QueryString, name: string): string | undefined {
  const raw = query.raw(name);
  if (raw === undefined) return undefined;
  const formEncoded = raw.includes('+') && !raw.includes('%20');
  return decodePart(formEncoded ? raw.replaceAll('+', '%20') : raw);
}
