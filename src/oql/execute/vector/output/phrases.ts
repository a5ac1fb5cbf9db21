// Texts that are written often: the prefix of each value of a column, and short strings that many
// rows have. They are written eight bytes at a time.

import type { Dictionary } from '../../../../value/column-data.ts';
import { NOT_PUT } from './json-numbers.ts';

/**
 * The bytes of a text by eights, the first one lowest, as doubles. No eight bytes of UTF-8 are a
 * NaN, which might be stored in another way: 7F would have to follow a lead byte.
 */
export interface Phrase {
  /** In bytes. */
  readonly length: number;
  readonly first: number;
  readonly second: number;
  /** The words after these two; most phrases have none. */
  readonly others: Float64Array;
}

/** Bytes that may be written beyond the end of a phrase. */
export const SPARE = 24;

const encoder = new TextEncoder();

export function toPhrase(text: string): Phrase {
  const bytes = encoder.encode(text);
  const words = toWords(bytes);
  const [first = 0, second = 0] = words;
  return { length: bytes.length, first, second, others: words.subarray(2) };
}

function toWords(bytes: Uint8Array): Float64Array {
  const padded = new Uint8Array(Math.ceil(bytes.length / 8) * 8);
  padded.set(bytes);
  const view = new DataView(padded.buffer);
  return Float64Array.from({ length: view.byteLength / 8 }, (_, index) =>
    view.getFloat64(index * 8, true),
  );
}

/** Returns the end; the bytes after it are overwritten later. */
export function putPhrase(view: DataView, start: number, phrase: Phrase): number {
  view.setFloat64(start, phrase.first, true);
  view.setFloat64(start + 8, phrase.second, true);
  if (phrase.length > 16) putOthers(view, start + 16, phrase.others);
  return start + phrase.length;
}

function putOthers(view: DataView, start: number, words: Float64Array): void {
  for (let index = 0, at = start; index < words.length; index += 1, at += 8) {
    view.setFloat64(at, words[index] ?? 0, true);
  }
}

/** Only the first strings of a dictionary are cached: if there are so few, all rows have one. */
const MAX_STRINGS = 256;
/** The maximum bytes of a cached string with its quotes. */
export const MAX_STRING_BYTES = 34;

export const NO_STRINGS: Dictionary = {
  size: 0,
  bytes: new Uint8Array(0),
  ends: new Uint32Array(0),
  start: () => 0,
  text: () => '',
  findText: () => undefined,
  find: () => undefined,
};

/** Instead of the length of a phrase that is not cached because it is too long. */
const TOO_LONG = 255;
const MAX_PHRASE_BYTES = 128;

const NO_LENGTHS = new Uint8Array(0);
const NO_WORDS = new Float64Array(0);

/** The strings of a column as JSON, each after the prefix of the column. */
export class StringPhrases {
  /** Kept alive, like a writer, so that V8 keeps the compiled code. */
  static readonly kept: StringPhrases = new StringPhrases(NO_STRINGS, '');
  readonly #dictionary: Dictionary;
  readonly #prefix: string;
  /** Words of a phrase, at least three. */
  readonly #width: number;
  /** Bytes of each phrase, by the id of its string; 0 before it is first needed. */
  #lengths = NO_LENGTHS;
  #words = NO_WORDS;

  constructor(dictionary: Dictionary, prefix: string) {
    this.#dictionary = dictionary;
    this.#prefix = prefix;
    this.#width = Math.ceil((Buffer.byteLength(prefix) + MAX_STRING_BYTES) / 8);
  }

  /** Writes a string after the prefix; returns the end, or `NOT_PUT` if it is not cached. */
  put(view: DataView, start: number, id: number): number {
    if (id >= MAX_STRINGS) return NOT_PUT;
    const length = this.#lengths[id] ?? 0;
    if (length === TOO_LONG) return NOT_PUT;
    if (length === 0) {
      this.#cache(id);
      return this.put(view, start, id);
    }
    const words = this.#words;
    let at = id * this.#width;
    // Most phrases have three words.
    view.setFloat64(start, words[at] ?? 0, true);
    view.setFloat64(start + 8, words[at + 1] ?? 0, true);
    view.setFloat64(start + 16, words[at + 2] ?? 0, true);
    at += 3;
    for (let done = 24; done < length; done += 8, at += 1) {
      view.setFloat64(start + done, words[at] ?? 0, true);
    }
    return start + length;
  }

  #cache(id: number): void {
    if (this.#lengths.length === 0) this.#lengths = new Uint8Array(MAX_STRINGS);
    this.#lengths[id] = TOO_LONG;
    const most = this.#width * 8;
    const size = (this.#dictionary.ends[id] ?? 0) - this.#dictionary.start(id);
    if (most > MAX_PHRASE_BYTES || size > MAX_STRING_BYTES) return;
    const bytes = encoder.encode(this.#prefix + JSON.stringify(this.#dictionary.text(id)));
    if (bytes.length > most) return;
    if (this.#words.length === 0) this.#words = new Float64Array(MAX_STRINGS * this.#width);
    this.#lengths[id] = bytes.length;
    this.#words.set(toWords(bytes), id * this.#width);
  }
}
