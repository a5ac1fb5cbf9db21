// The operators of FROM and WHERE, each created from its node of the plan, and what they share.

import type { BoundExpression } from '../../../bind/bound-query.ts';
import type { AccessNode, BuildNode, FilterNode } from '../../../plan/plan-node.ts';
import { measured } from '../../meter.ts';
import { nowhere } from '../frames/frame.ts';
import { readAccess } from '../frames/read-access.ts';
import type { Predicate } from '../predicates/predicate.ts';
import {
  type Candidates,
  hide,
  type RowFilter,
  type RowsRequest,
} from '../predicates/row-filter.ts';
import type { Runtime } from '../runtime.ts';

/** Takes rows of the step below, and returns its own rows. */
export type RowOperator = (candidates: Candidates) => Generator<Candidates>;

/** The parts that the operators of one run share. */
export interface OperatorContext extends RowsRequest {
  readonly runtime: Runtime;
  readonly rowFilter: RowFilter;
  compile(conjuncts: readonly BoundExpression[]): Predicate | undefined;
}

/**
 * Reads the rows of one region, with the outcomes of its conditions: the first step of a plan, and
 * the build side of a join. Rows whose state is NO are included; states are valid until the next
 * frame.
 */
export function* readRegion(
  { runtime, rowFilter, meter, compile, isEnough }: OperatorContext,
  node: AccessNode,
  filter: FilterNode | BuildNode | undefined,
): Generator<Candidates> {
  const { access, stage } = node;
  const condition = compile(filter?.conditions ?? []);
  const scan = { table: runtime.tableOf(stage), columns: runtime.columns, before: nowhere(stage) };
  const read = readAccess(scan, access, isEnough);
  for (const { frame, visible } of measured(meter, node, read, ({ frame }) => frame.size)) {
    const all = { frame, states: undefined };
    if (condition === undefined && visible === undefined) {
      yield all;
      continue;
    }
    const filtered = yield* measured(meter, filter ?? node, rowFilter.apply(condition, all));
    if (visible !== undefined) hide(filtered.states, visible, frame.size);
    yield filtered;
  }
}
