// One operation on an entry as JSON, in transactions and bulk loads:
//
//   {"op":"replace","key":"7","value":{…},"if-match":42}
//
// Values are copied as text and never parsed.

import type { EntryOperation } from '../../grid/index.ts';
import { parseDuration } from '../../value/duration.ts';
import { kindOfJson, splitFirstMembers, splitObject } from '../../value/json-text.ts';
import { badBody } from '../errors.ts';
import { parseVersion } from './commit-number.ts';
import { refuseUnknownMembers } from './json-object.ts';

export const OPERATION_MEMBERS: readonly string[] = ['op', 'key', 'value', 'if-match', 'ttl'];

export const WRITES: readonly string[] = [
  'put',
  'create',
  'replace',
  'remove',
] satisfies EntryOperation['op'][];

/** The members of an object; refuses others than these. `what` names the object in errors. */
export function membersOf(
  compact: string,
  known: readonly string[],
  what: string,
): ReadonlyMap<string, string> {
  if (kindOfJson(compact) !== 'object') throw badBody(`${what} must be a JSON object`);
  const members = splitObject(compact);
  refuseUnknownMembers(members.keys(), known);
  return members;
}

/** A required text member. */
export function requireText(members: ReadonlyMap<string, string>, name: string): string {
  const text = members.get(name);
  if (text === undefined) throw badBody(`The member ${name} is missing`);
  if (kindOfJson(text) !== 'string') throw badBody(`The member ${name} must be a string`);
  return JSON.parse(text) as string; // a string literal of checked text
}

/** `put` when absent. */
export function parseOp(members: ReadonlyMap<string, string>): string {
  return members.has('op') ? requireText(members, 'op') : 'put';
}

const KEY_FIRST = '{"key":';
const VALUE_NEXT = ',"value":';

/** Fast path for items of the form `{"key":…,"value":…}`; undefined for others. */
export function parsePlainPut(compact: string): EntryOperation | undefined {
  if (!compact.startsWith(`${KEY_FIRST}"`)) return undefined;
  const { rest, texts } = splitFirstMembers(compact, 2);
  const [key, value] = texts;
  if (key === undefined || value === undefined || rest !== '') return undefined;
  if (!compact.startsWith(VALUE_NEXT, KEY_FIRST.length + key.length)) return undefined;
  // A string literal of checked text.
  return { op: 'put', key: JSON.parse(key) as string, value };
}

/** Throws `request/bad-body`. `others`: operations that the caller accepts besides writes. */
export function parseEntryOperation(
  members: ReadonlyMap<string, string>,
  others: readonly string[] = [],
): EntryOperation {
  const op = parseOp(members);
  if (!isWrite(op)) throw badBody(`op (${op}) must be one of ${[...WRITES, ...others].join(', ')}`);
  const key = requireText(members, 'key');
  const ifMatch = parseIfMatch(members.get('if-match'));
  const value = members.get('value');
  const ttlMs = parseTtl(members.get('ttl'));
  if (op === 'remove') {
    if (value !== undefined) throw badBody('remove takes no value');
    if (ttlMs !== undefined) throw badBody('remove takes no ttl');
    return { op, key, ifMatch };
  }
  if (value === undefined) throw badBody(`${op} needs a value`);
  if (op === 'create' && ifMatch !== undefined) throw badBody('create takes no if-match');
  return { op, key, value, ifMatch, ttlMs };
}

/** Seconds, or an ISO 8601 duration. */
function parseTtl(text: string | undefined): number | undefined {
  if (text === undefined || text === 'null') return undefined;
  const kind = kindOfJson(text);
  const ms =
    kind === 'number'
      ? parseDuration(text)
      : kind === 'string'
        ? parseDuration(JSON.parse(text) as string) // a string literal of checked text
        : undefined;
  if (ms === undefined) {
    throw badBody(
      'ttl must be seconds or an ISO 8601 duration such as PT24H, above 0 and up to 1,000 years',
    );
  }
  return ms;
}

/** A version, `"*"`, or an entity tag as in the header `If-Match`. */
function parseIfMatch(text: string | undefined): EntryOperation['ifMatch'] {
  // Null is no version: a client that sends it wanted a condition, and has none.
  if (text === undefined) return undefined;
  const kind = kindOfJson(text);
  // A string literal of checked text.
  const tag = kind === 'string' ? (JSON.parse(text) as string).trim() : text;
  if (kind === 'string' && tag === '*') return 'any';
  const version = kind === 'string' ? tag.replace(/^"(.*)"$/, '$1') : text;
  return [requireVersion(version, 'A version', ', the tag "\\"42\\"", or "*" for any')];
}

/** A whole number from 1 on; `orElse` names the other forms that the member may have. */
export function requireVersion(text: string, what: string, orElse = ''): number {
  const version = parseVersion(text);
  if (version !== undefined) return version;
  throw badBody(`${what} must be a whole number such as 42${orElse}`);
}

function isWrite(op: string): op is EntryOperation['op'] {
  return WRITES.includes(op);
}
