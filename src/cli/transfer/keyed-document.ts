// Turns a document into an entry: finds the member that is the key.

import { kindOfJson, splitObject } from '../../value/json-text.ts';
import { parseExpires } from './expires.ts';
import type { TextEntry } from './grid-access.ts';

/** The key member if none is named. */
const DEFAULT_KEY = 'id';

/**
 * The entry of a document, given as checked and compact text; an error message when it has no key.
 * Without a name, `{"key","value"}` is an entry as it was exported, with `expires` if it expires,
 * and any other document has its key in the member `id`.
 */
export function toKeyedEntry(document: string, keyMember: string | undefined): TextEntry | string {
  if (kindOfJson(document) !== 'object') return 'it is not an object';
  const members = splitObject(document);
  if (keyMember === undefined) {
    const exported = toExportedEntry(members);
    if (exported !== undefined) return exported;
  }
  const name = keyMember ?? DEFAULT_KEY;
  const key = findMember(members, name);
  if (key === undefined) {
    return keyMember === undefined
      ? `it has no member ${name}; --key says which member is the key`
      : `it has no member ${name}`;
  }
  switch (kindOfJson(key)) {
    case 'string':
      return { key: JSON.parse(key) as string, value: document }; // a checked string literal
    case 'number':
      return { key, value: document };
    default:
      return `its member ${name} is neither a text nor a number, so it cannot be the key`;
  }
}

function toExportedEntry(members: ReadonlyMap<string, string>): TextEntry | undefined {
  const key = members.get('key');
  const value = members.get('value');
  const expiresText = members.get('expires');
  const size = expiresText === undefined ? 2 : 3;
  if (members.size !== size || key === undefined || value === undefined) return undefined;
  if (kindOfJson(key) !== 'string' || kindOfJson(value) !== 'object') return undefined;
  const entry = { key: JSON.parse(key) as string, value }; // a checked string literal
  if (expiresText === undefined) return entry;
  const expires = parseExpires(expiresText);
  return expires === undefined ? undefined : { ...entry, expires };
}

/** A member by its name, or by a dotted path if no member has that name. */
function findMember(members: ReadonlyMap<string, string>, name: string): string | undefined {
  const found = members.get(name);
  if (found !== undefined) return found;
  const dot = name.indexOf('.');
  const outer = dot < 0 ? undefined : members.get(name.slice(0, dot));
  if (outer === undefined || kindOfJson(outer) !== 'object') return undefined;
  return findMember(splitObject(outer), name.slice(dot + 1));
}
