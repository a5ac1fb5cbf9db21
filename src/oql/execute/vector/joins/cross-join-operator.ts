// Joins a region without an equality: every row with every row that the conditions on that region
// keep. An undecided condition stays undecided for each pair, so it is evaluated for pairs alone,
// and failures are those of nested loops.

import type { CrossJoinNode } from '../../../plan/plan-node.ts';
import type { Steps } from '../predicates/row-filter.ts';
import { readFilteredRows } from './filtered-rows.ts';
import { pairRows } from './pairs.ts';
import type { OperatorContext, RowOperator } from './row-operator.ts';

export function* crossJoinOperator(
  context: OperatorContext,
  { build }: CrossJoinNode,
): Steps<RowOperator> {
  const inner = yield* readFilteredRows(context, build);
  return (candidates) => pairRows(candidates, () => inner);
}
