// The entry for a row of a file: key and value, both exactly as in the file.

import { childrenOf } from '../../json/json-text.ts';

/** `text` is not checked yet. */
export type FileRow =
  | { readonly rowNumber: number; readonly text: string; readonly problem?: never }
  | { readonly rowNumber: number; readonly problem: string; readonly text?: never };

export type KeyChoice =
  | { readonly kind: 'field'; readonly name: string }
  /** The row is `{"key": …, "value": …}`, as exported; an entry that expires has `"expires"` too. */
  | { readonly kind: 'member' }
  /** The number of the row after a prefix of this import: keys sort as the file does. */
  | { readonly kind: 'generated'; readonly prefix: string };

export type RowItem =
  | {
      readonly key: string;
      readonly value: string;
      /** When it expires, in milliseconds since 1970. */
      readonly expires?: number;
      readonly problem?: never;
    }
  | { readonly problem: string; readonly key?: never };

export function toItem(row: FileRow, choice: KeyChoice): RowItem {
  if (row.text === undefined) return { problem: row.problem };
  let parsed: unknown;
  try {
    // Only a check: the text itself is sent.
    parsed = JSON.parse(row.text);
  } catch (error) {
    return { problem: `It is not JSON: ${error instanceof Error ? error.message : error}` };
  }
  if (choice.kind === 'generated') {
    return { key: `${choice.prefix}-${String(row.rowNumber).padStart(9, '0')}`, value: row.text };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return { problem: 'It is not an object, so it has no field for the key.' };
  }
  const members = new Map<string, unknown>(Object.entries(parsed));
  const name = choice.kind === 'field' ? choice.name : 'key';
  const key = readKey(row.text, name, members.get(name));
  if (key.problem !== undefined) return key;
  if (choice.kind === 'field') return { ...key, value: row.text };
  const value = memberText(row.text, 'value');
  if (value === undefined) return { problem: 'It has no member value.' };
  if (!members.has('expires')) return { ...key, value };
  const expires = parseTime(members.get('expires'));
  return Number.isNaN(expires)
    ? { problem: 'Its expires is not a time such as "2026-03-01T12:00:00Z".' }
    : { ...key, value, expires };
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since 1970; NaN for any other value. */
function parseTime(value: unknown): number {
  return typeof value === 'string' && TIME.test(value) ? Date.parse(value) : Number.NaN;
}

function readKey(
  text: string,
  name: string,
  value: unknown,
): { readonly key: string; readonly problem?: never } | { readonly problem: string } {
  if (value === '') return { problem: `Its ${name} is empty.` };
  if (typeof value === 'string') return { key: value };
  // With the digits of the file.
  if (typeof value === 'number') return { key: memberText(text, name) ?? String(value) };
  if (value === undefined) return { problem: `It has no member ${name}.` };
  return { problem: `Its ${name} is neither a text nor a number.` };
}

/** Of the last one if a name occurs twice, as in JSON.parse. */
function memberText(text: string, name: string): string | undefined {
  const member = childrenOf(text, text.indexOf('{')).findLast((child) => child.name === name);
  return member && text.slice(member.start, member.end);
}

/** The members of an exported entry. */
const ENTRY_MEMBERS = ['key', 'value', 'expires'];
const USUAL_NAMES = ['id', 'key', '_id', 'uuid', 'code', 'sku', 'name'];

/** Names of fields, and the most likely key. Ignores invalid rows. */
export function suggestKey(rows: readonly FileRow[]): {
  readonly fields: readonly string[];
  readonly choice: KeyChoice['kind'] | { readonly field: string };
} {
  const objects = rows.filter(({ text }) => namesOf(text).size > 0);
  const fields = [...new Set(objects.flatMap(({ text }) => [...namesOf(text)]))];
  const others = fields.filter((name) => !ENTRY_MEMBERS.includes(name));
  if (others.length === 0 && fields.includes('key') && fields.includes('value')) {
    return { fields, choice: 'member' };
  }
  const usual = USUAL_NAMES.find((name) => fields.includes(name));
  const unique = [usual, ...fields].find((name) => name !== undefined && isUnique(objects, name));
  return { fields, choice: unique === undefined ? 'generated' : { field: unique } };
}

/** Of an object; none of anything else. */
function namesOf(text: string | undefined): ReadonlySet<string> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return new Set(isObject ? Object.keys(value) : []);
  } catch {
    return new Set();
  }
}

function isUnique(rows: readonly FileRow[], name: string): boolean {
  const keys = rows.map((row) => toItem(row, { kind: 'field', name }).key);
  return !keys.includes(undefined) && new Set(keys).size === keys.length;
}
