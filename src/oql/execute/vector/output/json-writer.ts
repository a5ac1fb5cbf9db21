// Writes result rows as JSON bytes, directly from columns. It prints exactly what `printJson`
// prints for the values, mostly without creating them.

import type { Dictionary, SourceColumn } from '../../../../value/column-data.ts';
import { parseJson } from '../../../../value/json-parse.ts';
import { printJson } from '../../../../value/json-print.ts';
import { OWN_FORM, type ResultForm } from '../../../../value/result-form.ts';
import { DOUBLE, INTEGER, MISSING, SPELLED_DOUBLE, STRING } from '../../../../value/row-tags.ts';
import { utf8Length } from '../../../../value/utf8-length.ts';
import type { Value } from '../../../../value/value.ts';
import { readValue, type Vector } from '../frames/vector.ts';
import { MAX_NUMBER_BYTES, NOT_PUT, putInteger, putShortDouble } from './json-numbers.ts';
import {
  MAX_STRING_BYTES,
  type Phrase,
  putPhrase,
  SPARE,
  type StringPhrases,
  toPhrase,
} from './phrases.ts';
import type { Projector, WrittenRows } from './projection.ts';
import type { Piece, RowSink } from './row-sink.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const AT_SIGN = 0x40;

/** Longer texts are measured before the buffer grows for them. */
const LONG_TEXT = 1 << 16;

const encoder = new TextEncoder();

/** A column as it is printed. */
interface WrittenColumn {
  readonly prefix: Phrase;
  readonly vector: Vector;
  /** Its strings, the prefix before each. */
  readonly strings: StringPhrases;
  readonly column: SourceColumn;
}

/** A member of each row: of a column, or a text by the position of the row among those written. */
export type WrittenMember =
  | WrittenColumn
  | { readonly prefix: Phrase; readonly vector: undefined; print(index: number): string };

/** Room for any value that `putMember` writes. */
const MAX_MEMBER_BYTES = Math.max(MAX_NUMBER_BYTES, MAX_STRING_BYTES) + SPARE;

/** Writes a value after its prefix, if it is an integer, an amount or a cached string; returns the end. */
function putMember(view: DataView, start: number, column: WrittenColumn, row: number): number {
  const { prefix, strings, vector } = column;
  switch (vector.tags[row]) {
    case STRING: {
      const phrase = strings.find(vector.ids[row] ?? 0);
      return phrase === undefined ? NOT_PUT : putPhrase(view, start, phrase);
    }
    case INTEGER:
      return putInteger(view, putPhrase(view, start, prefix), vector.numbers[row] ?? 0);
    case DOUBLE:
      return putShortDouble(view, putPhrase(view, start, prefix), vector.numbers[row] ?? 0);
    default:
      return NOT_PUT;
  }
}

/** Values without a payload, by their tags: missing, null, true and false. */
const PHRASES = ['null', 'null', 'true', 'false'].map(toPhrase);

/** A piece is sent once it has so many bytes. */
const PIECE_BYTES = 1 << 16;

/** Result rows as JSON, joined by commas. */
export interface JsonRows extends Piece {
  readonly json: Uint8Array;
}

export class JsonWriter implements RowSink<JsonRows> {
  /** Kept alive: without any writer, V8 would drop the code that it compiled for writers. */
  static readonly kept: JsonWriter = new JsonWriter();
  readonly form: ResultForm;
  readonly #phrases: readonly Phrase[];
  #bytes: Uint8Array = new Uint8Array(1024);
  #view: DataView = new DataView(this.#bytes.buffer);
  #at = 0;
  #rows = 0;

  constructor(form: ResultForm = OWN_FORM) {
    this.form = form;
    this.#phrases =
      form.missing === 'null' ? PHRASES : PHRASES.with(MISSING, toPhrase(form.missing));
  }

