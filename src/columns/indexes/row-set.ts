// A set of rows: one bit per row, in chunks. A JavaScript Set of a million rows stalls for tens of
// milliseconds whenever it grows, and cannot hold more than 16.7 million.

import { CHUNK_BITS, CHUNK_MASK, CHUNK_ROWS } from '../../value/column-data.ts';

const WORD_BITS = 5;
const WORDS = CHUNK_ROWS >> WORD_BITS;
/** A bitmap with the overhead of its array. */
const BYTES_PER_CHUNK = WORDS * 4 + 104;

export class RowSet {
  size = 0;
  /** Bitmaps of the chunks that have, or had, rows of the set. */
  readonly #chunks: (Uint32Array | undefined)[] = [];
  #bitmaps = 0;

  add(row: number): void {
    const chunk = row >> CHUNK_BITS;
    let words = this.#chunks[chunk];
    if (words === undefined) {
      words = new Uint32Array(WORDS);
      this.#chunks[chunk] = words;
      this.#bitmaps += 1;
    }
    const { word, bit } = placeOf(row);
    const before = words[word] ?? 0;
    if ((before & bit) !== 0) return;
    words[word] = before | bit;
    this.size += 1;
  }

  delete(row: number): void {
    const words = this.#chunks[row >> CHUNK_BITS];
    const { word, bit } = placeOf(row);
    const before = words?.[word] ?? 0;
    if (words === undefined || (before & bit) === 0) return;
    words[word] = before & ~bit;
    this.size -= 1;
  }

  /** Calls `visit` with the rows, ascending. */
  forEach(visit: (row: number) => void): void {
    this.#chunks.forEach((words, chunk) => {
      if (words === undefined) return;
      for (let word = 0; word < WORDS; word += 1) {
        let rest = words[word] ?? 0;
        while (rest !== 0) {
          const last = 31 - Math.clz32(rest & -rest);
          visit((chunk << CHUNK_BITS) + (word << WORD_BITS) + last);
          rest &= rest - 1;
        }
      }
    });
  }

  sizeBytes(): number {
    return this.#bitmaps * BYTES_PER_CHUNK;
  }
}

function placeOf(row: number): { readonly word: number; readonly bit: number } {
  return { word: (row & CHUNK_MASK) >> WORD_BITS, bit: 1 << (row & 31) };
}
