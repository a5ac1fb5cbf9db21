// Texts without an object for each: the garbage collector would copy a million strings that live as
// long as a query, for tens of milliseconds, and a map of them whenever it grows.

import { NumberCodes, UNSEEN } from './number-codes.ts';
import { PagedWords } from './pages.ts';

/** Codes of texts, found by their hashes. */
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

/** Code units of a page. A longer text has a separate page. */
const PAGE_UNITS = 1 << 15;
/** Units converted to a string at a time, as arguments of one call. */
const UNITS_AT_A_TIME = 4096;

/**
 * Texts by number, as code units in typed arrays.
 *
 *   units[page]  o s l o p a r i s …     text `n` has lengths[n] units from starts[n] on
 */
export class TextStore {
  /** Number of texts. */
  size = 0;
  readonly #units: Uint16Array[] = [];
  /** Units in use on the last page. */
  #used = PAGE_UNITS;
  readonly #pages = new PagedWords();
  readonly #starts = new PagedWords();
  readonly #lengths = new PagedWords();

  /** Stores a text, and returns its number. */
  add(text: string): number {
    if (this.#used + text.length > PAGE_UNITS) {
      this.#units.push(new Uint16Array(Math.max(PAGE_UNITS, text.length)));
      this.#used = 0;
    }
    const page = this.#units.length - 1;
    const units = this.#units[page];
    for (let at = 0; units !== undefined && at < text.length; at += 1) {
      units[this.#used + at] = text.charCodeAt(at);
    }
    const number = this.size;
    this.#pages.set(number, page);
    this.#starts.set(number, this.#used);
    this.#lengths.set(number, text.length);
    this.#used += text.length;
    this.size += 1;
    return number;
  }

  isEqual(number: number, text: string): boolean {
    if (this.#lengths.at(number) !== text.length) return false;
    const units = this.#units[this.#pages.at(number)];
    const start = this.#starts.at(number);
    for (let at = 0; at < text.length; at += 1) {
      if (units?.[start + at] !== text.charCodeAt(at)) return false;
    }
    return true;
  }

  /** The text, created for each call. */
  text(number: number): string {
    const units = this.#units[this.#pages.at(number)];
    const start = this.#starts.at(number);
    const end = start + this.#lengths.at(number);
    let text = '';
    for (let from = start; units !== undefined && from < end; from += UNITS_AT_A_TIME) {
      const to = Math.min(from + UNITS_AT_A_TIME, end);
      text += String.fromCharCode(...units.subarray(from, to));
    }
    return text;
  }
}
