// Loops over the ids of strings. They are outside of the closures of a query, because V8 drops the
// compiled code of those soon after the query, and the next query would run them in the interpreter
// again. They process four rows at a time, see `number-loops.ts`.

import { NO } from './states.ts';

/** The outcome of a string that was not tested yet. */
export const NOT_TESTED = 255;

/** Writes known outcomes, NO for ids beyond them; returns the bits of all outcomes combined. */
export function markAnswers(
  ids: Uint32Array,
  size: number,
  states: Uint8Array,
  known: Uint8Array,
): number {
  let seen = 0;
  let row = 0;
  for (; row + 3 < size; row += 4) {
    const first = known[ids[row] ?? 0] ?? NO;
    const second = known[ids[row + 1] ?? 0] ?? NO;
    const third = known[ids[row + 2] ?? 0] ?? NO;
    const fourth = known[ids[row + 3] ?? 0] ?? NO;
    states[row] = first;
    states[row + 1] = second;
    states[row + 2] = third;
    states[row + 3] = fourth;
    seen |= first | second | third | fourth;
  }
  for (; row < size; row += 1) {
    const answer = known[ids[row] ?? 0] ?? NO;
    states[row] = answer;
    seen |= answer;
  }
  return seen;
}

/** `other` is the state of rows with another id. */
export function markId(
  ids: Uint32Array,
  size: number,
  states: Uint8Array,
  { id, other }: { readonly id: number; readonly other: number },
): void {
  let row = 0;
  for (; row + 3 < size; row += 4) {
    states[row] = Number(ids[row] === id) ^ other;
    states[row + 1] = Number(ids[row + 1] === id) ^ other;
    states[row + 2] = Number(ids[row + 2] === id) ^ other;
    states[row + 3] = Number(ids[row + 3] === id) ^ other;
  }
  for (; row < size; row += 1) states[row] = Number(ids[row] === id) ^ other;
}
