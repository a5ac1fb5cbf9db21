// Applies conditions to frames, and drops or keeps their rows.

import type { BoundExpression } from '../../../bind/bound-query.ts';
import { keepsUnknown } from '../../../bind/where-outcome.ts';
import { joinConditions } from '../../../columnar/conjuncts.ts';
import type { Pacer } from '../../../reference/pacer.ts';
import type { Meter } from '../../meter.ts';
import { Frame } from '../frames/frame.ts';
import type { IsEnough } from '../frames/read-access.ts';
import { firstRows } from '../frames/scan-frames.ts';
import type { Runtime } from '../runtime.ts';
import type { Scratch } from '../scratch.ts';
import { always, type Predicate } from './predicate.ts';
import {
  ANY_STATE,
  combineStates,
  countDecided,
  isDecided,
  listDecided,
  NO,
  type StateSet,
  UNFINISHED,
  UNKNOWN,
  YES,
} from './states.ts';

/** Rows of a frame that belong to the result of FROM and WHERE. */
export interface Matches {
  readonly frame: Frame;
  readonly count: number;
  /** The rows; none if only their number is needed. */
  readonly rows: Uint32Array;
}

/** Rows between two steps, with the outcomes of the conditions so far (all YES if undefined). */
export interface Candidates {
  readonly frame: Frame;
  readonly states: Uint8Array | undefined;
  /** The states that may occur; any if undefined. */
  readonly outcomes?: StateSet;
}

const NO_ROWS = new Uint32Array(0);
const ALL = always(YES);

/** A yield point among batches of rows: an empty batch. */
export const YIELD_POINT: Candidates & Matches = {
  frame: new Frame(0, [], []),
  states: undefined,
  count: 0,
  rows: NO_ROWS,
};

/** Work with yield points that returns a result. */
export type Steps<Result> = Generator<typeof YIELD_POINT, Result>;

/** Steps, each followed by a yield point. */
export function* withYieldPoints<Result>(steps: Generator<void, Result>): Steps<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield YIELD_POINT;
  }
}

/** How rows are to be found. */
export interface RowsRequest {
  /** The part of the pipeline that the caller uses. */
  readonly output: 'rows' | 'count';
  readonly pacer: Pacer;
  readonly scratch: Scratch;
  readonly meter: Meter | undefined;
  readonly isEnough?: IsEnough | undefined;
  /** The conditions on these rows, if they are grouped as the probe side of a join. */
  readonly probe?: readonly BoundExpression[] | undefined;
}

export class RowFilter {
  readonly #keepsUnknown: boolean;
  readonly #decideAll: ((frame: Frame, row: number) => number) | undefined;
  readonly #output: RowsRequest['output'];
  readonly #pacer: Pacer;
  #scratch: Uint8Array = new Uint8Array(0);

  constructor(runtime: Runtime, { output, pacer, probe }: RowsRequest) {
    this.#output = output;
    this.#pacer = pacer;
    const { where } = runtime.shape.select;
    this.#keepsUnknown = keepsUnknown(where);
    // The whole condition, for rows that columns cannot decide about.
    const condition = probe === undefined ? where : joinConditions(probe);
    this.#decideAll = condition && runtime.decide(condition);
  }

  /** Combines a condition with earlier states. The result is valid until the next call. */
  *apply(
    condition: Predicate = ALL,
    { frame, states: before }: Candidates,
  ): Steps<Candidates & { readonly states: Uint8Array }> {
    const { size } = frame;
    if (this.#scratch.length < size) this.#scratch = new Uint8Array(size + (size >> 1));
    const states = this.#scratch;
    let outcomes = condition(frame, states);
    while (outcomes === UNFINISHED) {
      yield YIELD_POINT;
      outcomes = condition(frame, states);
    }
    if (before === undefined) return { frame, states, outcomes };
    combineStates(states, before, size, NO);
    return { frame, states };
  }

  /**
   * The rows that WHERE keeps; the reference evaluator decides about unsure rows. That may take
   * long, so there are yield points between them.
   */
  *toMatches({ frame, states, outcomes = ANY_STATE }: Candidates): Generator<Matches> {
    const { size } = frame;
    if (states === undefined) {
      yield { frame, count: size, rows: firstRows(size) };
    } else if (outcomes === 1 << NO) yield YIELD_POINT;
    else if (isDecided(outcomes)) yield this.#matchDecided(frame, states);
    else yield* this.#matchUnsure(frame, states);
  }

  #matchDecided(frame: Frame, states: Uint8Array): Matches {
    const { size } = frame;
    const count = countDecided(states, size);
    const isNeeded = count > 0 && this.#output === 'rows';
    return { frame, count, rows: isNeeded ? listDecided(states, size, count) : NO_ROWS };
  }

  *#matchUnsure(frame: Frame, states: Uint8Array): Generator<Matches> {
    const { size } = frame;
    let rows = new Uint32Array(size);
    let count = 0;
    for (let row = 0; row < size; row += 1) {
      const state = states[row] ?? NO;
      rows[count] = row;
      if (state === YES || (state !== NO && this.#isKept(frame, row, state))) count += 1;
      if (state <= YES || !this.#pacer.isDue()) continue;
      yield { frame, count, rows: rows.subarray(0, count) };
      rows = new Uint32Array(size - row);
      count = 0;
    }
    yield { frame, count, rows: count === 0 ? NO_ROWS : rows.subarray(0, count) };
  }

  #isKept(frame: Frame, row: number, state: number): boolean {
    const outcome = state === UNKNOWN ? state : this.#decideAll?.(frame, row);
    return outcome === YES || (outcome === UNKNOWN && this.#keepsUnknown);
  }
}

/** Without the rows whose state is NO. */
export function dropRows(candidates: Candidates): Candidates {
  const { frame, states, outcomes = ANY_STATE } = candidates;
  const { size } = frame;
  if (states === undefined) return candidates;
  if (isDecided(outcomes)) {
    const count = countDecided(states, size);
    const kept = count === size ? frame : frame.pick(listDecided(states, size, count));
    return { frame: kept, states: undefined };
  }
  const picked = new Uint32Array(size);
  const kept = new Uint8Array(size);
  let count = 0;
  let isSure = true;
  for (let row = 0; row < size; row += 1) {
    const state = states[row] ?? NO;
    if (state === NO) continue;
    if (state !== YES) isSure = false;
    picked[count] = row;
    kept[count] = state;
    count += 1;
  }
  return {
    frame: count === size ? frame : frame.pick(picked.subarray(0, count)),
    states: isSure ? undefined : kept.subarray(0, count),
  };
}

export function hide(states: Uint8Array, visible: Uint8Array, size: number): void {
  for (let row = 0; row < size; row += 1) if (visible[row] === 0) states[row] = NO;
}
