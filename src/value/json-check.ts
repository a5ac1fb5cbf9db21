// Checks incoming JSON, byte by byte, and removes the white space outside strings. It builds no
// values: all other bytes are stored as they were sent. It is stricter than JSON.parse: it also
// refuses duplicate members, lone surrogates and deep nesting, with their position.
//
// Works on bytes because a request body is bytes: scanning a string would take four times as long.
// Names are compared by hash first, so that the common document (a dozen plain names) is checked
// without creating strings.

import { JsonTextError } from './json-text.ts';

/** The largest depth that the settings allow. */
export const MAX_JSON_DEPTH = 1000;

export interface JsonLimits {
  readonly maxDepth: number;
}

// Repeated in each JSON reader instead of shared: an imported constant is loaded at every use,
// which makes the check 5 % slower.
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LOWER_E = 0x65;
const UPPER_E = 0x45;
const LOWER_U = 0x75;

/** From this many members on, names are kept in a Set: comparing pairs would be quadratic. */
const SMALL_OBJECT = 24;
const SIMPLE_ESCAPES = new Set([...'"\\/bfnrt'].map((letter) => letter.charCodeAt(0)));
const WORDS = ['true', 'false', 'null'].map((word) => new TextEncoder().encode(word));
/** The result of reading after the end; no JSON byte is negative. */
const END = -1;

/**
 * The same JSON without white space outside strings; the same array when there is none. The bytes
 * must be valid UTF-8. Throws JsonTextError with the offset in bytes.
 */
export function checkJson(bytes: Uint8Array, limits: JsonLimits): Uint8Array {
  const check = new JsonCheck(bytes, limits);
  check.run(Number.POSITIVE_INFINITY);
  return check.compact;
}

/** Marks an array among the open containers. */
const ARRAY = -1;
/** Shorter runs of bytes are copied one by one: a view of them would cost more. */
const SHORT_RUN = 64;

/**
 * The same check in parts, for long texts. It keeps open containers in a list instead of on the
 * call stack, so that it can stop after any value.
 */
export class JsonCheck {
  readonly #bytes: Uint8Array;
  readonly #maxDepth: number;
  #at = 0;
  /** The text without white space, up to `#copied`; undefined until the first blank. */
  #out: Uint8Array | undefined;
  #outLength = 0;
  #copied = 0;
  /** Of each open container, outermost first: where the names of an object begin, or `ARRAY`. */
  readonly #containers: number[] = [];
  /** Decoded names of the open objects with many or escaped names, by depth. */
  #decodedNames: Map<number, Set<string>> | undefined;
  /** Names of the objects that are open now, innermost last: hash, start, end of each. */
  readonly #names: number[] = [];

  constructor(bytes: Uint8Array, { maxDepth }: JsonLimits) {
    this.#bytes = bytes;
    this.#maxDepth = maxDepth;
  }

  /** How far the text is checked. */
  get offset(): number {
    return this.#at;
  }

  /** The text without white space; valid when `run` has returned true. */
  get compact(): Uint8Array {
    return this.#out === undefined ? this.#bytes : this.#out.subarray(0, this.#outLength);
  }

