// Writes result rows as JSON bytes, directly from columns. It prints exactly what `printJson`
// prints for the values, mostly without creating them.

import type { Dictionary, SourceColumn } from '../../../../value/column-data.ts';
import { printJson } from '../../../../value/json-print.ts';
import { OWN_FORM, type ResultForm } from '../../../../value/result-form.ts';
import {
  DOUBLE,
  INTEGER,
  MISSING,
  NON_CANONICAL_DOUBLE,
  STRING,
} from '../../../../value/row-tags.ts';
import { printStored } from '../../../../value/stored-json.ts';
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
const BRACE = 0x7d;

/** Longer texts are measured before the buffer grows for them. */
const LONG_TEXT = 1 << 16;

const encoder = new TextEncoder();

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

interface RowLayout {
  /** Each row begins with a comma, which is part of the first prefix. */
  readonly members: readonly WrittenMember[];
  readonly isObject: boolean;
}

/** Room for any value that `putMember` writes. */
const MAX_MEMBER_BYTES = Math.max(MAX_NUMBER_BYTES, MAX_STRING_BYTES) + SPARE;

/** Writes a value after its prefix, if it is an integer, an amount or a cached string; returns the end. */
function putMember(view: DataView, start: number, column: WrittenColumn, row: number): number {
  const { prefix, strings, vector } = column;
  switch (vector.tags[row]) {
    case STRING:
      return strings.put(view, start, vector.ids[row] ?? 0);
    case INTEGER:
      return putInteger(view, putPhrase(view, start, prefix), vector.numbers[row] ?? 0);
    case DOUBLE:
      return putShortDouble(view, putPhrase(view, start, prefix), vector.numbers[row] ?? 0);
    default:
      return NOT_PUT;
  }
}

/** Room for a row; longer values grow the buffer themselves. */
function roomOf(members: readonly WrittenMember[]): number {
  let room = SPARE;
  for (const { prefix } of members) room += prefix.length + SPARE + MAX_MEMBER_BYTES;
  return room;
}

function putBrace(view: DataView, at: number): number {
  view.setUint8(at, BRACE);
  return at + 1;
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
    // Every row begins with a comma.
    const json = this.#bytes.slice(1, this.#at);
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
    this.#writeText(`,${printJson(value, this.form)}`);
    this.#rows += 1;
  }

  /** Writes rows; returns how many: all, or as many as filled the piece. */
  writeMembers({ isObject, members }: RowLayout, rows: Uint32Array): number {
    const room = roomOf(members);
    this.#ensure(room);
    let view = this.#view;
    let at = this.#at;
    let index = 0;
    for (; index < rows.length && at < PIECE_BYTES; index += 1) {
      const row = rows[index] ?? 0;
      if (at + room > view.byteLength) {
        this.#at = at;
        this.#ensure(room);
        view = this.#view;
      }
      for (const member of members) {
        const end = member.vector === undefined ? NOT_PUT : putMember(view, at, member, row);
        if (end !== NOT_PUT) {
          at = end;
          continue;
        }
        this.#at = putPhrase(view, at, member.prefix);
        this.#writeOther(member, row, index);
        this.#ensure(room);
        view = this.#view;
        at = this.#at;
      }
      if (isObject) at = putBrace(view, at);
    }
    this.#at = at;
    this.#rows += index;
    return index;
  }

  #writeText(text: string): void {
    // Reserving three bytes per character of a long text would waste much memory.
    this.#ensure(text.length > LONG_TEXT ? utf8Length(text) : text.length * 3);
    this.#at += encoder.encodeInto(text, this.#bytes.subarray(this.#at)).written;
  }

  /** A value that `putMember` does not write. */
  #writeOther(member: WrittenMember, row: number, index: number): void {
    if (member.vector === undefined) {
      this.#writeText(member.print(index));
      return;
    }
    const { vector, column } = member;
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
      const isPlain = this.form.typeName === '@type' || tag === NON_CANONICAL_DOUBLE;
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
        this.#writeText(printStored(texts.text(id), this.form));
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
