// Inspects checked, compact JSON text (json-check.ts) without building values: its kind, and the
// texts of its parts.

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** Thrown when bytes are not JSON by the rules of json-check.ts; `offset` counts bytes. */
export class JsonTextError extends Error {
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(reason);
    this.name = 'JsonTextError';
    this.offset = offset;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** The kind of a checked, compact text, from its first character. */
export function kindOfJson(compact: string): JsonKind {
  switch (compact[0]) {
    case '{':
      return 'object';
    case '[':
      return 'array';
    case '"':
      return 'string';
    case 't':
    case 'f':
      return 'boolean';
    case 'n':
      return 'null';
    default:
      return 'number';
  }
}

/** The element texts of a checked, compact array. */
export function splitArray(compact: string): string[] {
  const elements: string[] = [];
  let at = 1;
  while (compact.charCodeAt(at) !== CLOSE_ARRAY) {
    const end = endOfValue(compact, at);
    elements.push(compact.slice(at, end));
    at = compact.charCodeAt(end) === COMMA ? end + 1 : end;
  }
  return elements;
}

/** Whether a checked, compact array has only objects; cheaper than splitting it. */
export function holdsObjectsOnly(compact: string): boolean {
  let at = 1;
  while (compact.charCodeAt(at) !== CLOSE_ARRAY) {
    if (compact.charCodeAt(at) !== OPEN_OBJECT) return false;
    const end = endOfValue(compact, at);
    at = compact.charCodeAt(end) === COMMA ? end + 1 : end;
  }
  return true;
}

/** The members of a checked, compact object: decoded name and value text. */
export function splitObject(compact: string): Map<string, string> {
  const members = new Map<string, string>();
  for (const { name, text } of listMembers(compact)) members.set(name, text);
  return members;
}

export interface MemberText {
  readonly name: string;
  /** The name as it is written, with its quotes. */
  readonly nameText: string;
  readonly text: string;
}

/** The members of a checked, compact object in order, with their names as they are written too. */
export function listMembers(compact: string): MemberText[] {
  const members: MemberText[] = [];
  let at = 1;
  while (compact.charCodeAt(at) !== CLOSE_OBJECT) {
    const colon = endOfString(compact, at);
    const end = endOfValue(compact, colon + 1);
    const nameText = compact.slice(at, colon);
    const name = parseName(nameText);
    members.push({ name, nameText, text: compact.slice(colon + 1, end) });
    at = compact.charCodeAt(end) === COMMA ? end + 1 : end;
  }
  return members;
}

/** Without escapes it is the text between the quotes; JSON.parse would be slower. */
function parseName(literal: string): string {
  return literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
}

/**
 * The values of the first `count` members of a checked, compact object, and the text of the members
 * after them, without the braces.
 */
export function splitFirstMembers(
  compact: string,
  count: number,
): { readonly texts: readonly string[]; readonly rest: string } {
  const texts: string[] = [];
  let at = 1;
  while (texts.length < count && compact.charCodeAt(at) !== CLOSE_OBJECT) {
    const start = endOfString(compact, at) + 1;
    const end = endOfValue(compact, start);
    texts.push(compact.slice(start, end));
    at = compact.charCodeAt(end) === COMMA ? end + 1 : end;
  }
  return { texts, rest: compact.slice(at, -1) };
}

/** The value of a member that is given as `"name":value`. */
export function memberValue(member: string): string {
  return member.slice(endOfString(member, 0) + 1);
}

function endOfValue(compact: string, start: number): number {
  let depth = 0;
  let at = start;
  for (;;) {
    const code = compact.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(compact, at);
      continue;
    }
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (code === COMMA && depth === 0) return at;
    at += 1;
  }
}

/** Searching for the quote is several times faster than testing every character. */
function endOfString(compact: string, start: number): number {
  for (let at = start; ; ) {
    at = compact.indexOf('"', at + 1);
    let before = at - 1;
    while (compact.charCodeAt(before) === BACKSLASH) before -= 1;
    // An even number of backslashes escape each other.
    if ((at - before) % 2 === 1) return at + 1;
  }
}
