// Rows of a joined region together with what its own conditions say about them. Undecided rows are
// kept: what a condition leaves open stays open for each pair.

import type { BuildNode } from '../../../plan/plan-node.ts';
import { type Frame, nowhere } from '../frames/frame.ts';
import { readAccess } from '../frames/read-access.ts';
import { hide, type Matches, noMatches } from '../predicates/row-filter.ts';
import { NO } from '../predicates/states.ts';
import type { Partners } from './pairs.ts';
import type { OperatorContext } from './row-operator.ts';

/** Told of the rows of each frame that are kept, the first of which has the given place. */
type OnKept = (frame: Frame, kept: Uint32Array, first: number) => void;

/** Without the rows that are refused. */
export function* readFilteredRows(
  { runtime, rowFilter, meter, compile }: OperatorContext,
  build: BuildNode,
  onKept?: OnKept,
): Generator<Matches, Partners> {
  const { conditions, input, stage } = build;
  const condition = compile(conditions);
  const scan = { table: runtime.tableOf(stage), slots: runtime.slots, before: nowhere(stage) };
  const read = readAccess(scan, input.access);
  const frames = meter?.watch(input, read, ({ frame }) => frame.size) ?? read;
  const rows: number[] = [];
  const known: number[] = [];
  for (const { frame, visible } of frames) {
    const states = rowFilter.states(frame, condition, undefined);
    if (visible !== undefined) hide(states, visible, frame.size);
    const kept = listOpen(states, frame.size);
    onKept?.(frame, kept, rows.length);
    const numbers = frame.rowNumbers(stage);
    for (const row of kept) {
      rows.push(numbers[row] ?? 0);
      known.push(states[row] ?? NO);
    }
    yield noMatches(frame);
  }
  runtime.budget.keep(rows.length, runtime.place);
  meter?.addRows(build, rows.length);
  const states = Uint8Array.from(known);
  return { rows: Uint32Array.from(rows), states, start: 0, end: rows.length };
}

/** The rows that no condition refuses. */
function listOpen(states: Uint8Array, size: number): Uint32Array {
  const rows = new Uint32Array(size);
  let count = 0;
  for (let row = 0; row < size; row += 1) {
    rows[count] = row;
    if (states[row] !== NO) count += 1;
  }
  return rows.subarray(0, count);
}
