// From the bytes of stored documents straight into columns, without building a value. One walk
// over a document serves all wanted paths, skips what nobody wants, and ends as soon as everything
// was found (a document has no member twice, so nothing can follow). The text was checked when it
// was stored: compact, valid, depth at most 200; so nothing is checked again here.

import type { Column } from './column.ts';
import type { MemberName, PathNode } from './path-tree.ts';
import { hashBytes } from './string-dictionary.ts';
import {
  ARRAY,
  DOUBLE,
  FALSE,
  INTEGER,
  NULL,
  OBJECT,
  ODD_NUMBER,
  SPELLED_DOUBLE,
  TRUE,
} from './tags.ts';

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_E = 0x45;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LOWER_E = 0x65;
const LOWER_F = 0x66;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Up to this many digits a decimal number is exact in a double, and so is a power of ten. */
const EXACT_DIGITS = 15;
const POWERS_OF_TEN = Float64Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power);

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export class JsonScanner {
  readonly #root: PathNode;
  #bytes: Uint8Array = new Uint8Array(0);
  /** The same bytes, to compare four at a time. */
  #view: DataView = new DataView(this.#bytes.buffer);
  #at = 0;

  constructor(root: PathNode) {
    this.#root = root;
  }

  /** Reads the document that begins at `start` into row `row` of the columns' selected chunks. */
  scan(bytes: Uint8Array, start: number, row: number): void {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    this.#at = start;
    this.#scanValue(this.#root, row);
  }

  /** Leaves `#at` behind the value, or inside it when nothing more is wanted of the document. */
  #scanValue(node: PathNode, row: number): void {
    const start = this.#at;
    if (node.items !== undefined) {
      this.#scanItems(node, row);
      if (node.column === undefined && node.children.length === 0) return;
      this.#at = start;
    }
    const first = this.#bytes[start];
    if (first === OPEN_BRACE) {
      if (node.children.length > 0) this.#scanMembers(node, row);
      else this.#at = skipToClose(this.#bytes, start + 1);
      if (node.column !== undefined) this.#setText(node.column, row, OBJECT, start);
    } else if (node.column === undefined) {
      this.#at = skipValue(this.#bytes, start);
    } else {
      this.#scanLeaf(node.column, row, first);
    }
  }

  #scanLeaf(column: Column, row: number, first: number | undefined): void {
    switch (first) {
      case QUOTE:
        this.#scanString(column, row);
        return;
      case OPEN_BRACKET: {
        const start = this.#at;
        this.#at = skipToClose(this.#bytes, start + 1);
        this.#setText(column, row, ARRAY, start);
        return;
      }
      case LOWER_T:
        this.#at += 4;
        column.setSimple(row, TRUE);
        return;
      case LOWER_F:
        this.#at += 5;
        column.setSimple(row, FALSE);
        return;
      case LOWER_N:
        this.#at += 4;
        column.setSimple(row, NULL);
        return;
      default:
        this.#scanNumber(column, row);
    }
  }

  #setText(column: Column, row: number, tag: typeof OBJECT | typeof ARRAY, start: number): void {
    const end = this.#at;
    const hash = hashBytes(this.#bytes, start, end);
    column.setText(row, tag, column.texts.intern(this.#bytes, start, end, hash), Number.NaN);
  }

  /** An array gives its items; null gives none; any other value counts as one item, itself. */
  #scanItems(node: PathNode, row: number): void {
    const { items, item } = node;
    if (items === undefined || item === undefined) return;
    const bytes = this.#bytes;
    const first = bytes[this.#at];
    if (first === LOWER_N) {
      this.#at += 4;
      return;
    }
    items.begin(row);
    if (first !== OPEN_BRACKET) {
      this.#scanValue(item, items.add(row));
      return;
    }
    this.#at += 1;
    if (bytes[this.#at] === CLOSE_BRACKET) {
      this.#at += 1;
      return;
    }
    do {
      this.#scanValue(item, items.add(row));
      this.#at += 1;
    } while (bytes[this.#at - 1] === COMMA);
  }

  /** `"name":value` pairs; stops looking at names once every wanted one was met. */
  #scanMembers(node: PathNode, row: number): void {
    const bytes = this.#bytes;
    const view = this.#view;
    let wanted = node.children.length;
    let before = node.start;
    let at = this.#at + 1;
    if (bytes[at] === CLOSE_BRACE) {
      this.#at = at + 1;
      return;
    }
    for (;;) {
      const guess = before.next;
      const name = guess?.isAt(view, at) === true ? guess : this.#readName(node, before, at);
      at = name === guess ? at + name.length : this.#at;
      before = name;
      if (name.child === undefined) {
        at = skipValue(bytes, at);
      } else {
        this.#at = at;
        this.#scanValue(name.child, row);
        wanted -= 1;
        if (wanted === 0) break;
        at = this.#at;
      }
      at += 1;
      if (bytes[at - 1] !== COMMA) {
        this.#at = at;
        return;
      }
    }
    // Nothing is wanted behind the root object, so its rest need not be walked.
    if (node !== this.#root || node.column !== undefined) {
      this.#at = skipToClose(bytes, this.#at);
    }
  }

  /** The name at `start`, where another than the guess stands; `#at` moves behind the colon. */
  #readName(node: PathNode, before: MemberName, start: number): MemberName {
    const guess = before.other;
    if (guess?.isAt(this.#view, start) === true) {
      this.#at = start + guess.length;
      return guess;
    }
    const bytes = this.#bytes;
    let at = start + 1;
    for (;;) {
      const byte = bytes[at] ?? QUOTE;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        this.#at = start;
        const unusual = node.nameOf(this.#readEscaped());
        this.#at += 1;
        return unusual;
      }
      at += 1;
    }
    this.#at = at + 2;
    const name = node.nameAt(bytes, this.#view, start, this.#at);
    before.expect(name);
    return name;
  }

  #scanString(column: Column, row: number): void {
    const bytes = this.#bytes;
    const start = this.#at + 1;
    let at = start;
    let hash = 0;
    for (;;) {
      const byte = bytes[at] ?? QUOTE;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        const plain = encoder.encode(this.#readEscaped());
        const id = column.strings.intern(plain, 0, plain.length, hashBytes(plain, 0, plain.length));
        column.setString(row, id);
        return;
      }
      hash = (Math.imul(hash, 31) + byte) | 0;
      at += 1;
    }
    this.#at = at + 1;
    column.setString(row, column.strings.intern(bytes, start, at, hash));
  }

  /** The string literal at `#at`, decoded; `#at` moves behind it. */
  #readEscaped(): string {
    const start = this.#at;
    this.#at = skipString(this.#bytes, start);
    const literal = decoder.decode(this.#bytes.subarray(start, this.#at));
    // A single string literal: what JSON.parse does to numbers and members is of no concern.
    return String(JSON.parse(literal));
  }

  /** Digits with at most one dot; everything longer or with an exponent goes the slow way. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one loop over the digits of most columns
  #scanNumber(column: Column, row: number): void {
    const bytes = this.#bytes;
    const start = this.#at;
    const negative = bytes[start] === MINUS;
    let at = negative ? start + 1 : start;
    const digitsStart = at;
    let digits = 0;
    let dotAt = -1;
    for (;;) {
      const byte = bytes[at] ?? 0;
      if (byte >= ZERO && byte <= NINE) digits = digits * 10 + (byte - ZERO);
      else if (byte === DOT) dotAt = at;
      else break;
      at += 1;
    }
    const isLong = at - digitsStart > EXACT_DIGITS || isExponent(bytes[at]);
    if (isLong || (negative && digits === 0)) {
      this.#scanLongNumber(column, row, start);
      return;
    }
    this.#at = at;
    const magnitude = negative ? -digits : digits;
    if (dotAt < 0) column.setNumber(row, INTEGER, magnitude);
    else this.#setDecimal(column, row, start, magnitude, at - dotAt - 1);
  }

  #setDecimal(
    column: Column,
    row: number,
    start: number,
    digits: number,
    fractionDigits: number,
  ): void {
    // Both are exact, so the quotient is the nearest double, as the text's own value is.
    const value = digits / (POWERS_OF_TEN[fractionDigits] ?? 1);
    const isCanonical = fractionDigits === 1 || this.#bytes[this.#at - 1] !== ZERO;
    const isSmall = value < 1e-6 && value > -1e-6 && value !== 0;
    if (isCanonical && !isSmall) column.setNumber(row, DOUBLE, value);
    else this.#setSpelled(column, row, start, value);
  }

  #scanLongNumber(column: Column, row: number, start: number): void {
    this.#at = skipScalar(this.#bytes, start);
    const text = decoder.decode(this.#bytes.subarray(start, this.#at));
    const value = Number(text);
    const isWhole = !/[.eE]/.test(text);
    if (isWhole && Number.isSafeInteger(value) && !Object.is(value, -0)) {
      column.setNumber(row, INTEGER, value);
    } else if (isWhole || !Number.isFinite(value) || Object.is(value, -0)) {
      const id = column.texts.internText(text);
      column.setText(row, ODD_NUMBER, id, Number.NaN);
    } else if (String(value) === text) {
      column.setNumber(row, DOUBLE, value);
    } else {
      this.#setSpelled(column, row, start, value);
    }
  }

  #setSpelled(column: Column, row: number, start: number, value: number): void {
    const end = this.#at;
    const id = column.texts.intern(this.#bytes, start, end, hashBytes(this.#bytes, start, end));
    column.setText(row, SPELLED_DOUBLE, id, value);
  }
}

/** All of these return where the value's text is over. */
function skipValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return skipString(bytes, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipToClose(bytes, start + 1);
  return skipScalar(bytes, start);
}

/** A number, true, false or null: up to whatever may follow one. */
function skipScalar(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (;;) {
    const byte = bytes[at] ?? NEWLINE;
    if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte === NEWLINE) {
      return at;
    }
    at += 1;
  }
}

function skipString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (;;) {
    const byte = bytes[at] ?? QUOTE;
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
}

/** Behind the bracket that closes the one before `start`. */
function skipToClose(bytes: Uint8Array, start: number): number {
  let open = 1;
  let at = start;
  while (open > 0) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = skipString(bytes, at);
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) open += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) open -= 1;
    else if (byte === undefined) break;
    at += 1;
  }
  return at;
}

function isExponent(byte: number | undefined): boolean {
  return byte === LOWER_E || byte === UPPER_E;
}
