// JSON as text. A value is never parsed and printed again, so that every number keeps its digits.
// Parts are found by their positions in the text, on demand: a value of some megabytes opens at
// once.

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'word';

/** A span of a text of valid JSON. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

export interface JsonChild extends JsonSpan {
  /** Of a member: its name. Undefined for an element. */
  readonly name: string | undefined;
}

export function kindAt(text: string, start: number): JsonKind {
  switch (text[start]) {
    case '{':
      return 'object';
    case '[':
      return 'array';
    case '"':
      return 'string';
    case 't':
    case 'f':
    case 'n':
      return 'word';
    default:
      return 'number';
  }
}

/** The value as a whole, without the white space around it. */
export function rootOf(text: string): JsonSpan {
  const start = skipSpace(text, 0);
  return { start, end: endOf(text, start) };
}

/** Members or elements, in their order. */
export function childrenOf(text: string, start: number): readonly JsonChild[] {
  const isObject = text[start] === '{';
  const children: JsonChild[] = [];
  let at = skipSpace(text, start + 1);
  while (at < text.length && text[at] !== '}' && text[at] !== ']') {
    let name: string | undefined;
    if (isObject) {
      const end = endOfString(text, at);
      name = JSON.parse(text.slice(at, end)) as string; // a string, as members begin with one
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    const end = endOf(text, at);
    children.push({ name, start: at, end });
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return children;
}

/** Adds line breaks and indents, token by token. */
export function indentJson(text: string): string {
  const pieces: string[] = [];
  let depth = 0;
  let last = '';
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    const isEnd = ENDS.has(token);
    if (isEnd) depth -= 1;
    const isLine = isEnd ? !STARTS.has(last) : STARTS.has(last) || last === ',';
    if (isLine) pieces.push('\n', '  '.repeat(depth));
    pieces.push(token === ':' ? ': ' : token);
    if (STARTS.has(token)) depth += 1;
    last = token;
  }
  return pieces.join('');
}

const STARTS: ReadonlySet<string> = new Set(['{', '[']);
const ENDS: ReadonlySet<string> = new Set(['}', ']']);

/** The end of the value that starts here. */
function endOf(text: string, start: number): number {
  const first = text[start] ?? '';
  if (first === '"') return endOfString(text, start);
  if (STARTS.has(first)) return endOfParent(text, start);
  let end = start;
  while (end < text.length && !/[\s,\]}]/.test(text[end] ?? '')) end += 1;
  return end;
}

function endOfParent(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '"') at = endOfString(text, at) - 1;
    else if (STARTS.has(character)) depth += 1;
    else if (ENDS.has(character)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let slashes = 0;
    while (text[quote - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    at = quote;
  }
  return text.length;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] ?? '')) at += 1;
  return at;
}

/** Characters that are invisible, or change the text direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches them on purpose
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** The text with hidden characters spelt out: a right-to-left mark reads `\u200f`. */
export function showHidden(text: string): string {
  return text.replaceAll(
    HIDDEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A name as shown: in quotes when it is empty, or begins or ends with white space. */
export function showName(name: string): string {
  return showHidden(name === '' || name.trim() !== name ? JSON.stringify(name) : name);
}

/** As `showHidden`, but keeps line breaks; in indented JSON they are between tokens only. */
export function showLines(text: string): string {
  return text.split('\n').map(showHidden).join('\n');
}
