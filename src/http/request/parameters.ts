// Query parameters, each parsed into a type. The OpenAPI document describes the same ranges of
// numbers.

import type { IncomingHttpHeaders } from 'node:http';
import type { Moment } from '../../grid/index.ts';
import { parseDuration } from '../../value/duration.ts';
import { parseRfc3339 } from '../../value/iso-date.ts';
import { badFlag, badLimit, badOperation, badParameter } from '../errors.ts';
import { NDJSON_TYPE, type RowForm } from '../response/media-types.ts';
import { parseSequence } from './commit-number.ts';
import { decodePart } from './decode-part.ts';
import { prefers } from './prefer.ts';
import type { QueryString } from './query-string.ts';

/** Spec 4.2. */
export const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 2 ** 31 - 1;
/** The values of `op`. */
export const WRITE_OPERATIONS = ['PUT', 'REPLACE', 'CREATE', 'CAS'] as const;

export type WriteOperation = (typeof WRITE_OPERATIONS)[number];

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
  const operation = WRITE_OPERATIONS.find((word) => word === value.toUpperCase());
  if (operation === undefined) throw badOperation('op', value, WRITE_OPERATIONS);
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
    `ttl (${value}) must be seconds or an ISO 8601 duration such as PT24H, above 0 and up to 1,000 years`,
  );
}

/** Milliseconds a query may take, or undefined; it can only lower the server's limit. */
export function parseTimeout(query: QueryString): number | undefined {
  const value = query.text('timeout');
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(value)) {
    throw badParameter(
      `timeout (${value}) must be a whole number of milliseconds, from 1 to 999999999`,
    );
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

/**
 * `requested`: by `end=true`. `preferred`: by `Prefer: trailer`, which the answer then confirms.
 */
export type LastLine = 'none' | 'requested' | 'preferred';

/** A preference is applied if possible; the parameter is binding. */
export function parseLastLine(
  query: QueryString,
  headers: IncomingHttpHeaders,
  form: RowForm,
): LastLine {
  if (parseFlag(query, 'end')) {
    if (form === 'ndjson') return 'requested';
    const hint = `Only ${NDJSON_TYPE} has one: name it in Accept`;
    throw badParameter('end=true asks for a last line', hint);
  }
  return form === 'ndjson' && prefers(headers, 'trailer') ? 'preferred' : 'none';
}

/** Milliseconds between heartbeats. */
export function parseHeartbeatMs(query: QueryString): number {
  return 1000 * parseSeconds(query, 'heartbeat', HEARTBEAT);
}

/** The id of the last event that the client received; undefined if there is none. */
export function parseLastEventId(header: unknown): number | undefined {
  if (typeof header !== 'string' || header === '') return undefined;
  const sequence = parseSequence(header);
  if (sequence !== undefined) return sequence;
  throw badParameter(`Last-Event-ID (${header}) must be the id of an event of this stream`);
}

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
