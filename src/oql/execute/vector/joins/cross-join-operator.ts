// Joins a region that no equality ties to those before it: every row with every row of it that its
// own conditions leave. What a condition leaves open stays open for each pair, so nothing has to be
// decided before the pairs are there, and failures come out as nested loops give them.

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
