// The six comparisons of a column of numbers with a constant, and of two columns, each as a loop of
// its own: one comparison the engine's compiler sees as such.

import type { ComparisonOperator } from '../../../value/compare.ts';
import type { NumberLoop } from './condition.ts';

export function numberLoop(operator: ComparisonOperator, constant: number): NumberLoop {
  const loop = CONSTANT_LOOPS[operator];
  return (numbers, size, states) => {
    loop(numbers, constant, size, states);
  };
}

type ConstantLoop = (
  numbers: Float64Array,
  constant: number,
  size: number,
  states: Uint8Array,
) => void;

/** `Number` of a comparison needs no branch, which every second row would take wrongly. */
const CONSTANT_LOOPS: Readonly<Record<ComparisonOperator, ConstantLoop>> = {
  '=': (numbers, constant, size, states) => {
    for (let row = 0; row < size; row += 1) states[row] = Number(numbers[row] === constant);
  },
  '<>': (numbers, constant, size, states) => {
    for (let row = 0; row < size; row += 1) states[row] = Number(numbers[row] !== constant);
  },
  '<': (numbers, constant, size, states) => {
    for (let row = 0; row < size; row += 1) states[row] = Number((numbers[row] ?? 0) < constant);
  },
  '<=': (numbers, constant, size, states) => {
    for (let row = 0; row < size; row += 1) states[row] = Number((numbers[row] ?? 0) <= constant);
  },
  '>': (numbers, constant, size, states) => {
    for (let row = 0; row < size; row += 1) states[row] = Number((numbers[row] ?? 0) > constant);
  },
  '>=': (numbers, constant, size, states) => {
    for (let row = 0; row < size; row += 1) states[row] = Number((numbers[row] ?? 0) >= constant);
  },
};

/** Whether an order (negative, zero, positive) satisfies an operator. */
export function satisfies(operator: ComparisonOperator, order: number): boolean {
  switch (operator) {
    case '=':
      return order === 0;
    case '<>':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}
