// Rows of a joined region together with what its own conditions say about them. Undecided rows are
// kept: what a condition leaves open stays open for each pair.

import type { BuildNode } from '../../../plan/plan-node.ts';
import type { Frame } from '../frames/frame.ts';
import { type Steps, YIELD_POINT } from '../predicates/row-filter.ts';
import { YES } from '../predicates/states.ts';
import type { Partners } from './pairs.ts';
import { readRegion } from './read-region.ts';
import type { OperatorContext } from './row-operator.ts';

/** Told of the rows that are kept, frame by frame, the first of which has the given place. */
type OnKept = (frame: Frame, first: number) => void;

/** Without the rows that are refused. */
export function* readFilteredRows(
  context: OperatorContext,
  build: BuildNode,
  onKept?: OnKept,
): Steps<Partners> {
  const { runtime, rowFilter, meter } = context;
  const rows: number[] = [];
  const known: number[] = [];
  for (const { frame: all, states: outcomes } of readRegion(context, build.input, build)) {
    const { frame, states } = outcomes
      ? rowFilter.drop(all, outcomes)
      : { frame: all, states: outcomes };
    if (frame.size > 0) {
      onKept?.(frame, rows.length);
      for (const [row, number] of frame.rowNumbers(build.stage).entries()) {
        rows.push(number);
        known.push(states?.[row] ?? YES);
      }
    }
    yield YIELD_POINT;
  }
  runtime.budget.keep(rows.length, runtime.place);
  meter?.addRows(build, rows.length);
  const states = Uint8Array.from(known);
  return { rows: Uint32Array.from(rows), states, start: 0, end: rows.length };
}
