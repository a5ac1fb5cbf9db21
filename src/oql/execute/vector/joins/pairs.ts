// Pairs of joined rows, collected until they fill a frame.

import { type Frame, gather, locateRows } from '../frames/frame.ts';
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

/** Pairs each row, except those whose state is NO, with its matches, in their order. */
export function* pairRows(
  { frame, states }: Candidates,
  matchesOf: (row: number) => MatchingRows | undefined,
): Generator<Candidates> {
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
  take(frame: Frame): Candidates {
    const outer = this.#outer.slice(0, this.size);
    const inner = locateRows(this.#inner.subarray(0, this.size));
    const states = this.#isSure ? undefined : this.#states.slice(0, this.size);
    this.size = 0;
    this.#isSure = true;
    return { frame: frame.pick(outer).extend(inner), states };
  }
}

/** Each row with the one row of its code, if any: rows of unique keys are sorted by code. */
export function pairUnique(frame: Frame, codes: Int32Array, rows: Uint32Array): Frame {
  const { size } = frame;
  let signs = 0;
  for (let row = 0; row < size; row += 1) signs |= codes[row] ?? 0;
  // If every row has a match, the frame is extended, and keeps the vectors that it has read.
  if (signs >= 0) {
    const positions = new Uint32Array(codes.buffer, codes.byteOffset, size);
    return frame.extend(locateRows(gather(rows, positions)));
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
