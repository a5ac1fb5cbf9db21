// Texts that are written often: the prefix of each value of a column, and short strings that many
// rows have. They are written eight bytes at a time.

import type { Dictionary } from '../../../../value/column-data.ts';

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
export const SPARE = 16;

const encoder = new TextEncoder();

export function toPhrase(text: string): Phrase {
  const bytes = encoder.encode(text);
  const padded = new Uint8Array(Math.ceil(bytes.length / 8) * 8);
  padded.set(bytes);
  const view = new DataView(padded.buffer);
  const words = Float64Array.from({ length: view.byteLength / 8 }, (_, index) =>
    view.getFloat64(index * 8, true),
  );
  const [first = 0, second = 0] = words;
  return { length: bytes.length, first, second, others: words.subarray(2) };
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
/** The maximum bytes of a cached string. */
const MAX_BYTES = 32;
/** The same with its quotes and with everything in it escaped. */
export const MAX_STRING_BYTES: number = MAX_BYTES * 6 + 2;

export const NO_STRINGS: Dictionary = {
  size: 0,
  bytes: new Uint8Array(0),
  ends: new Uint32Array(0),
  start: () => 0,
  text: () => '',
  findText: () => undefined,
  find: () => undefined,
};

/** The strings of a column as JSON, each after the prefix of the column. */
export class StringPhrases {
  /** Kept alive, like a writer, so that V8 keeps the compiled code. */
  static readonly kept: StringPhrases = new StringPhrases(NO_STRINGS, '');
  readonly #dictionary: Dictionary;
  readonly #prefix: string;
  readonly #cached: (Phrase | undefined)[] = [];

  constructor(dictionary: Dictionary, prefix: string) {
    this.#dictionary = dictionary;
    this.#prefix = prefix;
  }

  /** Undefined for a string that is not cached. */
  find(id: number): Phrase | undefined {
    return id < MAX_STRINGS ? (this.#cached[id] ?? this.#make(id)) : undefined;
  }

  #make(id: number): Phrase | undefined {
    const dictionary = this.#dictionary;
    if ((dictionary.ends[id] ?? 0) - dictionary.start(id) > MAX_BYTES) return undefined;
    while (this.#cached.length <= id) this.#cached.push(undefined);
    const phrase = toPhrase(this.#prefix + JSON.stringify(dictionary.text(id)));
    this.#cached[id] = phrase;
    return phrase;
  }
}
