// Arithmetic over columns, while a double represents the numbers exactly. Other rows (other types,
// overflow, division by zero) are UNSURE.

import {
  DOUBLE,
  fractionTag,
  INTEGER,
  isNumberTag,
  OTHER_NUMBER,
  UNSURE,
  wholeTag,
} from '../../../../value/row-tags.ts';
import type { BoundArithmetic } from '../../../bind/bound-query.ts';
import type { VectorForm } from '../../../functions/function-definition.ts';
import { NO_IDS, type Vector } from '../frames/vector.ts';
import type { ReadVector } from './predicate.ts';

const COMPUTED_MASK = (1 << INTEGER) | (1 << DOUBLE) | (1 << UNSURE);
const COMPUTED = {
  ids: NO_IDS,
  texts: NO_IDS,
  mask: COMPUTED_MASK,
  lowest: Number.NEGATIVE_INFINITY,
  highest: Number.POSITIVE_INFINITY,
};

/** The same number for every row. */
export function constantNumber(tag: typeof INTEGER | typeof DOUBLE, value: number): ReadVector {
  return ({ size }) => ({
    ...COMPUTED,
    tags: new Uint8Array(size).fill(tag),
    numbers: new Float64Array(size).fill(value),
  });
}

export function arithmetic(
  operator: BoundArithmetic['operator'],
  left: ReadVector,
  right: ReadVector,
): ReadVector {
  const form: Form = { compute: COMPUTATIONS[operator], resultType: 'same' };
  return (frame) => computeNumbers(form, left(frame), right(frame), frame.size);
}

/** A function of one number, over a vector. */
export function applyToNumbers(
  { compute, resultType }: VectorForm,
  operand: ReadVector,
): ReadVector {
  const form: Form = { compute: (value) => compute(value) + 0, resultType };
  return (frame) => {
    const vector = operand(frame);
    return computeNumbers(form, vector, vector, frame.size);
  };
}

type Computation = (left: number, right: number, isWhole: boolean) => number;

interface Form extends Pick<VectorForm, 'resultType'> {
  readonly compute: Computation;
}

function computeNumbers({ compute, resultType }: Form, a: Vector, b: Vector, size: number): Vector {
  const tags = new Uint8Array(size).fill(UNSURE);
  const numbers = new Float64Array(size).fill(Number.NaN);
  for (let row = 0; row < size; row += 1) {
    const leftTag = a.tags[row] ?? 0;
    const rightTag = b.tags[row] ?? 0;
    if (!isNumberTag(leftTag) || !isNumberTag(rightTag)) continue;
    const isWhole = resultType === 'whole' || (leftTag === INTEGER && rightTag === INTEGER);
    const result = compute(a.numbers[row] ?? 0, b.numbers[row] ?? 0, isWhole);
    const tag = isWhole ? wholeTag(result) : fractionTag(result);
    if (tag === OTHER_NUMBER) continue;
    tags[row] = tag;
    numbers[row] = result;
  }
  return { ...COMPUTED, tags, numbers };
}

const COMPUTATIONS: Readonly<Record<BoundArithmetic['operator'], Computation>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right, isWhole) => (isWhole ? left * right + 0 : left * right),
  '/': (left, right, isWhole) => (isWhole ? (left - (left % right)) / right + 0 : left / right),
  '%': (left, right, isWhole) => (isWhole ? (left % right) + 0 : left % right),
};
