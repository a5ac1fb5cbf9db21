// `fields=a,b.c`: paths of members, with commas between them. A name with a comma, a dot or a quote
// is written as a JSON string: `fields="a.b",c`.

import type { Fields } from '../../value/project-json.ts';
import { badParameter } from '../errors.ts';

const NAME = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|[^",.]+/uy;
const MAX_DEPTH = 32;
const MAX_FIELDS = 1000;

type MutableFields = Map<string, MutableFields | 'whole'>;

export function parseFields(text: string): Fields {
  const fields: MutableFields = new Map();
  for (const path of parsePaths(text)) addPath(fields, path);
  return fields;
}

function parsePaths(text: string): readonly (readonly string[])[] {
  const paths: string[][] = [];
  let path: string[] = [];
  for (let at = 0; ; at += 1) {
    NAME.lastIndex = at;
    const [name] = NAME.exec(text) ?? [];
    if (name === undefined) throw refuse(text);
    path.push(parseName(name));
    at += name.length;
    const separator = text[at];
    if (separator !== '.') {
      paths.push(path);
      path = [];
    }
    if (separator === undefined) break;
    if (separator !== '.' && separator !== ',') throw refuse(text);
    if (path.length > MAX_DEPTH || paths.length > MAX_FIELDS) throw refuse(text);
  }
  return paths;
}

/** The pattern matches only valid JSON strings as quoted names. */
function parseName(name: string): string {
  return name.startsWith('"') ? (JSON.parse(name) as string) : name;
}

/** A member that is selected as a whole stays whole. */
function addPath(fields: MutableFields, path: readonly string[]): void {
  let parent = fields;
  for (const [i, name] of path.entries()) {
    const existing = parent.get(name);
    if (existing === 'whole') return;
    if (i === path.length - 1) {
      parent.set(name, 'whole');
      return;
    }
    const inner: MutableFields = existing ?? new Map();
    parent.set(name, inner);
    parent = inner;
  }
}

function refuse(text: string): Error {
  return badParameter(
    `fields (${text}) must be paths of members with commas between them, such as a,b.c`,
    'A name with a comma, a dot or a quote is written as a JSON string: "a.b",c',
  );
}
