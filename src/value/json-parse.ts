// Parses stored JSON text into values without loss: integers of any size stay exact, `20.0` stays a
// double, objects and fractions keep their own text. Stored text was checked when it came in
// (valid, of limited depth), so this reader can recurse and only asserts validity.

import { parseInteger } from './number.ts';
import { Document, Double, type Value } from './value.ts';

/** Parsing an exact integer takes quadratic time; a longer one becomes its nearest double. */
const MAX_EXACT_DIGITS = 4096;

/** Parses one JSON value. The text must be valid JSON; anything else is a broken invariant. */
export function parseJson(text: string): Value {
  const reader = new JsonReader(text);
  const value = reader.readValue();
  reader.requireEnd();
  return value;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
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
const LOWER_F = 0x66;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;

class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readValue(): Value {
    switch (this.#skipBlanks()) {
      case OPEN_OBJECT:
        return this.#readObject();
      case OPEN_ARRAY:
        return this.#readArray();
      case QUOTE:
        return this.#readString();
      case LOWER_T:
        return this.#readWord('true', true);
      case LOWER_F:
        return this.#readWord('false', false);
      case LOWER_N:
        return this.#readWord('null', null);
      default:
        return this.#readNumber();
    }
  }

  requireEnd(): void {
    this.#skipBlanks();
    if (this.#at < this.#text.length) this.#fail();
  }

  #readObject(): Document {
    const start = this.#at;
    const members = new Map<string, Value>();
    this.#at += 1;
    if (this.#skipBlanks() !== CLOSE_OBJECT) {
      do {
        this.#skipBlanks();
        const name = this.#readString();
        this.#skipBlanks();
        this.#at += 1; // the colon
        members.set(name, this.readValue());
      } while (this.#skipComma());
    }
    this.#expect(CLOSE_OBJECT);
    return new Document(members, this.#text.slice(start, this.#at));
  }

  #readArray(): readonly Value[] {
    const items: Value[] = [];
    this.#at += 1;
    if (this.#skipBlanks() !== CLOSE_ARRAY) {
      do {
        items.push(this.readValue());
      } while (this.#skipComma());
    }
    this.#expect(CLOSE_ARRAY);
    return items;
  }

  #readString(): string {
    const start = this.#at + 1;
    if (this.#text.charCodeAt(this.#at) !== QUOTE) this.#fail();
    const end = this.#text.indexOf('"', start);
    const plain = this.#text.slice(start, end);
    if (end >= 0 && !plain.includes('\\')) {
      this.#at = end + 1;
      return plain;
    }
    this.#at = this.#findClosingQuote(start) + 1;
    // A single string literal, so JSON.parse loses nothing.
    const unescaped: unknown = JSON.parse(this.#text.slice(start - 1, this.#at));
    return typeof unescaped === 'string' ? unescaped : this.#fail();
  }

  #findClosingQuote(start: number): number {
    let at = start;
    while (at < this.#text.length) {
      const character = this.#text[at];
      if (character === '"') return at;
      at += character === '\\' ? 2 : 1;
    }
    return this.#fail();
  }

  #readNumber(): Value {
    const start = this.#at;
    let isWhole = true;
    for (; this.#at < this.#text.length; this.#at += 1) {
      const code = this.#text.charCodeAt(this.#at);
      const isDigitOrMinus = (code >= ZERO && code <= NINE) || code === MINUS;
      if (isDigitOrMinus) continue;
      if (code !== DOT && code !== PLUS && code !== LOWER_E && code !== UPPER_E) break;
      isWhole = false;
    }
    if (this.#at === start) this.#fail();
    const text = this.#text.slice(start, this.#at);
    const isExact = isWhole && text.length <= MAX_EXACT_DIGITS;
    return isExact ? parseInteger(text) : new Double(Number(text), text);
  }

  #readWord<Word extends boolean | null>(word: string, value: Word): Word {
    if (!this.#text.startsWith(word, this.#at)) this.#fail();
    this.#at += word.length;
    return value;
  }

  #skipComma(): boolean {
    if (this.#skipBlanks() !== COMMA) return false;
    this.#at += 1;
    return true;
  }

  #expect(code: number): void {
    if (this.#text.charCodeAt(this.#at) !== code) this.#fail();
    this.#at += 1;
  }

  /** Skips white space and returns the next character code (NaN at the end). */
  #skipBlanks(): number {
    let code = this.#text.charCodeAt(this.#at);
    while (code <= 0x20) {
      this.#at += 1;
      code = this.#text.charCodeAt(this.#at);
    }
    return code;
  }

  #fail(): never {
    throw new SyntaxError(`stored JSON is broken at offset ${this.#at}`);
  }
}
