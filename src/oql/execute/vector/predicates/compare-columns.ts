// Comparison of two columns row by row: numbers with numbers, strings with strings, and the
// outcomes that tags alone decide. Anything else is UNSURE.

import { type ComparisonOperator, compareValues, satisfies } from '../../../../value/compare.ts';
import { OBJECT } from '../../../../value/row-tags.ts';
import { isNumeric, type Value } from '../../../../value/value.ts';
import { orderAt } from '../frames/vector.ts';
import { type Operand, type Predicate, SAMPLES, tagTable } from './predicate.ts';
import { ANY_STATE, stateOf, UNSURE_STATE } from './states.ts';

/**
 * The outcomes of a comparison with a value, by the tag of the other value. They apply to values of
 * another kind; values of the same kind are compared.
 */
export function compareTags(operator: ComparisonOperator, right: Value): Uint8Array {
  return tagTable((left) => {
    // An OTHER_NUMBER may be below, equal to or above any number.
    const isUnsure = typeof left === 'bigint' && isNumeric(right);
    const outcome = isUnsure ? 'mismatch' : compareValues(operator, left, right);
    return outcome === 'mismatch' ? UNSURE_STATE : stateOf(outcome);
  });
}

export function compareColumns(
  operator: ComparisonOperator,
  left: Operand,
  right: Operand,
): Predicate {
  /** By the tag of the right side; composites and other numbers are UNSURE for every row. */
  const tables = SAMPLES.slice(0, OBJECT).map((sample) => compareTags(operator, sample));
  return (frame, states) => {
    const a = left.read(frame);
    const b = right.read(frame);
    for (let row = 0; row < frame.size; row += 1) {
      const order = orderAt(a, row, left.strings, b, row, right.strings);
      const outcome = tables[b.tags[row] ?? 0]?.[a.tags[row] ?? 0] ?? UNSURE_STATE;
      states[row] = order === undefined ? outcome : Number(satisfies(operator, order));
    }
    return ANY_STATE;
  };
}
