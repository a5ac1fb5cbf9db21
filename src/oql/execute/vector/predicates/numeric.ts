// Arithmetic over columns, while a double represents the numbers exactly. Other rows (other types,
// overflow, division by zero) are UNSURE.

import {
  DOUBLE,
  fractionTag,
  INTEGER,
  isNumberTag,
  ODD_NUMBER,
  UNSURE,
  wholeTag,
} from '../../../../value/row-tags.ts';
import type { BoundArithmetic } from '../../../bind/bound-query.ts';
import type { VectorForm } from '../../../functions/function-definition.ts';
import { ANYWHERE } from '../frames/frame.ts';
import { NO_IDS, type Vector } from '../frames/vector.ts';
import type { ReadVector } from './predicate.ts';

const COMPUTED_MASK = (1 << INTEGER) | (1 << DOUBLE) | (1 << UNSURE);

/** A constant operand, or a vector. */
export type NumericOperand =
  | { readonly kind: 'constant'; readonly tag: number; readonly value: number }
  | { readonly kind: 'vector'; readonly read: ReadVector };

export function arithmetic(
  operator: BoundArithmetic['operator'],
  left: NumericOperand,
  right: NumericOperand,
): ReadVector {
  const compute = COMPUTATIONS[operator];
  return (frame) => {
    const { size } = frame;
    const a = expand(left, frame, size);
    const b = expand(right, frame, size);
    const tags = new Uint8Array(size);
    const numbers = new Float64Array(size);
    for (let row = 0; row < size; row += 1) {
      const leftTag = a.tags[row] ?? 0;
      const rightTag = b.tags[row] ?? 0;
      if (!isNumberTag(leftTag) || !isNumberTag(rightTag)) {
        tags[row] = UNSURE;
        numbers[row] = Number.NaN;
        continue;
      }
      const isWhole = leftTag === INTEGER && rightTag === INTEGER;
      const result = compute(a.numbers[row] ?? 0, b.numbers[row] ?? 0, isWhole);
      tags[row] = tagOf(result, isWhole);
      numbers[row] = tags[row] === UNSURE ? Number.NaN : result;
    }
    return { tags, numbers, ids: NO_IDS, texts: NO_IDS, mask: COMPUTED_MASK, ...ANYWHERE };
  };
}

/** A function of one number, over a vector. */
export function applyToNumbers({ compute, gives }: VectorForm, operand: ReadVector): ReadVector {
  return (frame) => {
    const { size } = frame;
    const { tags: given, numbers: values } = expand({ kind: 'vector', read: operand }, frame, size);
    const tags = new Uint8Array(size).fill(UNSURE);
    const numbers = new Float64Array(size).fill(Number.NaN);
    for (let row = 0; row < size; row += 1) {
      const tag = given[row] ?? 0;
      if (!isNumberTag(tag)) continue;
      const isWhole = gives === 'whole' || tag === INTEGER;
      const result = compute(values[row] ?? 0) + 0;
      const computed = tagOf(result, isWhole);
      tags[row] = computed;
      if (computed !== UNSURE) numbers[row] = result;
    }
    return { tags, numbers, ids: NO_IDS, texts: NO_IDS, mask: COMPUTED_MASK, ...ANYWHERE };
  };
}

function tagOf(result: number, isWhole: boolean): number {
  const tag = isWhole ? wholeTag(result) : fractionTag(result);
  return tag === ODD_NUMBER ? UNSURE : tag;
}

type Computation = (left: number, right: number, isWhole: boolean) => number;

const COMPUTATIONS: Readonly<Record<BoundArithmetic['operator'], Computation>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right, isWhole) => (isWhole ? left * right + 0 : left * right),
  '/': (left, right, isWhole) => (isWhole ? (left - (left % right)) / right + 0 : left / right),
  '%': (left, right, isWhole) => (isWhole ? (left % right) + 0 : left % right),
};

function expand(operand: NumericOperand, frame: Parameters<ReadVector>[0], size: number): Vector {
  if (operand.kind === 'vector') {
    const vector = operand.read(frame);
    if (vector.numbers.length > 0) return vector;
    return { ...vector, numbers: new Float64Array(size).fill(Number.NaN) };
  }
  return {
    tags: new Uint8Array(size).fill(operand.tag),
    numbers: new Float64Array(size).fill(operand.value),
    ids: NO_IDS,
    texts: NO_IDS,
    mask: 1 << operand.tag,
    lowest: operand.value,
    highest: operand.value,
  };
}
