// A sample of the rows of a region, on which the planner evaluates conditions and counts values.

import { isNumberTag, MISSING, STRING } from '../../../../value/row-tags.ts';
import type { BoundExpression } from '../../../bind/bound-query.ts';
import type { RowSample } from '../../../plan/plan-data.ts';
import { compilePredicate } from '../predicates/compile-predicate.ts';
import type { PredicateContext } from '../predicates/predicate.ts';
import { NO, UNFINISHED, UNKNOWN } from '../predicates/states.ts';
import { Frame, locateRows, nowhere, type QueryColumn } from './frame.ts';

export class ColumnSample implements RowSample {
  readonly #frame: Frame;
  readonly #context: PredicateContext;

  constructor(
    iterator: number,
    rows: Uint32Array,
    context: PredicateContext & { readonly columns: readonly QueryColumn[] },
  ) {
    this.#frame = new Frame(rows.length, [...nowhere(iterator), locateRows(rows)], context.columns);
    this.#context = context;
  }

  get size(): number {
    return this.#frame.size;
  }

  countKept(condition: BoundExpression): number | undefined {
    const states = new Uint8Array(this.size);
    const outcomes = compilePredicate(condition, this.#context)(this.#frame, states);
    if (outcomes === UNFINISHED) return undefined;
    let kept = 0;
    for (const state of states) if (state !== NO && state !== UNKNOWN) kept += 1;
    return kept;
  }

  countValues(columnNumber: number): ReadonlyMap<number | string, number> {
    const times = new Map<number | string, number>();
    const { tags, numbers, ids } = this.#frame.vector(columnNumber);
    for (let row = 0; row < this.size; row += 1) {
      const tag = tags[row] ?? MISSING;
      const isNumber = isNumberTag(tag);
      const key = isNumber ? (numbers[row] ?? 0) : `${tag === STRING ? ids[row] : -tag}`;
      times.set(key, (times.get(key) ?? 0) + 1);
    }
    return times;
  }
}
