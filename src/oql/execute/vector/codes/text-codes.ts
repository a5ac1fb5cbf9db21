// Codes of texts, found by their hashes. A map of strings would be copied whenever it grows, and
// the garbage collector would have to trace it.

import { NumberCodes, UNSEEN } from './number-codes.ts';
import { PagedWords } from './pages.ts';
import { TextStore } from './text-store.ts';

export class TextCodes {
  readonly #texts = new TextStore();
  /** The number of a text by its hash. */
  readonly #byHash = new NumberCodes();
  /** By the number of a text. */
  readonly #codes = new PagedWords();
  /** The number plus one of another text with the same hash, which is rare. */
  readonly #others = new PagedWords();
  readonly #hash: (text: string) => number;

  constructor(hash: (text: string) => number = hashText) {
    this.#hash = hash;
  }

  /** The code of a text, or UNSEEN. */
  find(text: string): number {
    const first = this.#byHash.find(this.#hash(text));
    for (let number = first; number !== UNSEEN; number = this.#others.at(number) - 1) {
      if (this.#texts.isEqual(number, text)) return this.#codes.at(number);
    }
    return UNSEEN;
  }

  /** The text must be new. */
  add(text: string, code: number): void {
    const number = this.#texts.add(text);
    this.#codes.set(number, code);
    const hash = this.#hash(text);
    const other = this.#byHash.find(hash);
    if (other === UNSEEN) {
      this.#byHash.add(hash, number);
      return;
    }
    this.#others.set(number, this.#others.at(other));
    this.#others.set(other, number + 1);
  }
}

/** 53 bits, so that a million texts have a million hashes. */
function hashText(text: string): number {
  let low = text.length;
  let high = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = (Math.imul(high, 0x9e3779b1) + unit) | 0;
  }
  return ((high ^ (high >>> 15)) >>> 0) * 2 ** 21 + ((low ^ (low >>> 13)) >>> 11);
}
