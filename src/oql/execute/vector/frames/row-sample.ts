// A sample of the rows of a region, on which the planner evaluates conditions and counts values.

import { isNumberTag, MISSING, STRING } from '../../../../value/row-tags.ts';
import type { RowSample } from '../../../plan/plan-data.ts';
import { compilePredicate } from '../predicates/compile-predicate.ts';
import { NO, UNFINISHED, UNKNOWN } from '../predicates/states.ts';
import type { Runtime } from '../runtime.ts';
import { Frame, locateRows, nowhere } from './frame.ts';

export function sampleRows(iterator: number, rows: Uint32Array, runtime: Runtime): RowSample {
  const size = rows.length;
  const frame = new Frame(size, [...nowhere(iterator), locateRows(rows)], runtime.columns);
  return {
    size,
    countKept: (condition) => {
      const states = new Uint8Array(size);
      const outcomes = compilePredicate(condition, runtime)(frame, states);
      if (outcomes === UNFINISHED) return undefined;
      return states.filter((state) => state !== NO && state !== UNKNOWN).length;
    },
    countValues: (columnNumber) => {
      const frequencies = new Map<number | string, number>();
      const { tags, numbers, ids } = frame.vector(columnNumber);
      for (let row = 0; row < size; row += 1) {
        const tag = tags[row] ?? MISSING;
        const isNumber = isNumberTag(tag);
        const key = isNumber ? (numbers[row] ?? 0) : `${tag === STRING ? ids[row] : -tag}`;
        frequencies.set(key, (frequencies.get(key) ?? 0) + 1);
      }
      return frequencies;
    },
  };
}
