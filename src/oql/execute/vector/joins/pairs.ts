// Pairs of joined rows, collected until they fill a frame.

import type { FoundCodes } from '../codes/key-encoder.ts';
import { labelCodes, UNSEEN } from '../codes/number-codes.ts';
import { type Frame, locateRows } from '../frames/frame.ts';
import { firstRows, isRun } from '../frames/scan-frames.ts';
import type { Candidates } from '../predicates/row-filter.ts';
import { AND_STATES, NO, YES } from '../predicates/states.ts';

/** Pairs per frame. */
const MOST_PAIRS = 4096;

/** Rows of the joined region: those from `start` to before `end`. */
export interface MatchingRows {
  readonly rows: Uint32Array;
  /** The known outcome of each; all YES if undefined. */
  readonly states: Uint8Array | undefined;
  readonly start: number;
  readonly end: number;
}

export type FindMatches = (row: number) => MatchingRows | undefined;

/** Joined rows, each with the row of the frame before that it was made of. */
export interface Pairs extends Candidates {
  readonly outer: Uint32Array;
}

/** Pairs each row, except those whose state is NO, with its matches, in their order. */
export function* pairRows({ frame, states }: Candidates, matchesOf: FindMatches): Generator<Pairs> {
  const pairs = new PairBuffer();
  for (let row = 0; row < frame.size; row += 1) {
    const state = states?.[row] ?? YES;
    const matches = state === NO ? undefined : matchesOf(row);
    if (matches === undefined) continue;
    const { end } = matches;
    for (let at = matches.start; at < end; ) {
      at += pairs.add(row, state, matches, at);
      if (pairs.isFull) yield pairs.take(frame);
    }
  }
  if (pairs.size > 0) yield pairs.take(frame);
}

/** Pairs of rows that will become a frame, with the known outcome of each. */
class PairBuffer {
  readonly #outer = new Uint32Array(MOST_PAIRS);
  readonly #inner = new Uint32Array(MOST_PAIRS);
  readonly #states = new Uint8Array(MOST_PAIRS);
  #isSure = true;
  size = 0;

  get isFull(): boolean {
    return this.size === MOST_PAIRS;
  }

  /** Pairs a row with as many matches as fit, beginning at `from`; returns how many. */
  add(row: number, state: number, { rows, states, end }: MatchingRows, from: number): number {
    const count = Math.min(MOST_PAIRS - this.size, end - from);
    for (let index = 0; index < count; index += 1) {
      const own = states === undefined ? YES : (states[from + index] ?? NO);
      const both = AND_STATES[(state << 2) | own] ?? NO;
      const at = this.size + index;
      this.#outer[at] = row;
      this.#inner[at] = rows[from + index] ?? 0;
      this.#states[at] = both;
      if (both !== YES) this.#isSure = false;
    }
    this.size += count;
    return count;
  }

  /** Returns the frame of the pairs, and empties the buffer. */
  take(frame: Frame): Pairs {
    const outer = this.#outer.slice(0, this.size);
    const inner = locateRows(this.#inner.subarray(0, this.size));
    const states = this.#isSure ? undefined : this.#states.slice(0, this.size);
    this.size = 0;
    this.#isSure = true;
    return { frame: frame.pick(outer).extend(inner), states, outer };
  }
}

/** Each row with the one row of its code, if any: rows of unique keys are sorted by code. */
export function pairUnique(frame: Frame, { codes, areAll }: FoundCodes, inner: Uint32Array): Frame {
  const { size } = frame;
  const numbers = new Int32Array(size);
  labelCodes(codes, inner, numbers);
  const found = pickFound(firstRows(size), { codes: numbers, areAll }, new Uint32Array(size));
  // If every row has a match, the frame is extended, and keeps the vectors that it has read.
  const outer = found.rows.length === size ? frame : frame.pick(found.rows);
  return outer.extend(locateRows(found.numbers));
}

/** Each row that has a number, and the numbers, which may be written to the buffer. */
export function pickFound(
  probed: Uint32Array,
  { codes: numbers, areAll }: FoundCodes,
  buffer: Uint32Array,
): { readonly rows: Uint32Array; readonly numbers: Uint32Array } {
  const size = probed.length;
  if (areAll && isRun(probed)) {
    const { buffer: all, byteOffset } = numbers.subarray(probed[0]);
    return { rows: probed, numbers: new Uint32Array(all, byteOffset, size) };
  }
  let signs = 0;
  for (let at = 0; at < size; at += 1) {
    const number = numbers[probed[at] ?? 0] ?? UNSEEN;
    signs |= number;
    buffer[at] = number;
  }
  if (signs >= 0) return { rows: probed, numbers: buffer.subarray(0, size) };
  const rows = new Uint32Array(size);
  let count = 0;
  for (let at = 0; at < size; at += 1) {
    const row = probed[at] ?? 0;
    rows[count] = row;
    buffer[count] = buffer[at] ?? 0;
    count += Number(numbers[row] !== UNSEEN);
  }
  return { rows: rows.subarray(0, count), numbers: buffer.subarray(0, count) };
}
