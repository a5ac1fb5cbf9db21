// Joins a region without an equality: every row with every row that the conditions on that region
// keep. An unknown condition stays unknown for each pair, so it is evaluated for pairs alone,
// and failures are those of nested loops.

import type { CrossJoinNode } from '../../../plan/plan-node.ts';
import { dropRows, type Steps, YIELD_POINT } from '../predicates/row-filter.ts';
import { YES } from '../predicates/states.ts';
import { type MatchingRows, pairRows } from './pairs.ts';
import { type OperatorContext, type RowOperator, readRegion } from './row-operator.ts';

export function* crossJoinOperator(
  context: OperatorContext,
  { build }: CrossJoinNode,
): Steps<RowOperator> {
  const { runtime, meter } = context;
  // The rows for which no condition is false.
  const rows: number[] = [];
  const states: number[] = [];
  for (const candidates of readRegion(context, build.input, build)) {
    const kept = dropRows(candidates);
    for (const [row, number] of kept.frame.rowNumbers(build.stage).entries()) {
      rows.push(number);
      states.push(kept.states?.[row] ?? YES);
    }
    yield YIELD_POINT;
  }
  runtime.budget.keep(rows.length, runtime.location);
  meter?.addRows(build, rows.length);
  const inner: MatchingRows = {
    rows: Uint32Array.from(rows),
    states: Uint8Array.from(states),
    start: 0,
    end: rows.length,
  };
  return (candidates) => pairRows(candidates, () => inner);
}
