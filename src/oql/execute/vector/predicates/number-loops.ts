// The six comparisons of a column of numbers with a constant, and of two columns, each as a
// separate loop with one comparison, which V8 compiles well.

import { type ComparisonOperator, satisfies } from '../../../../value/compare.ts';
import type { NumberTest } from './predicate.ts';
import { NO, YES } from './states.ts';

export function numberTest(operator: ComparisonOperator, constant: number): NumberTest {
  const loop = CONSTANT_LOOPS[operator];
  return {
    loop: (numbers, size, states) => {
      loop(numbers, constant, size, states);
    },
    settle: (lowest, highest) => settleBetween(operator, constant, lowest, highest),
  };
}

/** How all numbers between two compare with a constant; undefined if not alike. */
function settleBetween(
  operator: ComparisonOperator,
  constant: number,
  lowest: number,
  highest: number,
): number | undefined {
  const isAbove = lowest > constant;
  const isBelow = highest < constant;
  if (isAbove || isBelow) return satisfies(operator, isAbove ? 1 : -1) ? YES : NO;
  // The remaining interval touches the constant at one end, or contains it.
  if (operator === '<' && lowest === constant) return NO;
  if (operator === '>' && highest === constant) return NO;
  if (operator === '<=' && highest === constant) return YES;
  if (operator === '>=' && lowest === constant) return YES;
  return undefined;
}

type ConstantLoop = (
  numbers: Float64Array,
  constant: number,
  size: number,
  states: Uint8Array,
) => void;

/**
 * `Number` of a comparison needs no branch, which every second row would take wrongly. Each loop
 * takes four rows at a time, above all to be long: a short function is copied into its caller by
 * V8's middle compiler, and a loop inside such a copy never gets to the last one. Since callers run
 * once per frame they stay in the middle for long, and the loop took three times as long there.
 */
const CONSTANT_LOOPS: Readonly<Record<ComparisonOperator, ConstantLoop>> = {
  '=': (numbers, constant, size, states) => {
    let row = 0;
    for (; row + 3 < size; row += 4) {
      states[row] = Number(numbers[row] === constant);
      states[row + 1] = Number(numbers[row + 1] === constant);
      states[row + 2] = Number(numbers[row + 2] === constant);
      states[row + 3] = Number(numbers[row + 3] === constant);
    }
    for (; row < size; row += 1) states[row] = Number(numbers[row] === constant);
  },
  '<>': (numbers, constant, size, states) => {
    let row = 0;
    for (; row + 3 < size; row += 4) {
      states[row] = Number(numbers[row] !== constant);
      states[row + 1] = Number(numbers[row + 1] !== constant);
      states[row + 2] = Number(numbers[row + 2] !== constant);
      states[row + 3] = Number(numbers[row + 3] !== constant);
    }
    for (; row < size; row += 1) states[row] = Number(numbers[row] !== constant);
  },
  '<': (numbers, constant, size, states) => {
    let row = 0;
    for (; row + 3 < size; row += 4) {
      states[row] = Number((numbers[row] ?? 0) < constant);
      states[row + 1] = Number((numbers[row + 1] ?? 0) < constant);
      states[row + 2] = Number((numbers[row + 2] ?? 0) < constant);
      states[row + 3] = Number((numbers[row + 3] ?? 0) < constant);
    }
    for (; row < size; row += 1) states[row] = Number((numbers[row] ?? 0) < constant);
  },
  '<=': (numbers, constant, size, states) => {
    let row = 0;
    for (; row + 3 < size; row += 4) {
      states[row] = Number((numbers[row] ?? 0) <= constant);
      states[row + 1] = Number((numbers[row + 1] ?? 0) <= constant);
      states[row + 2] = Number((numbers[row + 2] ?? 0) <= constant);
      states[row + 3] = Number((numbers[row + 3] ?? 0) <= constant);
    }
    for (; row < size; row += 1) states[row] = Number((numbers[row] ?? 0) <= constant);
  },
  '>': (numbers, constant, size, states) => {
    let row = 0;
    for (; row + 3 < size; row += 4) {
      states[row] = Number((numbers[row] ?? 0) > constant);
      states[row + 1] = Number((numbers[row + 1] ?? 0) > constant);
      states[row + 2] = Number((numbers[row + 2] ?? 0) > constant);
      states[row + 3] = Number((numbers[row + 3] ?? 0) > constant);
    }
    for (; row < size; row += 1) states[row] = Number((numbers[row] ?? 0) > constant);
  },
  '>=': (numbers, constant, size, states) => {
    let row = 0;
    for (; row + 3 < size; row += 4) {
      states[row] = Number((numbers[row] ?? 0) >= constant);
      states[row + 1] = Number((numbers[row + 1] ?? 0) >= constant);
      states[row + 2] = Number((numbers[row + 2] ?? 0) >= constant);
      states[row + 3] = Number((numbers[row + 3] ?? 0) >= constant);
    }
    for (; row < size; row += 1) states[row] = Number((numbers[row] ?? 0) >= constant);
  },
};
