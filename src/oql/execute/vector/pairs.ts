// Rows of a frame together with the rows they join, on their way to becoming a frame.

import { CHUNK_BITS, CHUNK_MASK } from './column-source.ts';
import type { Frame } from './frame.ts';

/** Pairs collected before they are handed on: some batches' worth. */
export const MOST_PAIRS = 8192;

/** Rows of a frame paired with rows of the joined table. */
export class Pairs {
  #outer: Uint32Array;
  #chunks: Uint32Array;
  #places: Uint32Array;
  size = 0;

  constructor(capacity: number) {
    this.#outer = new Uint32Array(capacity);
    this.#chunks = new Uint32Array(capacity);
    this.#places = new Uint32Array(capacity);
  }

  add(outer: number, rows: Uint32Array, start: number, end: number): void {
    while (this.size + end - start > this.#outer.length) this.#grow();
    let at = this.size;
    for (let index = start; index < end; index += 1, at += 1) {
      const row = rows[index] ?? 0;
      this.#outer[at] = outer;
      this.#chunks[at] = row >>> CHUNK_BITS;
      this.#places[at] = row & CHUNK_MASK;
    }
    this.size = at;
  }

  /** The frame of the pairs; the collection starts anew. */
  take(frame: Frame): Frame {
    const outer = this.#outer.slice(0, this.size);
    const chunks = this.#chunks.slice(0, this.size);
    const places = this.#places.slice(0, this.size);
    this.size = 0;
    return frame.pick(outer).extend({ kind: 'scattered', chunks, places });
  }

  #grow(): void {
    const grow = (array: Uint32Array): Uint32Array => {
      const grown = new Uint32Array(array.length * 2);
      grown.set(array);
      return grown;
    };
    this.#outer = grow(this.#outer);
    this.#chunks = grow(this.#chunks);
    this.#places = grow(this.#places);
  }
}

/** Each row with the one row of its code, if there is one: rows of unique keys are sorted by code. */
export function pairUnique(frame: Frame, codes: Int32Array, rows: Uint32Array): Frame {
  const outer = new Uint32Array(frame.size);
  const chunks = new Uint32Array(frame.size);
  const places = new Uint32Array(frame.size);
  let count = 0;
  for (let row = 0; row < frame.size; row += 1) {
    const code = codes[row] ?? -1;
    if (code < 0) continue;
    const inner = rows[code] ?? 0;
    outer[count] = row;
    chunks[count] = inner >>> CHUNK_BITS;
    places[count] = inner & CHUNK_MASK;
    count += 1;
  }
  return frame.pick(outer.subarray(0, count)).extend({
    kind: 'scattered',
    chunks: chunks.subarray(0, count),
    places: places.subarray(0, count),
  });
}
