// Rows of a joined region with the outcomes of the conditions on that region. Undecided rows are
// kept, because an undecided condition stays undecided for each pair.

import type { BuildNode } from '../../../plan/plan-node.ts';
import type { Frame } from '../frames/frame.ts';
import { type Steps, YIELD_POINT } from '../predicates/row-filter.ts';
import { YES } from '../predicates/states.ts';
import type { MatchingRows } from './pairs.ts';
import { readRegion } from './read-region.ts';
import type { OperatorContext } from './row-operator.ts';

/** Called for the kept rows of each frame; `first` is the position of the first of them. */
type OnKept = (frame: Frame, first: number) => void;

/** The rows for which no condition is false. */
export function* readFilteredRows(
  context: OperatorContext,
  build: BuildNode,
  onKept?: OnKept,
): Steps<MatchingRows> {
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
  runtime.budget.keep(rows.length, runtime.location);
  meter?.addRows(build, rows.length);
  const states = Uint8Array.from(known);
  return { rows: Uint32Array.from(rows), states, start: 0, end: rows.length };
}