  /** Continues to the end (true) or until a value reaches `until` (false). */
  run(until: number): boolean {
    if (this.#at === 0) this.#skipBlanks();
    while (this.#at < until) {
      if (this.#value() && this.#closeContainers()) {
        this.#finish();
        return true;
      }
    }
    return false;
  }

  #finish(): void {
    if (this.#at < this.#bytes.length) this.#fail('Unexpected text after the JSON value');
    if (this.#out !== undefined) this.#copyTo(this.#at, this.#out);
  }

  /** Consumes a value, or the opening of one that is not empty; true for a whole value. */
  #value(): boolean {
    const code = this.#byte(this.#at);
    if (code === QUOTE) this.#string();
    else if (code === OPEN_OBJECT) return this.#openObject();
    else if (code === OPEN_ARRAY) return this.#openArray();
    else if (code === MINUS || (code >= ZERO && code <= NINE)) this.#number();
    else this.#word();
    return true;
  }

  #openObject(): boolean {
    if (this.#openContainer(CLOSE_OBJECT)) return true;
    const frame = this.#names.length;
    this.#containers.push(frame);
    this.#member(frame);
    return false;
  }

  #openArray(): boolean {
    if (this.#openContainer(CLOSE_ARRAY)) return true;
    this.#containers.push(ARRAY);
    return false;
  }

  /** Consumes the opening bracket; true for an empty container, whose closing bracket it consumes too. */
  #openContainer(close: number): boolean {
    if (this.#containers.length === this.#maxDepth)
      this.#fail(`Nesting deeper than ${this.#maxDepth}`);
    this.#at += 1;
    this.#skipBlanks();
    if (this.#byte(this.#at) !== close) return false;
    this.#at += 1;
    return true;
  }

  /**
   * After a value: closes containers that end here and moves to the next value; true at the end of
   * the text.
   */
  #closeContainers(): boolean {
    for (let depth = this.#containers.length; depth > 0; depth -= 1) {
      const names = this.#containers[depth - 1] ?? ARRAY;
      if (names === ARRAY) {
        if (!this.#separator(CLOSE_ARRAY, "Expected ',' or ']'")) return false;
      } else if (this.#separator(CLOSE_OBJECT, "Expected ',' or '}'")) {
        this.#names.length = names;
        this.#decodedNames?.delete(depth);
      } else {
        this.#member(names);
        return false;
      }
      this.#containers.pop();
    }
    this.#skipBlanks();
    return true;
  }

  /** Consumes a name and its colon. */
  #member(frame: number): void {
    this.#memberName(frame);
    this.#skipBlanks();
    if (this.#byte(this.#at) !== COLON) this.#fail("Expected ':'");
    this.#at += 1;
    this.#skipBlanks();
  }

  /** Consumes a comma or the closing bracket; true for the bracket. */
  #separator(close: number, expectation: string): boolean {
    this.#skipBlanks();
    const code = this.#byte(this.#at);
    if (code !== COMMA && code !== close) this.#fail(expectation);
    this.#at += 1;
    if (code === close) return true;
    this.#skipBlanks();
    return false;
  }

  /**
   * Consumes a member name, and refuses a duplicate. Plain names of a small object are compared as
   * bytes; from the first name with an escape on, or when there are many, names are decoded and
   * kept in a Set.
   */
  #memberName(frame: number): void {
    const start = this.#at;
    if (this.#byte(start) !== QUOTE) this.#fail('Expected a member name in quotes');
    const plain = this.#string();
    const end = this.#at;
    const depth = this.#containers.length;
    const known = this.#decodedNames?.get(depth);
    if (known === undefined && plain && this.#names.length - frame < SMALL_OBJECT * 3) {
      this.#rememberPlain(frame, start, end);
      return;
    }
    const names = known ?? this.#decodeNames(frame);
    const name = this.#decode(start, end);
    if (names.has(name)) this.#duplicate(start, end);
    this.#decodedNames ??= new Map();
    this.#decodedNames.set(depth, names.add(name));
  }

  #rememberPlain(frame: number, start: number, end: number): void {
    const hash = this.#hash(start, end);
    const names = this.#names;
    for (let i = frame; i < names.length; i += 3) {
      if (names[i] === hash && this.#sameBytes(names[i + 1] ?? 0, names[i + 2] ?? 0, start, end)) {
        this.#duplicate(start, end);
      }
    }
    names.push(hash, start, end);
  }

