// Loops over the numbers and the ids of strings of a column, each with one comparison, which V8
// compiles well. They are outside of the closures of a query, because V8 drops the compiled code of
// those soon after the query, and the next query would run them in the interpreter again.

import { type ComparisonOperator, satisfies } from '../../../../value/compare.ts';
import type { NumberTest } from './predicate.ts';
import { NO, YES } from './states.ts';

export function numberTest(operator: ComparisonOperator, constant: number): NumberTest {
  const { loop, other } = LOOPS[operator];
  return {
    loop: (numbers, size, states) => {
      loop(numbers, size, states, { constant, other });
    },
    decideRange: (lowest, highest) => decideRange(operator, constant, lowest, highest),
  };
}

/** The outcome for all numbers between two; undefined if they differ. */
function decideRange(
  operator: ComparisonOperator,
  constant: number,
  lowest: number,
  highest: number,
): number | undefined {
  if (lowest < constant && highest > constant) return undefined;
  // Both ends are on one side of the constant, or at it, so all numbers between them are as well.
  const outcome = satisfies(operator, lowest - constant);
  return outcome === satisfies(operator, highest - constant) ? Number(outcome) : undefined;
}

interface Compared {
  readonly constant: number;
  /** The state of numbers for which the comparison of the loop is false. */
  readonly other: number;
}

/**
 * `Number` of a comparison has no branch, which would be mispredicted for every second row. Each
 * loop processes four rows at a time, mainly to be long: V8's middle compiler inlines a short
 * function into its caller, and an inlined loop is never compiled by the last compiler. Callers run
 * once per frame, so they stay in the middle compiler for long, where the loop took three times as
 * long.
 */
function markEqual(
  numbers: Float64Array,
  size: number,
  states: Uint8Array,
  { constant, other }: Compared,
): void {
  let row = 0;
  for (; row + 3 < size; row += 4) {
    states[row] = Number(numbers[row] === constant) ^ other;
    states[row + 1] = Number(numbers[row + 1] === constant) ^ other;
    states[row + 2] = Number(numbers[row + 2] === constant) ^ other;
    states[row + 3] = Number(numbers[row + 3] === constant) ^ other;
  }
  for (; row < size; row += 1) states[row] = Number(numbers[row] === constant) ^ other;
}

function markBelow(
  numbers: Float64Array,
  size: number,
  states: Uint8Array,
  { constant, other }: Compared,
): void {
  let row = 0;
  for (; row + 3 < size; row += 4) {
    states[row] = Number((numbers[row] ?? 0) < constant) ^ other;
    states[row + 1] = Number((numbers[row + 1] ?? 0) < constant) ^ other;
    states[row + 2] = Number((numbers[row + 2] ?? 0) < constant) ^ other;
    states[row + 3] = Number((numbers[row + 3] ?? 0) < constant) ^ other;
  }
  for (; row < size; row += 1) states[row] = Number((numbers[row] ?? 0) < constant) ^ other;
}

function markAbove(
  numbers: Float64Array,
  size: number,
  states: Uint8Array,
  { constant, other }: Compared,
): void {
  let row = 0;
  for (; row + 3 < size; row += 4) {
    states[row] = Number((numbers[row] ?? 0) > constant) ^ other;
    states[row + 1] = Number((numbers[row + 1] ?? 0) > constant) ^ other;
    states[row + 2] = Number((numbers[row + 2] ?? 0) > constant) ^ other;
    states[row + 3] = Number((numbers[row + 3] ?? 0) > constant) ^ other;
  }
  for (; row < size; row += 1) states[row] = Number((numbers[row] ?? 0) > constant) ^ other;
}

/** `>=` is true where `<` is false; tags decide about other values afterwards. */
const LOOPS: Readonly<
  Record<ComparisonOperator, { readonly loop: typeof markEqual; readonly other: number }>
> = {
  '=': { loop: markEqual, other: NO },
  '<>': { loop: markEqual, other: YES },
  '<': { loop: markBelow, other: NO },
  '>=': { loop: markBelow, other: YES },
  '>': { loop: markAbove, other: NO },
  '<=': { loop: markAbove, other: YES },
};

/** The outcome of a string that was not tested yet. */
export const NOT_TESTED = 255;

/** Writes known outcomes, NO for ids beyond them; returns the bits of all outcomes combined. */
export function markResults(
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
    const result = known[ids[row] ?? 0] ?? NO;
    states[row] = result;
    seen |= result;
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
