// Loops over the ids of strings. They stand outside of the predicates that a query makes: V8 drops the
// code that it compiled for a function of a query soon after the query, and the next query would run
// its loops in the interpreter again.

import { NO } from './states.ts';

/** The answer about a string that no query asked about yet. */
export const NOT_TESTED = 255;

/** Writes what is known about each string, and gives all the answers, their bits combined. */
export function markAnswers(
  ids: Uint32Array,
  size: number,
  states: Uint8Array,
  known: Uint8Array,
): number {
  let seen = 0;
  for (let row = 0; row < size; row += 1) {
    const answer = known[ids[row] ?? 0] ?? NOT_TESTED;
    states[row] = answer;
    seen |= answer;
  }
  return seen;
}

export function markChosen(
  ids: Uint32Array,
  size: number,
  states: Uint8Array,
  chosen: Uint8Array,
): void {
  for (let row = 0; row < size; row += 1) states[row] = chosen[ids[row] ?? 0] ?? NO;
}

/** `other` is the state of rows with another id. */
export function markId(
  ids: Uint32Array,
  size: number,
  states: Uint8Array,
  { id, other }: { readonly id: number; readonly other: number },
): void {
  for (let row = 0; row < size; row += 1) states[row] = Number(ids[row] === id) ^ other;
}
