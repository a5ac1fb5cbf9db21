// Comparison of two columns row by row: numbers with numbers, strings with strings, and the
// outcomes that tags alone decide. Anything else is UNSURE.

import { type ComparisonOperator, compareValues, satisfies } from '../../../../value/compare.ts';
import {
  DOUBLE,
  FALSE,
  INTEGER,
  isNumberTag,
  MISSING,
  NULL,
  SPELLED_DOUBLE,
  STRING,
  TRUE,
} from '../../../../value/row-tags.ts';
import { UNDEFINED, type Value } from '../../../../value/value.ts';
import { type Dictionary, TAG_COUNT } from '../../../columnar/column-source.ts';
import type { Vector } from '../frames/vector.ts';
import type { Operand, Predicate } from './predicate.ts';
import { ANY_STATE, UNKNOWN, UNSURE_STATE } from './states.ts';
import { compareEntries } from './utf8.ts';

interface Side {
  readonly read: Operand;
  readonly strings: Dictionary | undefined;
}

/** One value per kind; the outcome between different kinds does not depend on which. */
const SAMPLES: readonly (readonly [number, Value])[] = [
  [MISSING, UNDEFINED],
  [NULL, null],
  [TRUE, true],
  [FALSE, false],
  [INTEGER, 1],
  [DOUBLE, 1],
  [SPELLED_DOUBLE, 1],
  [STRING, 's'],
];

/** Outcome by the two tags, `left << 4 | right`. Pairs of one kind, and composites, are open. */
function pairTable(operator: ComparisonOperator): Uint8Array {
  const table = new Uint8Array(TAG_COUNT * TAG_COUNT).fill(UNSURE_STATE);
  for (const [leftTag, left] of SAMPLES) {
    for (const [rightTag, right] of SAMPLES) {
      const outcome = compareValues(operator, left, right);
      if (outcome === 'mismatch') continue;
      table[(leftTag << 4) | rightTag] = outcome === UNDEFINED ? UNKNOWN : Number(outcome);
    }
  }
  return table;
}

export function compareColumns(operator: ComparisonOperator, left: Side, right: Side): Predicate {
  const table = pairTable(operator);
  return (frame, states) => {
    const a = left.read(frame);
    const b = right.read(frame);
    for (let row = 0; row < frame.size; row += 1) {
      const order = orderAt(row, a, b, left.strings, right.strings);
      const tags = ((a.tags[row] ?? 0) << 4) | (b.tags[row] ?? 0);
      states[row] = order === undefined ? (table[tags] ?? 0) : Number(satisfies(operator, order));
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
  return compareEntries(leftStrings, a.ids[row] ?? 0, rightStrings, b.ids[row] ?? 0);
}
