// Joins a region that no equality ties to those before it: every row with every row of it that its
// own conditions leave. What a condition leaves open stays open for each pair, so nothing has to be
// decided before the pairs are there, and failures come out as nested loops give them.

import { iteratorsOf } from '../../../columnar/conjuncts.ts';
import type { Access } from '../../../plan/draft.ts';
import { type Candidates, hide, type Matches, noMatches } from '../conditions/judge.ts';
import { AND_STATES, NO, YES } from '../conditions/states.ts';
import { type Frame, type Locator, locateRows } from '../frames/frame.ts';
import { readAccess } from '../frames/read-access.ts';
import type { Stage, StageContext } from '../pipeline.ts';

/** Pairs that go on as one frame. */
const MOST_PAIRS = 4096;

export function* crossJoinStage(
  context: StageContext,
  stage: number,
  build: Access,
): Generator<Matches, Stage> {
  const { plan, compile, refuse } = context;
  const here = plan.filters[stage] ?? [];
  const isLocal = (each: (typeof here)[number]): boolean => iteratorsOf(each).size === 1;
  const inner = yield* readRows(context, stage, build, compile(here.filter(isLocal)));
  const condition = compile(here.filter((each) => !isLocal(each)));
  return function* crossRows({ frame, states }): Generator<Candidates> {
    const pairs = new PairBuffer();
    for (let row = 0; row < frame.size; row += 1) {
      const state = states?.[row] ?? YES;
      for (let from = 0; from < inner.rows.length && state !== NO; ) {
        from += pairs.add(row, state, inner, from);
        if (!pairs.isFull) continue;
        const { joined, before } = pairs.take(frame);
        yield refuse(stage, joined, condition, before);
      }
    }
    if (pairs.size === 0) return;
    const { joined, before } = pairs.take(frame);
    yield refuse(stage, joined, condition, before);
  };
}

/** Rows of a region with what its own conditions say about them, those refused left out. */
interface JudgedRows {
  readonly rows: Uint32Array;
  readonly states: Uint8Array;
}

function* readRows(
  { runtime, judge, meter }: StageContext,
  stage: number,
  build: Access,
  condition: ReturnType<StageContext['compile']>,
): Generator<Matches, JudgedRows> {
  const before = Array.from({ length: stage }, (): Locator => ({ kind: 'nowhere' }));
  const scan = { table: runtime.tableOf(stage), slots: runtime.slots, before };
  const frames = readAccess(scan, build);
  const rows: number[] = [];
  const kept: number[] = [];
  const id = `build-${stage}`;
  for (const { frame, visible } of meter?.watch(id, frames, (each) => each.frame.size) ?? frames) {
    const states = judge.states(frame, condition, undefined);
    if (visible !== undefined) hide(states, visible, frame.size);
    const numbers = frame.rowNumbers(stage);
    for (let row = 0; row < frame.size; row += 1) {
      const state = states[row] ?? NO;
      if (state === NO) continue;
      rows.push(numbers[row] ?? 0);
      kept.push(state);
    }
    yield noMatches(frame);
  }
  runtime.budget.keep(rows.length, runtime.place);
  meter?.addRows(`built-${stage}`, rows.length);
  return { rows: Uint32Array.from(rows), states: Uint8Array.from(kept) };
}

class PairBuffer {
  readonly #outer = new Uint32Array(MOST_PAIRS);
  readonly #inner = new Uint32Array(MOST_PAIRS);
  readonly #states = new Uint8Array(MOST_PAIRS);
  #isSure = true;
  size = 0;

  get isFull(): boolean {
    return this.size === MOST_PAIRS;
  }

  /** Pairs a row with as many of the others, from one on, as there is room for; tells how many. */
  add(row: number, state: number, { rows, states }: JudgedRows, from: number): number {
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

  take(frame: Frame): { readonly joined: Frame; readonly before: Uint8Array | undefined } {
    const outer = this.#outer.slice(0, this.size);
    const inner = locateRows(this.#inner.slice(0, this.size));
    const before = this.#isSure ? undefined : this.#states.slice(0, this.size);
    this.size = 0;
    this.#isSure = true;
    return { joined: frame.pick(outer).extend(inner), before };
  }
}
