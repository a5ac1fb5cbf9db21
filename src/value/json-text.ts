// Checks JSON text at the door and makes it compact, without building values:
// what was sent is what is stored. Stricter than JSON.parse, for it also
// refuses duplicate members, lone surrogates and deep nesting, and says where.

export interface JsonLimits {
  readonly maxDepth: number;
}

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** Thrown when a text is not JSON by the rules above; `offset` counts UTF-16 code units. */
export class JsonTextError extends Error {
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(reason);
    this.name = 'JsonTextError';
    this.offset = offset;
  }
}

/** The same JSON without white space outside strings; throws JsonTextError. */
export function compactJson(text: string, limits: JsonLimits): string {
  return new JsonChecker(text, limits.maxDepth).check();
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;
const PLUS = 0x2b;
const LOWER_E = 0x65;
const UPPER_E = 0x45;

/** From this many members on, names are kept in a Set: comparing pairs would be quadratic. */
const SMALL_OBJECT = 16;

class JsonChecker {
  readonly #text: string;
  readonly #maxDepth: number;
  #at = 0;
  /** Text before this offset is already in `#compact`. */
  #kept = 0;
  #compact = '';

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  check(): string {
    this.#skipBlanks();
    this.#value(0);
    this.#skipBlanks();
    if (this.#at < this.#text.length) this.#fail('Unexpected text after the JSON value');
    return this.#kept === 0 ? this.#text : this.#compact + this.#text.slice(this.#kept);
  }

  #value(depth: number): void {
    const code = this.#text.charCodeAt(this.#at);
    if (code === QUOTE) this.#string();
    else if (code === OPEN_OBJECT) this.#object(depth + 1);
    else if (code === OPEN_ARRAY) this.#array(depth + 1);
    else if (code === MINUS || (code >= ZERO && code <= NINE)) this.#number();
    else this.#word();
  }

  #object(depth: number): void {
    this.#enter(depth);
    if (this.#text.charCodeAt(this.#at) === CLOSE_OBJECT) {
      this.#at += 1;
      return;
    }
    const names: MemberNames = { few: [], many: undefined };
    for (;;) {
      this.#memberName(names);
      this.#skipBlanks();
      if (this.#text.charCodeAt(this.#at) !== COLON) this.#fail("Expected ':'");
      this.#at += 1;
      this.#skipBlanks();
      this.#value(depth);
      if (this.#separator(CLOSE_OBJECT, "Expected ',' or '}'")) return;
    }
  }

  #array(depth: number): void {
    this.#enter(depth);
    if (this.#text.charCodeAt(this.#at) === CLOSE_ARRAY) {
      this.#at += 1;
      return;
    }
    for (;;) {
      this.#value(depth);
      if (this.#separator(CLOSE_ARRAY, "Expected ',' or ']'")) return;
    }
  }

  #enter(depth: number): void {
    if (depth > this.#maxDepth) this.#fail(`Nesting deeper than ${this.#maxDepth}`);
    this.#at += 1;
    this.#skipBlanks();
  }

  /** Passes a comma or the closing bracket; true when it was the bracket. */
  #separator(close: number, expectation: string): boolean {
    this.#skipBlanks();
    const code = this.#text.charCodeAt(this.#at);
    if (code !== COMMA && code !== close) this.#fail(expectation);
    this.#at += 1;
    if (code === close) return true;
    this.#skipBlanks();
    return false;
  }

  #memberName(names: MemberNames): void {
    const start = this.#at;
    if (this.#text.charCodeAt(start) !== QUOTE) this.#fail('Expected a member name in quotes');
    const plain = this.#string();
    const name = plain
      ? this.#text.slice(start + 1, this.#at - 1)
      : (JSON.parse(this.#text.slice(start, this.#at)) as string); // a string literal, just checked
    if (!addName(names, name)) {
      this.#at = start;
      this.#fail(`Duplicate member name ${JSON.stringify(name)}`);
    }
  }

  /** Passes a string literal; true when it has no escapes. */
  #string(): boolean {
    const text = this.#text;
    let at = this.#at + 1;
    let plain = true;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        plain = false;
        at = this.#escape(at);
      } else if (code >= 0x20) at += 1;
      else {
        this.#at = Math.min(at, text.length);
        this.#fail(at >= text.length ? 'Unterminated string' : 'Control character in a string');
      }
    }
    this.#at = at + 1;
    return plain;
  }

  /** Offset behind the escape sequence that begins at `at`. */
  #escape(at: number): number {
    const kind = this.#text[at + 1];
    if (kind !== 'u') {
      if (kind === undefined || !'"\\/bfnrt'.includes(kind)) this.#failAt('Bad escape', at);
      return at + 2;
    }
    const unit = this.#unit(at);
    if (unit < 0xd800 || unit > 0xdfff) return at + 6;
    const next = at + 6;
    const paired = unit <= 0xdbff && this.#text.startsWith('\\u', next);
    const low = paired ? this.#unit(next) : 0;
    if (low < 0xdc00 || low > 0xdfff) this.#failAt('Lone surrogate', at);
    return next + 6;
  }

  #unit(at: number): number {
    const digits = this.#text.slice(at + 2, at + 6);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.#failAt('Bad \\u escape', at);
    return Number.parseInt(digits, 16);
  }

  #number(): void {
    const text = this.#text;
    let at = this.#at;
    if (text.charCodeAt(at) === MINUS) at += 1;
    at = text.charCodeAt(at) === ZERO ? at + 1 : this.#digits(at);
    if (text.charCodeAt(at) === DOT) at = this.#digits(at + 1);
    const code = text.charCodeAt(at);
    if (code === LOWER_E || code === UPPER_E) {
      const sign = text.charCodeAt(at + 1);
      at = this.#digits(sign === MINUS || sign === PLUS ? at + 2 : at + 1);
    }
    this.#at = at;
  }

  /** Offset behind the run of digits at `start`, of which there must be one. */
  #digits(start: number): number {
    let at = start;
    let code = this.#text.charCodeAt(at);
    while (code >= ZERO && code <= NINE) {
      at += 1;
      code = this.#text.charCodeAt(at);
    }
    if (at === start) this.#failAt('Bad number', at);
    return at;
  }

  #word(): void {
    for (const word of ['true', 'false', 'null']) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return;
      }
    }
    this.#fail(this.#at >= this.#text.length ? 'Unexpected end of the text' : 'Expected a value');
  }

  #skipBlanks(): void {
    const start = this.#at;
    let at = start;
    while (isBlank(this.#text.charCodeAt(at))) at += 1;
    if (at === start) return;
    this.#compact += this.#text.slice(this.#kept, start);
    this.#kept = at;
    this.#at = at;
  }

  #fail(reason: string): never {
    throw new JsonTextError(reason, this.#at);
  }

  #failAt(reason: string, offset: number): never {
    throw new JsonTextError(reason, offset);
  }
}

interface MemberNames {
  readonly few: string[];
  many: Set<string> | undefined;
}

/** False when the name is there already. */
function addName(names: MemberNames, name: string): boolean {
  if (names.many !== undefined) {
    const before = names.many.size;
    return names.many.add(name).size > before;
  }
  if (names.few.includes(name)) return false;
  names.few.push(name);
  if (names.few.length === SMALL_OBJECT) names.many = new Set(names.few);
  return true;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** What a checked, compact text is, from its first character. */
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

/** The members of a checked, compact object: decoded name and value text. */
export function splitObject(compact: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = 1;
  while (compact.charCodeAt(at) !== CLOSE_OBJECT) {
    const colon = endOfString(compact, at);
    const end = endOfValue(compact, colon + 1);
    const name = JSON.parse(compact.slice(at, colon)) as string; // a string literal of checked text
    members.set(name, compact.slice(colon + 1, end));
    at = compact.charCodeAt(end) === COMMA ? end + 1 : end;
  }
  return members;
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

function endOfString(compact: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const code = compact.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    at += code === BACKSLASH ? 2 : 1;
  }
}
