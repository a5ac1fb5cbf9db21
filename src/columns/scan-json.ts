// Scans the bytes of stored documents into columns, without building values. One walk over a
// document serves all requested paths, skips the rest, and ends as soon as everything was found (a
// document has no duplicate members). The text was checked when it was stored: it is compact, valid
// and of limited depth; so nothing is checked again here.

import {
  ARRAY,
  DOUBLE,
  FALSE,
  fractionTag,
  INTEGER,
  NON_CANONICAL_DOUBLE,
  NULL,
  OBJECT,
  OTHER_NUMBER,
  TRUE,
  wholeTag,
} from '../value/row-tags.ts';
import type { Column } from './column.ts';
import { type MemberName, PathNode } from './path-tree.ts';
import { hashBytes } from './string-dictionary.ts';

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_E = 0x45;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LOWER_E = 0x65;
const LOWER_F = 0x66;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Up to this many digits a decimal number is exact in a double, and so is a power of ten. */
const EXACT_DIGITS = 15;
const POWERS_OF_TEN = Float64Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power);

const decoder = new TextDecoder();
const NO_BYTES = new Uint8Array(0);
const NO_VIEW = new DataView(NO_BYTES.buffer);

/** A number with a decimal point, as written. */
interface Decimal {
  readonly start: number;
  readonly end: number;
  readonly digits: number;
  readonly dotAt: number;
}

export class JsonScanner {
  readonly #root: PathNode;
  #bytes: Uint8Array = NO_BYTES;
  /** The same bytes, to compare several at a time. */
  #view: DataView = NO_VIEW;
  /** The start of the value of the member whose name was read last. */
  #valueAt = 0;

  constructor(root: PathNode) {
    this.#root = root;
  }

  /** Reads the document that begins at `start` into row `row` of the columns' selected chunks. */
  scan(bytes: Uint8Array, start: number, row: number): void {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    this.#scanValue(this.#root, row, start);
  }

  /** Drops the reference to the bytes of the last document. */
  release(): void {
    this.#bytes = NO_BYTES;
    this.#view = NO_VIEW;
  }

  // All of these take the start of a text and return its end. The returned offset is meaningless
  // when nothing more is requested of the document.

  #scanValue(node: PathNode, row: number, start: number): number {
    if (node.items !== undefined) {
      const end = this.#scanItems(node, row, start);
      if (node.isForItemsOnly()) return end;
    }
    switch (this.#bytes[start]) {
      case OPEN_OBJECT:
        return this.#scanObject(node, row, start);
      case OPEN_ARRAY:
        return this.#scanArray(node, row, start);
      default:
        return node.column === undefined
          ? skipValue(this.#bytes, this.#view, start)
          : this.#scanLeaf(node.column, row, start);
    }
  }

  #scanObject(node: PathNode, row: number, start: number): number {
    const end =
      node.childCount > 0 || node.summary !== undefined
        ? this.#scanMembers(node, row, start)
        : skipToClose(this.#bytes, this.#view, start + 1);
    if (node.column !== undefined) this.#setText(node.column, row, OBJECT, start, end);
    return end;
  }

  #scanArray(node: PathNode, row: number, start: number): number {
    const end =
      node.summary !== undefined && node.items === undefined
        ? this.#summarizeItems(node, start)
        : skipToClose(this.#bytes, this.#view, start + 1);
    if (node.column !== undefined) this.#setText(node.column, row, ARRAY, start, end);
    return end;
  }

  /** Walks a list without columns, for the names in its items. */
  #summarizeItems(node: PathNode, start: number): number {
    node.item ??= new PathNode('');
    node.item.summary ??= node.summary?.addItems();
    let at = start + 1;
    if (this.#bytes[at] === CLOSE_ARRAY) return at + 1;
    do {
      at = this.#scanValue(node.item, 0, at) + 1;
    } while (this.#bytes[at - 1] === COMMA);
    return at;
  }

  /** Anything but an object or a list. */
  #scanLeaf(column: Column, row: number, start: number): number {
    switch (this.#bytes[start]) {
      case QUOTE:
        return this.#scanString(column, row, start);
      case LOWER_T:
        column.setSimple(row, TRUE);
        return start + 4;
      case LOWER_F:
        column.setSimple(row, FALSE);
        return start + 5;
      case LOWER_N:
        column.setSimple(row, NULL);
        return start + 4;
      default:
        return this.#scanNumber(column, row, start);
    }
  }

