// Result rows as JSON bytes, straight from columns. Prints exactly what `printJson` prints for the
// value a column stands for, mostly without making that value.

import { parseJson } from '../../../value/json-parse.ts';
import { printJson } from '../../../value/json-print.ts';
import {
  type Dictionary,
  DOUBLE,
  FALSE,
  INTEGER,
  MISSING,
  NULL,
  type SourceColumn,
  SPELLED_DOUBLE,
  STRING,
  TRUE,
} from './column-source.ts';
import type { Vector } from './frame.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const AT_SIGN = 0x40;
const ZERO = 0x30;
const MINUS = 0x2d;
const DOT = 0x2e;

/** Longer texts are measured before room is made for them. */
const LONG_TEXT = 1 << 16;

const encoder = new TextEncoder();
const NULL_TEXT: Uint8Array = encoder.encode('null');
const TRUE_TEXT: Uint8Array = encoder.encode('true');
const FALSE_TEXT: Uint8Array = encoder.encode('false');

export class JsonWriter {
  #bytes: Uint8Array = new Uint8Array(1024);
  #at = 0;

  get length(): number {
    return this.#at;
  }

  /** The bytes written since the last time; the writer starts anew. */
  take(): Uint8Array {
    const written = this.#bytes.slice(0, this.#at);
    this.#at = 0;
    return written;
  }

  writeByte(byte: number): void {
    this.#ensure(1);
    this.#bytes[this.#at] = byte;
    this.#at += 1;
  }

  writeBytes(text: Uint8Array): void {
    this.#ensure(text.length);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let index = 0; index < text.length; index += 1, at += 1) bytes[at] = text[index] ?? 0;
    this.#at = at;
  }

  writeText(text: string): void {
    if (text.length > LONG_TEXT) {
      // Three bytes a character would be a lot to hold for nothing.
      const bytes = encoder.encode(text);
      this.#ensure(bytes.length);
      this.#bytes.set(bytes, this.#at);
      this.#at += bytes.length;
      return;
    }
    this.#ensure(text.length * 3);
    this.#at += encoder.encodeInto(text, this.#bytes.subarray(this.#at)).written;
  }

  /** The value of one row of a column. */
  writeValue(vector: Vector, row: number, column: SourceColumn): void {
    const tag = vector.tags[row];
    switch (tag) {
      case STRING:
        this.#writeString(column.strings, vector.ids[row] ?? 0);
        return;
      case INTEGER:
        this.#writeInteger(vector.numbers[row] ?? 0);
        return;
      case DOUBLE:
        this.#writeDouble(vector.numbers[row] ?? 0);
        return;
      case MISSING:
      case NULL:
        this.writeBytes(NULL_TEXT);
        return;
      case TRUE:
      case FALSE:
        this.writeBytes(tag === TRUE ? TRUE_TEXT : FALSE_TEXT);
        return;
      default:
        this.#writeStored(column.texts, vector.texts[row] ?? 0, tag === SPELLED_DOUBLE);
    }
  }

  /** Copies until a character that has to be escaped turns up; then the careful way. */
  #writeString(dictionary: Dictionary, id: number): void {
    const source = dictionary.bytes;
    const end = dictionary.ends[id] ?? 0;
    const start = dictionary.start(id);
    this.#ensure(end - start + 2);
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at] = QUOTE;
    at += 1;
    for (let index = start; index < end; index += 1, at += 1) {
      const byte = source[index] ?? 0;
      if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) {
        this.writeText(JSON.stringify(dictionary.text(id)));
        return;
      }
      bytes[at] = byte;
    }
    bytes[at] = QUOTE;
    this.#at = at + 1;
  }

  #writeInteger(value: number): void {
    this.#ensure(20);
    if (value < 0) {
      this.#bytes[this.#at] = MINUS;
      this.#at += 1;
    }
    this.#writeDigits(Math.abs(value));
  }

  #writeDigits(value: number): void {
    const bytes = this.#bytes;
    let rest = value;
    let length = 1;
    for (let power = 10; power <= rest; power *= 10) length += 1;
    for (let index = this.#at + length - 1; index >= this.#at; index -= 1) {
      const quotient = Math.floor(rest / 10);
      bytes[index] = ZERO + (rest - quotient * 10);
      rest = quotient;
    }
    this.#at += length;
  }

  /**
   * Amounts with up to two decimals are written from their hundredths. If those have at most 15
   * digits, no other number of so few digits is the same double, so this is also the shortest.
   */
  #writeDouble(value: number): void {
    const hundredths = Math.round(value * 100);
    const isShort = hundredths / 100 === value && hundredths < 1e15 && hundredths > -1e15;
    if (!isShort) {
      const text = String(value);
      this.writeText(Number.isInteger(value) && !text.includes('e') ? `${text}.0` : text);
      return;
    }
    const magnitude = Math.abs(hundredths);
    const whole = Math.floor(magnitude / 100);
    const fraction = magnitude - whole * 100;
    this.#writeInteger(value < 0 ? -whole : whole);
    if (value < 0 && whole === 0) {
      // `-0` has lost its sign as a whole number.
      this.#bytes[this.#at - 1] = MINUS;
      this.writeByte(ZERO);
    }
    this.writeByte(DOT);
    const tenths = Math.floor(fraction / 10);
    this.writeByte(ZERO + tenths);
    if (fraction !== tenths * 10) this.writeByte(ZERO + fraction - tenths * 10);
  }

  /** Objects and arrays as they are stored, unless something in them is printed otherwise. */
  #writeStored(texts: Dictionary, id: number, isPlain: boolean): void {
    const source = texts.bytes;
    const start = texts.start(id);
    const end = texts.ends[id] ?? 0;
    this.#ensure(end - start);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let index = start; index < end; index += 1, at += 1) {
      const byte = source[index] ?? 0;
      if (!isPlain && (byte === BACKSLASH || byte === AT_SIGN)) {
        this.writeText(printJson(parseJson(texts.text(id))));
        return;
      }
      bytes[at] = byte;
    }
    this.#at = at;
  }

  #ensure(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + more));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
  }
}

/**
 * The JSON text of a stored value as a result shows it. Without a backslash in the text, `"@type":`
 * can only be the name of a member: quotes within strings would be escaped.
 */
export function printStored(text: string): string {
  if (text.includes('\\')) return printJson(parseJson(text));
  if (!text.includes('"@type":')) return text;
  // A member already called `type-class` has to give way, which takes more than a new name.
  if (text.includes('"type-class":')) return printJson(parseJson(text));
  return text.replaceAll('"@type":', '"type-class":');
}
