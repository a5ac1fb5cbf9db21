// Comparison of two columns row by row: numbers with numbers, strings with strings, and the
// outcomes that tags alone decide. Anything else is UNSURE.

import type { Dictionary } from '../../../../value/column-data.ts';
import { type ComparisonOperator, compareValues, satisfies } from '../../../../value/compare.ts';
import {
  ARRAY,
  DOUBLE,
  FALSE,
  INTEGER,
  isNumberTag,
  MISSING,
  NULL,
  OBJECT,
  ODD_NUMBER,
  SPELLED_DOUBLE,
  STRING,
  TAG_COUNT,
  TRUE,
} from '../../../../value/row-tags.ts';
import { compareIds } from '../../../../value/utf8-order.ts';
import { Document, isNumeric, UNDEFINED, type Value } from '../../../../value/value.ts';
import type { Vector } from '../frames/vector.ts';
import type { Predicate, ReadVector } from './predicate.ts';
import { ANY_STATE, UNKNOWN, UNSURE_STATE } from './states.ts';

/** The values of one side of a comparison; computed ones have no strings. */
export interface Side {
  readonly read: ReadVector;
  readonly strings: Dictionary | undefined;
}

/** One value per kind; the outcome between different kinds does not depend on which. */
const SAMPLES: ReadonlyMap<number, Value> = new Map<number, Value>([
  [MISSING, UNDEFINED],
  [NULL, null],
  [TRUE, true],
  [FALSE, false],
  [INTEGER, 1],
  [DOUBLE, 1],
  [SPELLED_DOUBLE, 1],
  [STRING, 's'],
  [OBJECT, new Document(new Map())],
  [ARRAY, []],
  [ODD_NUMBER, 2n ** 64n],
]);

/**
 * The outcomes of a comparison with a value, by the tag of the other value. They apply to values of
 * another kind; values of the same kind are compared.
 */
export function compareTags(operator: ComparisonOperator, right: Value): Uint8Array {
  const table = new Uint8Array(TAG_COUNT).fill(UNSURE_STATE);
  for (const [tag, left] of SAMPLES) {
    // An odd number may be below, equal to or above any number.
    const isOpen = tag === ODD_NUMBER && isNumeric(right);
    const outcome = isOpen ? 'mismatch' : compareValues(operator, left, right);
    if (outcome !== 'mismatch') table[tag] = outcome === UNDEFINED ? UNKNOWN : Number(outcome);
  }
  return table;
}

/** By the tag of the right side; composites and odd numbers are UNSURE for every row. */
function pairTables(operator: ComparisonOperator): readonly Uint8Array[] {
  return Array.from({ length: TAG_COUNT }, (_, tag) => {
    const sample = tag < OBJECT ? SAMPLES.get(tag) : undefined;
    return sample === undefined ? ALL_OPEN : compareTags(operator, sample);
  });
}

const ALL_OPEN = new Uint8Array(TAG_COUNT).fill(UNSURE_STATE);

export function compareColumns(operator: ComparisonOperator, left: Side, right: Side): Predicate {
  const tables = pairTables(operator);
  return (frame, states) => {
    const a = left.read(frame);
    const b = right.read(frame);
    for (let row = 0; row < frame.size; row += 1) {
      const order = orderAt(row, a, b, left.strings, right.strings);
      const outcome = tables[b.tags[row] ?? 0]?.[a.tags[row] ?? 0] ?? UNSURE_STATE;
      states[row] = order === undefined ? outcome : Number(satisfies(operator, order));
    }
    return ANY_STATE;
  };
}

/** Order of two numbers or two strings; undefined for all other pairs. */
function orderAt(
  row: number,
  a: Vector,
  b: Vector,
  leftStrings: Dictionary | undefined,
  rightStrings: Dictionary | undefined,
): number | undefined {
  const leftTag = a.tags[row] ?? 0;
  const rightTag = b.tags[row] ?? 0;
  if (isNumberTag(leftTag)) {
    return isNumberTag(rightTag) ? (a.numbers[row] ?? 0) - (b.numbers[row] ?? 0) : undefined;
  }
  if (leftTag !== STRING || rightTag !== STRING) return undefined;
  if (leftStrings === undefined || rightStrings === undefined) return undefined;
  return compareIds(leftStrings, a.ids[row] ?? 0, rightStrings, b.ids[row] ?? 0);
}
