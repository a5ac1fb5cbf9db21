// Hash join with later conditions that may fail. A failure counts for every pair for which no
// condition is false. So the join keeps pairs with equal keys, and pairs whose equality is
// undecided because one key is missing. Pairs are in the order of nested loops, so that a failure
// is before or after the same rows.

import { MISSING, NULL } from '../../../../value/row-tags.ts';
import type { HashJoinNode } from '../../../plan/plan-node.ts';
import { UNSEEN } from '../codes/number-codes.ts';
import type { Frame } from '../frames/frame.ts';
import { firstRows } from '../frames/scan-frames.ts';
import { type Steps, withYieldPoints } from '../predicates/row-filter.ts';
import { AND_STATES, NO, UNKNOWN } from '../predicates/states.ts';
import { readFilteredRows } from './filtered-rows.ts';
import { JoinTable } from './hash-join.ts';
import { columnOf } from './hash-join-operator.ts';
import { type MatchingRows, pairRows } from './pairs.ts';
import type { OperatorContext, RowOperator } from './row-operator.ts';

export function* undecidedJoinOperator(
  context: OperatorContext,
  { build, equality }: HashJoinNode,
): Steps<RowOperator> {
  const { runtime } = context;
  const innerColumn = runtime.columnNumberOf(equality.inner);
  const outerColumn = runtime.columnNumberOf(equality.outer);
  const table = new JoinTable(columnOf(runtime, innerColumn));
  /** Positions of inner rows by their keys, ascending; those whose key is null are in neither. */
  const missing: number[] = [];
  const present: number[] = [];
  const onKept = (frame: Frame, first: number): void => {
    const keys = frame.vector(innerColumn);
    const rows = firstRows(frame.size);
    const positions = rows.map((row) => first + row);
    const codes = new Uint32Array(frame.size);
    table.encoder.encode(keys, rows, codes);
    table.add({ codes, numbers: positions, labels: undefined });
    for (const [row, position] of positions.entries()) {
      const tag = keys.tags[row] ?? MISSING;
      if (tag === MISSING) missing.push(position);
      else if (tag !== NULL) present.push(position);
    }
  };
  const inner = yield* readFilteredRows(context, build, onKept);
  yield* withYieldPoints(table.finish());
  const find = yield* withYieldPoints(table.encoder.finder(columnOf(runtime, outerColumn)));
  const { starts, sorted } = table;
  return (candidates) => {
    const { frame } = candidates;
    const keys = frame.vector(outerColumn);
    const codes = find(keys, frame.size);
    return pairRows(candidates, (row) => {
      const code = codes[row] ?? UNSEEN;
      const equal = code < 0 ? NONE : sorted.subarray(starts[code] ?? 0, starts[code + 1] ?? 0);
      // `=` is undecided where one side is missing and the other is neither missing nor null.
      const tag = keys.tags[row] ?? MISSING;
      const undecided = tag === MISSING ? present : missing;
      return merge(inner, equal, tag === NULL ? NONE : undecided);
    });
  };
}

const NONE = new Uint32Array(0);

/** The inner rows at positions for which the equality is true or undecided, in their order. */
function merge(
  inner: MatchingRows,
  equal: Uint32Array,
  undecided: readonly number[] | Uint32Array,
): MatchingRows {
  const size = equal.length + undecided.length;
  const rows = new Uint32Array(size);
  const states = new Uint8Array(size);
  for (let index = 0, at = 0; index < size; index += 1) {
    const next = equal[at] ?? Number.POSITIVE_INFINITY;
    const open = undecided[index - at] ?? Number.POSITIVE_INFINITY;
    const position = Math.min(next, open);
    const state = inner.states?.[position] ?? NO;
    rows[index] = inner.rows[position] ?? 0;
    states[index] = next < open ? state : (AND_STATES[(state << 2) | UNKNOWN] ?? NO);
    if (next < open) at += 1;
  }
  return { rows, states, start: 0, end: size };
}
