// Rows of a joined region together with what its own conditions say about them. Undecided rows are
// kept: what a condition leaves open stays open for each pair.

import type { BuildNode } from '../../../plan/plan-node.ts';
import { type Frame, type Locator, locateRows } from '../frames/frame.ts';
import { readAccess } from '../frames/read-access.ts';
import { type Candidates, hide, type Matches, noMatches } from '../predicates/row-filter.ts';
import { AND_STATES, NO, YES } from '../predicates/states.ts';
import type { OperatorContext } from './row-operator.ts';

/** Pairs that go on as one frame. */
const MOST_PAIRS = 4096;

/** Without the rows that are refused. */
export interface FilteredRows {
  readonly rows: Uint32Array;
  readonly states: Uint8Array;
}

/** Told of the rows of each frame that are kept, the first of which has the given place. */
type OnKept = (frame: Frame, kept: Uint32Array, first: number) => void;

export function* readFilteredRows(
  { runtime, rowFilter, meter, compile }: OperatorContext,
  build: BuildNode,
  onKept?: OnKept,
): Generator<Matches, FilteredRows> {
  const { conditions, input, stage } = build;
  const condition = compile(conditions);
  const before = Array.from({ length: stage }, (): Locator => ({ kind: 'nowhere' }));
  const scan = { table: runtime.tableOf(stage), slots: runtime.slots, before };
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
  return { rows: Uint32Array.from(rows), states: Uint8Array.from(known) };
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

/** Pairs each row that is not refused with its partners, some frames' worth at a time. */
export function* pairRows(
  { frame, states }: Candidates,
  partnersOf: (row: number) => FilteredRows,
): Generator<Candidates> {
  const pairs = new PairBuffer();
  for (let row = 0; row < frame.size; row += 1) {
    const state = states?.[row] ?? YES;
    if (state === NO) continue;
    const partners = partnersOf(row);
    for (let from = 0; from < partners.rows.length; ) {
      from += pairs.add(row, state, partners, from);
      if (pairs.isFull) yield pairs.take(frame);
    }
  }
  if (pairs.size > 0) yield pairs.take(frame);
}

/** Pairs of rows that will become a frame, with the known outcome of each. */
class PairBuffer {
  readonly #outer = new Uint32Array(MOST_PAIRS);
  readonly #inner = new Uint32Array(MOST_PAIRS);
  readonly #states = new Uint8Array(MOST_PAIRS);
  #isSure = true;
  size = 0;

  get isFull(): boolean {
    return this.size === MOST_PAIRS;
  }

  /** Pairs a row with as many of the others, from one on, as fit; returns how many. */
  add(row: number, state: number, { rows, states }: FilteredRows, from: number): number {
    const count = Math.min(MOST_PAIRS - this.size, rows.length - from);
    for (let index = 0; index < count; index += 1) {
      const both = AND_STATES[(state << 2) | (states[from + index] ?? NO)] ?? NO;
      const at = this.size + index;
      this.#outer[at] = row;
      this.#inner[at] = rows[from + index] ?? 0;
      this.#states[at] = both;
      if (both !== YES) this.#isSure = false;
    }
    this.size += count;
    return count;
  }

  /** The frame of the pairs; the buffer starts anew. */
  take(frame: Frame): Candidates {
    const outer = this.#outer.slice(0, this.size);
    const inner = locateRows(this.#inner.slice(0, this.size));
    const states = this.#isSure ? undefined : this.#states.slice(0, this.size);
    this.size = 0;
    this.#isSure = true;
    return { frame: frame.pick(outer).extend(inner), states };
  }
}