  #hash(start: number, end: number): number {
    const bytes = this.#bytes;
    let hash = end - start;
    for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
    return hash;
  }

  #sameBytes(start: number, end: number, otherStart: number, otherEnd: number): boolean {
    if (end - start !== otherEnd - otherStart) return false;
    for (let i = 0; i < end - start; i += 1) {
      if (this.#byte(start + i) !== this.#byte(otherStart + i)) return false;
    }
    return true;
  }

  #decodeNames(frame: number): Set<string> {
    const decoded = new Set<string>();
    for (let i = frame; i < this.#names.length; i += 3) {
      decoded.add(this.#decode(this.#names[i + 1] ?? 0, this.#names[i + 2] ?? 0));
    }
    return decoded;
  }

  #decode(start: number, end: number): string {
    const literal = new TextDecoder().decode(this.#bytes.subarray(start, end));
    return JSON.parse(literal) as string; // a string literal that was just checked
  }

  #duplicate(start: number, end: number): never {
    const name = JSON.stringify(this.#decode(start, end));
    throw new JsonTextError(`Duplicate member name ${name}`, start);
  }

  /** Consumes a string literal; true when it has no escapes. */
  #string(): boolean {
    const bytes = this.#bytes;
    let at = this.#at + 1;
    let plain = true;
    for (;;) {
      const code = bytes[at] ?? END;
      if (code >= 0x20 && code !== QUOTE && code !== BACKSLASH) at += 1;
      else if (code === QUOTE) break;
      else if (code === BACKSLASH) {
        plain = false;
        at = this.#escape(at);
      } else {
        this.#at = at;
        this.#fail(code === END ? 'Unterminated string' : 'Control character in a string');
      }
    }
    this.#at = at + 1;
    return plain;
  }

  /** Offset after the escape sequence that begins at `at`. */
  #escape(at: number): number {
    const letter = this.#byte(at + 1);
    if (letter !== LOWER_U) {
      if (!SIMPLE_ESCAPES.has(letter)) this.#failAt('Bad escape', at);
      return at + 2;
    }
    const unit = this.#unit(at);
    if (unit < 0xd800 || unit > 0xdfff) return at + 6;
    const next = at + 6;
    const follows = this.#byte(next) === BACKSLASH && this.#byte(next + 1) === LOWER_U;
    const low = unit <= 0xdbff && follows ? this.#unit(next) : 0;
    if (low < 0xdc00 || low > 0xdfff) this.#failAt('Lone surrogate', at);
    return next + 6;
  }

  #unit(at: number): number {
    let unit = 0;
    for (let i = at + 2; i < at + 6; i += 1) {
      const digit = hexDigit(this.#byte(i));
      if (digit < 0) this.#failAt('Bad \\u escape', at);
      unit = unit * 16 + digit;
    }
    return unit;
  }

  #number(): void {
    let at = this.#at;
    if (this.#byte(at) === MINUS) at += 1;
    at = this.#byte(at) === ZERO ? at + 1 : this.#digits(at);
    if (this.#byte(at) === DOT) at = this.#digits(at + 1);
    const code = this.#byte(at);
    if (code === LOWER_E || code === UPPER_E) {
      const sign = this.#byte(at + 1);
      at = this.#digits(sign === MINUS || sign === PLUS ? at + 2 : at + 1);
    }
    this.#at = at;
  }

  /** Offset after the run of digits at `start`, of which there must be one. */
  #digits(start: number): number {
    let at = start;
    let code = this.#byte(at);
    while (code >= ZERO && code <= NINE) {
      at += 1;
      code = this.#byte(at);
    }
    if (at === start) this.#failAt('Bad number', at);
    return at;
  }

  #word(): void {
    for (const word of WORDS) {
      if (word.every((letter, i) => this.#byte(this.#at + i) === letter)) {
        this.#at += word.length;
        return;
      }
    }
    const ended = this.#at >= this.#bytes.length;
    this.#fail(ended ? 'Unexpected end of the text' : 'Expected a value');
  }

  #skipBlanks(): void {
    if (this.#byte(this.#at) > 0x20) return;
    const start = this.#at;
    let at = start;
    while (isBlank(this.#byte(at))) at += 1;
    if (at === start) return;
    this.#out ??= new Uint8Array(this.#bytes.length);
    this.#copyTo(start, this.#out);
    this.#copied = at;
    this.#at = at;
  }

  /** Copies pending bytes up to `end`. */
  #copyTo(end: number, out: Uint8Array): void {
    const start = this.#copied;
    const to = this.#outLength;
    if (end - start > SHORT_RUN) out.set(this.#bytes.subarray(start, end), to);
    else for (let i = start; i < end; i += 1) out[to + i - start] = this.#byte(i);
    this.#outLength = to + end - start;
    this.#copied = end;
  }

  #byte(at: number): number {
    return this.#bytes[at] ?? END;
  }

  #fail(reason: string): never {
    throw new JsonTextError(reason, this.#at);
  }

  #failAt(reason: string, offset: number): never {
    throw new JsonTextError(reason, offset);
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Value of a hexadecimal digit, or -1. */
function hexDigit(code: number): number {
  if (code >= ZERO && code <= NINE) return code - ZERO;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1;
}
