// Reads the rows of one region, with the outcomes of its conditions: the first step of a plan, and
// the build side of a join.

import type { AccessNode, BuildNode, FilterNode } from '../../../plan/plan-node.ts';
import { measured } from '../../meter.ts';
import { nowhere } from '../frames/frame.ts';
import { type IsEnough, readAccess } from '../frames/read-access.ts';
import { type Candidates, hide } from '../predicates/row-filter.ts';
import type { OperatorContext } from './row-operator.ts';

/** Rows whose state is NO are included; states are valid until the next frame. */
export function* readRegion(
  { runtime, rowFilter, meter, compile }: OperatorContext,
  node: AccessNode,
  filter: FilterNode | BuildNode | undefined,
  isEnough?: IsEnough,
): Generator<Candidates> {
  const { access, stage } = node;
  const condition = compile(filter?.conditions ?? []);
  const scan = { table: runtime.tableOf(stage), columns: runtime.columns, before: nowhere(stage) };
  const read = readAccess(scan, access, isEnough);
  for (const { frame, visible } of measured(meter, node, read, ({ frame }) => frame.size)) {
    if (condition === undefined && visible === undefined) {
      yield { frame, states: undefined };
      continue;
    }
    const states = yield* measured(meter, filter ?? node, rowFilter.states(frame, condition));
    if (visible !== undefined) hide(states, visible, frame.size);
    yield { frame, states };
  }
}
