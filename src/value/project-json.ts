// Projects a JSON document to some members, without changing their text: `20.0` stays `20.0`.

import { kindOfJson, listMembers, type MemberText, splitArray } from './json-text.ts';

/** The members of an object to keep, by name, each whole or in part, in this order. */
export type Fields = ReadonlyMap<string, Fields | 'whole'>;

/**
 * The named members of a checked, compact document. Absent members are left out. Of a list, the
 * members of each object are taken, and other elements are left out.
 */
export function projectJson(compact: string, fields: Fields): string {
  return projectPart(compact, fields) ?? '{}';
}

/** Undefined if a text has no members. */
function projectPart(compact: string, fields: Fields): string | undefined {
  switch (kindOfJson(compact)) {
    case 'object':
      return projectObject(compact, fields);
    case 'array': {
      const parts = splitArray(compact).map((element) => projectPart(element, fields));
      return `[${parts.filter((part) => part !== undefined).join(',')}]`;
    }
    default:
      return undefined;
  }
}

function projectObject(compact: string, fields: Fields): string {
  const members = new Map<string, MemberText>();
  for (const member of listMembers(compact)) members.set(member.name, member);
  const kept: string[] = [];
  for (const [name, part] of fields) {
    const member = members.get(name);
    if (member === undefined) continue;
    const text = part === 'whole' ? member.text : projectPart(member.text, part);
    if (text !== undefined) kept.push(`${member.nameText}:${text}`);
  }
  return `{${kept.join(',')}}`;
}