  #setText(
    column: Column,
    row: number,
    tag: typeof OBJECT | typeof ARRAY,
    start: number,
    end: number,
  ): void {
    const hash = hashBytes(this.#bytes, start, end);
    column.setText(row, tag, column.texts.intern(this.#bytes, start, end, hash), Number.NaN);
  }

  /** An array yields its items, null yields none, and any other value is its own only item. */
  #scanItems(node: PathNode, row: number, start: number): number {
    const { items, item, summary } = node;
    if (items === undefined || item === undefined) return start;
    if (summary !== undefined) item.summary ??= summary.addItems();
    const bytes = this.#bytes;
    const first = bytes[start];
    if (first === LOWER_N) return start + 4;
    items.begin(row);
    if (first !== OPEN_ARRAY) return this.#scanValue(item, items.add(row), start);
    let at = start + 1;
    if (bytes[at] === CLOSE_ARRAY) return at + 1;
    do {
      at = this.#scanValue(item, items.add(row), at) + 1;
    } while (bytes[at - 1] === COMMA);
    return at;
  }

  /** `"name":value` pairs; stops reading names once every requested one was found. */
  #scanMembers(node: PathNode, row: number, start: number): number {
    const bytes = this.#bytes;
    const view = this.#view;
    let left = node.membersToFind;
    let before = node.start;
    let at = start + 1;
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    for (;;) {
      const guess = before.next;
      const isGuessed = guess?.isAt(view, at) === true;
      const name = isGuessed ? guess : this.#readName(node, before, at);
      at = isGuessed ? at + name.length : this.#valueAt;
      before = name;
      if (name.child === undefined) {
        at = skipValue(bytes, view, at);
      } else {
        at = this.#scanValue(name.child, row, at);
        left -= 1;
        if (left === 0) break;
      }
      at += 1;
      if (bytes[at - 1] !== COMMA) return at;
    }
    // Nothing is requested after the root object, so its rest can be skipped.
    const isDone = node === this.#root && node.column === undefined;
    return isDone ? at : skipToClose(bytes, view, at);
  }

  /** Reads the name at `start`, which is not the guessed one. */
  #readName(node: PathNode, before: MemberName, start: number): MemberName {
    const guess = before.other;
    if (guess?.isAt(this.#view, start) === true) {
      this.#valueAt = start + guess.length;
      return guess;
    }
    const end = skipString(this.#bytes, this.#view, start);
    this.#valueAt = end + 1;
    for (let at = start; at < end; at += 1) {
      if (this.#bytes[at] === BACKSLASH) return node.nameOf(this.#readEscaped(start, end));
    }
    const name = node.nameAt(this.#bytes, this.#view, start, end + 1);
    if (node.summary !== undefined && !name.isSummarized) node.summarize(name, this.#bytes, start);
    before.expect(name);
    return name;
  }

  #scanString(column: Column, row: number, quoteAt: number): number {
    const bytes = this.#bytes;
    const start = quoteAt + 1;
    let at = start;
    let hash = 0;
    for (;;) {
      const byte = bytes[at] ?? QUOTE;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) return this.#scanEscaped(column, row, quoteAt);
      hash = (Math.imul(hash, 31) + byte) | 0;
      at += 1;
    }
    column.setString(row, column.strings.intern(bytes, start, at, hash));
    return at + 1;
  }

  #scanEscaped(column: Column, row: number, start: number): number {
    const end = skipString(this.#bytes, this.#view, start);
    column.setString(row, column.strings.internText(this.#readEscaped(start, end)));
    return end;
  }

  /** The string literal in `[start, end)`, decoded. */
  #readEscaped(start: number, end: number): string {
    const literal = decoder.decode(this.#bytes.subarray(start, end));
    // A single string literal, so JSON.parse loses nothing.
    return String(JSON.parse(literal));
  }

  /** Digits with at most one dot; everything longer or with an exponent takes the slow path. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one loop over the digits of most columns
  #scanNumber(column: Column, row: number, start: number): number {
    const bytes = this.#bytes;
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
    if (isLong || (negative && digits === 0)) return this.#scanLongNumber(column, row, start);
    const magnitude = negative ? -digits : digits;
    if (dotAt < 0) column.setNumber(row, INTEGER, magnitude);
    else this.#setDecimal(column, row, { start, end: at, digits: magnitude, dotAt });
    return at;
  }

  #setDecimal(column: Column, row: number, { start, end, digits, dotAt }: Decimal): void {
    const fractionDigits = end - dotAt - 1;
    // Both are exact, so the quotient is the nearest double, as the text's own value is.
    const value = digits / (POWERS_OF_TEN[fractionDigits] ?? 1);
    const isCanonical = fractionDigits === 1 || this.#bytes[end - 1] !== ZERO;
    const isSmall = value < 1e-6 && value > -1e-6 && value !== 0;
    if (isCanonical && !isSmall) column.setNumber(row, DOUBLE, value);
    else this.#setNonCanonical(column, row, start, end, value);
  }

  #scanLongNumber(column: Column, row: number, start: number): number {
    const end = skipScalar(this.#bytes, start);
    const text = decoder.decode(this.#bytes.subarray(start, end));
    const value = Number(text);
    const isWhole = !/[.eE]/.test(text);
    const tag = isWhole ? wholeTag(value) : fractionTag(value);
    if (tag === OTHER_NUMBER) {
      column.setText(row, OTHER_NUMBER, column.texts.internText(text), Number.NaN);
    } else if (isWhole || String(value) === text) {
      column.setNumber(row, tag, value);
    } else {
      this.#setNonCanonical(column, row, start, end, value);
    }
    return end;
  }

  #setNonCanonical(column: Column, row: number, start: number, end: number, value: number): void {
    const id = column.texts.intern(this.#bytes, start, end, hashBytes(this.#bytes, start, end));
    column.setText(row, NON_CANONICAL_DOUBLE, id, value);
  }
}

function skipValue(bytes: Uint8Array, view: DataView, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return skipString(bytes, view, start);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return skipToClose(bytes, view, start + 1);
  return skipScalar(bytes, start);
}

/** Skips a number, true, false or null. */
function skipScalar(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (;;) {
    const byte = bytes[at] ?? NEWLINE;
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || byte === NEWLINE) {
      return at;
    }
    at += 1;
  }
}

function skipString(bytes: Uint8Array, view: DataView, start: number): number {
  let at = start + 1;
  const lastWord = bytes.length - 4;
  for (;;) {
    while (at <= lastWord && hasNoEnd(view.getInt32(at, true))) at += 4;
    const byte = bytes[at] ?? QUOTE;
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
}

/**
 * True when none of four bytes is a quote or a backslash. A byte that is one is zero after XOR with
 * it, and subtracting 1 from a zero byte borrows from its top bit. It may have false negatives.
 */
function hasNoEnd(word: number): boolean {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  const borrowed = ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes);
  return (borrowed & 0x80808080) === 0;
}

/** After the bracket that closes the one before `start`. */
function skipToClose(bytes: Uint8Array, view: DataView, start: number): number {
  let depth = 1;
  let at = start;
  while (depth > 0) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = skipString(bytes, view, at);
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
    else if (byte === undefined) break;
    at += 1;
  }
  return at;
}

function isExponent(byte: number | undefined): boolean {
  return byte === LOWER_E || byte === UPPER_E;
}
