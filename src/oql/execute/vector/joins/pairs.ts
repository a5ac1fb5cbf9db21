// Pairs of joined rows, collected until they make a frame.

import { type Frame, gather, locateRows } from '../frames/frame.ts';

/** Pairs collected before they are handed on: some batches' worth. */
export const MOST_PAIRS = 8192;

/** Rows of a frame paired with rows of the joined table. */
export class Pairs {
  #outer: Uint32Array;
  #inner: Uint32Array;
  size = 0;

  constructor(capacity: number) {
    this.#outer = new Uint32Array(capacity);
    this.#inner = new Uint32Array(capacity);
  }

  /** Pairs a row with some of the given rows. */
  add(outer: number, rows: Uint32Array, start: number, end: number): void {
    while (this.size + end - start > this.#outer.length) this.#grow();
    let at = this.size;
    for (let index = start; index < end; index += 1, at += 1) {
      this.#outer[at] = outer;
      this.#inner[at] = rows[index] ?? 0;
    }
    this.size = at;
  }

  /** The frame of the pairs; the collection starts anew. */
  take(frame: Frame): Frame {
    const outer = this.#outer.slice(0, this.size);
    const inner = locateRows(this.#inner.subarray(0, this.size));
    this.size = 0;
    return frame.pick(outer).extend(inner);
  }

  #grow(): void {
    const grow = (array: Uint32Array): Uint32Array => {
      const grown = new Uint32Array(array.length * 2);
      grown.set(array);
      return grown;
    };
    this.#outer = grow(this.#outer);
    this.#inner = grow(this.#inner);
  }
}

/**
 * Each row with the one row of its code, if there is one: rows of unique keys are sorted by code.
 */
export function pairUnique(frame: Frame, codes: Int32Array, rows: Uint32Array): Frame {
  const { size } = frame;
  let signs = 0;
  for (let row = 0; row < size; row += 1) signs |= codes[row] ?? 0;
  // Where every row has a partner, the frame stays as it is and so do the columns read from it.
  if (signs >= 0) {
    const places = new Uint32Array(codes.buffer, codes.byteOffset, size);
    return frame.extend(locateRows(gather(rows, places)));
  }
  const outer = new Uint32Array(size);
  const inner = new Uint32Array(size);
  let count = 0;
  for (let row = 0; row < size; row += 1) {
    const code = codes[row] ?? -1;
    outer[count] = row;
    inner[count] = rows[code] ?? 0;
    count += Number(code >= 0);
  }
  return frame.pick(outer.subarray(0, count)).extend(locateRows(inner.subarray(0, count)));
}