  take(): JsonRows | undefined {
    if (this.#rows === 0) return undefined;
    const rows = this.#rows;
    // Every row was followed by a comma.
    const json = this.#bytes.slice(0, this.#at - 1);
    this.#at = 0;
    this.#rows = 0;
    return { rows, json };
  }

  get isFull(): boolean {
    return this.#at >= PIECE_BYTES;
  }

  writeRows(projector: Projector, written: WrittenRows): number {
    return projector.write(written, this);
  }

  writeValue(value: Value): void {
    this.#writeText(`${printJson(value, this.form)},`);
    this.#rows += 1;
  }

  /**
   * Writes rows: each member after its prefix, and the suffix, which ends with a comma, after each
   * row. Returns the number of rows written: all, or as many as filled the piece.
   */
  writeMembers(members: readonly WrittenMember[], rows: Uint32Array, suffix: Phrase): number {
    let room = suffix.length + SPARE;
    for (const { prefix } of members) room += prefix.length + SPARE + MAX_MEMBER_BYTES;
    for (let index = 0; index < rows.length; index += 1) {
      // Longer values grow the buffer themselves.
      this.#ensure(room);
      const at = this.#writeRow(members, rows, index, room);
      this.#at = putPhrase(this.#view, at, suffix);
      this.#rows += 1;
      if (this.#at >= PIECE_BYTES) return index + 1;
    }
    return rows.length;
  }

  /** Returns the end. `room` is the maximum bytes that the rest of the row needs. */
  #writeRow(
    members: readonly WrittenMember[],
    rows: Uint32Array,
    index: number,
    room: number,
  ): number {
    const row = rows[index] ?? 0;
    let view = this.#view;
    let at = this.#at;
    for (let number = 0; number < members.length; number += 1) {
      const member = members[number];
      if (member === undefined) break;
      const end = member.vector === undefined ? NOT_PUT : putMember(view, at, member, row);
      if (end !== NOT_PUT) {
        at = end;
        continue;
      }
      this.#at = putPhrase(view, at, member.prefix);
      if (member.vector === undefined) this.#writeText(member.print(index));
      else this.#writeValue(member, row);
      this.#ensure(room);
      view = this.#view;
      at = this.#at;
    }
    return at;
  }

  #writeText(text: string): void {
    // Reserving three bytes per character of a long text would waste much memory.
    this.#ensure(text.length > LONG_TEXT ? utf8Length(text) : text.length * 3);
    this.#at += encoder.encodeInto(text, this.#bytes.subarray(this.#at)).written;
  }

  /** A value that `putMember` does not write. */
  #writeValue({ vector, column }: WrittenColumn, row: number): void {
    const tag = vector.tags[row] ?? MISSING;
    const phrase = this.#phrases[tag];
    if (phrase !== undefined) {
      this.#ensure(phrase.length + SPARE);
      this.#at = putPhrase(this.#view, this.#at, phrase);
    } else if (tag === STRING) {
      this.#writeString(column.strings, vector.ids[row] ?? 0);
    } else if (tag === DOUBLE) {
      this.#writeText(printJson(readValue(vector, row, column)));
    } else {
      // Stored objects are copied byte by byte when nothing in them is renamed.
      const isPlain = this.form.typeName === '@type' || tag === SPELLED_DOUBLE;
      this.#writeStored(column.texts, vector.texts[row] ?? 0, isPlain);
    }
  }

  /** Copies bytes up to the first character that has to be escaped; the slow path does the rest. */
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
        this.#writeText(JSON.stringify(dictionary.text(id)));
        return;
      }
      bytes[at] = byte;
    }
    bytes[at] = QUOTE;
    this.#at = at + 1;
  }

  /** Objects and arrays as they are stored, unless a part of them is printed differently. */
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
        this.#writeText(printJson(parseJson(texts.text(id))));
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
    this.#view = new DataView(grown.buffer);
  }
}

/**
 * The JSON text of a stored value as a result shows it. Without a backslash in the text, `"@type":`
 * can only be the name of a member: quotes within strings would be escaped. It is looked for by its
 * first character that is rare, which takes a third of the time.
 */
export function printStored(text: string, form: ResultForm = OWN_FORM): string {
  if (form.typeName === '@type') return text;
  if (text.includes('\\')) return printJson(parseJson(text));
  const at = text.indexOf('@type":');
  if (at < 0) return text;
  // A member already called `type-class` is dropped, which takes more than a rename.
  if (text.includes('-class":') && text.includes('"type-class":')) {
    return printJson(parseJson(text));
  }
  const isOne = text[at - 1] === '"' && text.indexOf('@type":', at + 1) < 0;
  if (!isOne) return text.replaceAll('"@type":', '"type-class":');
  return `${text.slice(0, at)}type-class":${text.slice(at + '@type":'.length)}`;
}
