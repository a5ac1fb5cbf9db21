// Texts by number, as code units in typed arrays. The garbage collector would copy a million
// strings that live as long as a query, for tens of milliseconds.
//
//   units[page]  o s l o p a r i s …     text `n` has lengths[n] units from starts[n] on

import { PagedWords } from './pages.ts';

/** Code units of a page. A longer text has a separate page. */
const PAGE_UNITS = 1 << 15;
/** Units converted to a string at a time, as arguments of one call. */
const UNITS_AT_A_TIME = 4096;

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
