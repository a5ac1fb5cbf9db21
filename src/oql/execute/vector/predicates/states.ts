// The outcome of a condition for one row, as a byte. Besides the three truth values there is
// UNSURE: the condition may fail for this row, or columns cannot decide it. AND, OR and NOT treat
// it as the language treats a failure: a deciding operand hides it, otherwise it is the result. The
// reference evaluator decides about rows whose whole condition is UNSURE.

import { isAbsent, type Value } from '../../../../value/value.ts';

export const NO = 0;
export const YES = 1;
/** Null or UNDEFINED. */
export const UNKNOWN = 2;
export const UNSURE_STATE = 3;

/** A set of states, bit s for state s: no row has one outside of it. */
export type StateSet = number;
/** Every row is YES or NO, so that whole words of rows can be combined and counted. */
export const DECIDED: StateSet = (1 << NO) | (1 << YES);
export const ANY_STATE: StateSet = DECIDED | (1 << UNKNOWN) | (1 << UNSURE_STATE);

/**
 * Returned instead of states: the condition is not finished, and must be called again for the same
 * frame, after a yield point. Its output so far is not valid.
 */
export const UNFINISHED: StateSet = 1 << 4;

/** The outcome of a condition that has this value; a value that is no truth value fails. */
export function stateOf(value: Value): number {
  if (typeof value === 'boolean') return value ? YES : NO;
  return isAbsent(value) ? UNKNOWN : UNSURE_STATE;
}

export function isDecided(states: StateSet): boolean {
  return (states & ~DECIDED) === 0;
}

/** Indexed by `left << 2 | right`. */
export const AND_STATES: Uint8Array = combine(NO);
const OR_STATES: Uint8Array = combine(YES);
const NOT_STATES: Uint8Array = Uint8Array.of(YES, NO, UNKNOWN, UNSURE_STATE);

function combine(deciding: number): Uint8Array {
  return Uint8Array.from({ length: 16 }, (_, pair) => {
    const left = pair >> 2;
    const right = pair & 3;
    if (left === deciding || right === deciding) return deciding;
    // Among the others, UNSURE wins over UNKNOWN, and UNKNOWN over a decided state.
    return Math.max(left, right);
  });
}

const NO_WORDS = new Uint32Array(0);

/** The states as words of four rows; none if the bytes are not aligned. */
function wordsOf(states: Uint8Array, size: number): Uint32Array {
  if ((states.byteOffset & 3) !== 0) return NO_WORDS;
  return new Uint32Array(states.buffer, states.byteOffset, size >> 2);
}

/** AND (`deciding` is NO) or OR of states; the result replaces the left ones. */
export function combineStates(
  left: Uint8Array,
  right: Uint8Array,
  size: number,
  deciding: number,
): void {
  const table = deciding === NO ? AND_STATES : OR_STATES;
  for (let row = 0; row < size; row += 1) {
    left[row] = table[((left[row] ?? 0) << 2) | (right[row] ?? 0)] ?? NO;
  }
}

/** The same for decided states. */
export function combineDecided(
  left: Uint8Array,
  right: Uint8Array,
  size: number,
  deciding: number,
): void {
  const isAnd = deciding === NO;
  const a = wordsOf(left, size);
  const b = wordsOf(right, size);
  const words = Math.min(a.length, b.length);
  for (let at = 0; at < words; at += 1) {
    const word = b[at] ?? 0;
    a[at] = isAnd ? (a[at] ?? 0) & word : (a[at] ?? 0) | word;
  }
  for (let row = words << 2; row < size; row += 1) {
    const state = right[row] ?? 0;
    left[row] = isAnd ? (left[row] ?? 0) & state : (left[row] ?? 0) | state;
  }
}

/** Words whose bytes, each at most 1, can be added before a byte overflows. */
const MAX_ADDED = 255;

/** How many of the decided states are YES. */
export function countDecided(states: Uint8Array, size: number): number {
  const words = wordsOf(states, size);
  let count = 0;
  for (let start = 0; start < words.length; start += MAX_ADDED) {
    const end = Math.min(start + MAX_ADDED, words.length);
    let sums = 0;
    for (let at = start; at < end; at += 1) sums = (sums + (words[at] ?? 0)) | 0;
    count += (sums & 255) + ((sums >>> 8) & 255) + ((sums >>> 16) & 255) + (sums >>> 24);
  }
  for (let row = words.length << 2; row < size; row += 1) count += states[row] ?? 0;
  return count;
}

/** The rows whose decided states are YES, of which there are `count`. */
export function listDecided(states: Uint8Array, size: number, count: number): Uint32Array {
  // Without a branch: a dropped row is overwritten by the next, so one element more is needed.
  const rows = new Uint32Array(count + 1);
  let at = 0;
  let row = 0;
  // Four at a time, see `loops.ts`.
  for (; row + 3 < size; row += 4) {
    rows[at] = row;
    at += states[row] ?? 0;
    rows[at] = row + 1;
    at += states[row + 1] ?? 0;
    rows[at] = row + 2;
    at += states[row + 2] ?? 0;
    rows[at] = row + 3;
    at += states[row + 3] ?? 0;
  }
  for (; row < size; row += 1) {
    rows[at] = row;
    at += states[row] ?? 0;
  }
  return rows.subarray(0, count);
}

export function negateStates(states: Uint8Array, size: number): void {
  for (let row = 0; row < size; row += 1) states[row] = NOT_STATES[states[row] ?? 0] ?? NO;
}
