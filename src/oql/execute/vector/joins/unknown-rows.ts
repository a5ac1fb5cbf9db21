// The build rows of a hash join with later conditions that may fail. A failure counts for every pair
// for which no condition is false. So the join keeps pairs with equal keys, and pairs whose equality
// is unknown because one key is missing. Pairs are in the order of nested loops, so that a failure
// is before or after the same rows.

import { MISSING, NULL } from '../../../../value/row-tags.ts';
import type { HashJoinNode } from '../../../plan/plan-node.ts';
import { UNSEEN } from '../codes/number-codes.ts';
import type { Frame } from '../frames/frame.ts';
import { AND_STATES, NO, UNKNOWN, YES } from '../predicates/states.ts';
import type { JoinTable, LabelRows } from './hash-join.ts';
import type { FindMatches, MatchingRows } from './pairs.ts';
import type { OperatorContext } from './row-operator.ts';

/** Rows are labelled with their positions in the order of the region. */
export class UnknownRows {
  readonly #outerColumn: number;
  readonly #rows: number[] = [];
  readonly #states: number[] = [];
  /** Positions by key, ascending; those whose key is null are in neither. */
  readonly #missing: number[] = [];
  readonly #present: number[] = [];
  readonly label: LabelRows;

  constructor({ runtime }: OperatorContext, { equality, stage }: HashJoinNode) {
    this.#outerColumn = runtime.columnNumberOf(equality.outer);
    const innerColumn = runtime.columnNumberOf(equality.inner);
    this.label = (frame, rows, states) => {
      const { tags } = frame.vector(innerColumn);
      return rows.map((row) => {
        const position = this.#rows.push(frame.rowNumberAt(stage, row)) - 1;
        this.#states.push(states?.[row] ?? YES);
        const tag = tags[row] ?? MISSING;
        if (tag === MISSING) this.#missing.push(position);
        else if (tag !== NULL) this.#present.push(position);
        return position;
      });
    };
  }

  /** The matches of the rows of a frame, given the codes of their keys. */
  matches(frame: Frame, codes: Int32Array, { starts, labels }: JoinTable): FindMatches {
    const { tags } = frame.vector(this.#outerColumn);
    return (row) => {
      const code = codes[row] ?? UNSEEN;
      const equal = code < 0 ? NONE : labels.subarray(starts[code] ?? 0, starts[code + 1] ?? 0);
      // `=` is unknown where one side is missing and the other is neither missing nor null.
      const tag = tags[row] ?? MISSING;
      const unknown = tag === MISSING ? this.#present : this.#missing;
      return this.#merge(equal, tag === NULL ? NONE : unknown);
    };
  }

  /** The rows at positions for which the equality is true or unknown, in their order. */
  #merge(equal: Uint32Array, unknown: readonly number[] | Uint32Array): MatchingRows {
    const size = equal.length + unknown.length;
    const rows = new Uint32Array(size);
    const states = new Uint8Array(size);
    for (let index = 0, at = 0; index < size; index += 1) {
      const next = equal[at] ?? Number.POSITIVE_INFINITY;
      const open = unknown[index - at] ?? Number.POSITIVE_INFINITY;
      const position = Math.min(next, open);
      const state = this.#states[position] ?? NO;
      rows[index] = this.#rows[position] ?? 0;
      states[index] = next < open ? state : (AND_STATES[(state << 2) | UNKNOWN] ?? NO);
      if (next < open) at += 1;
    }
    return { rows, states, start: 0, end: size };
  }
}

const NONE = new Uint32Array(0);
