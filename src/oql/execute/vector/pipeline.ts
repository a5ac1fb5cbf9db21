// FROM and WHERE over frames: scans the first region, then joins one iterator after another, each
// time dropping the rows that the conditions known so far refuse. Rows come out in the order of
// nested loops. It is a generator, so that whoever drives it may pause between any two frames.

import type { BoundExpression } from '../../bind/bound-query.ts';
import { compileCondition } from './compile-condition.ts';
import type { Condition } from './condition.ts';
import {
  conditionNeverFails,
  findEquiJoin,
  iteratorsOf,
  joinConditions,
  splitConjuncts,
  stageOf,
} from './conjuncts.ts';
import type { Frame, Locator } from './frame.ts';
import { JoinTable } from './hash-join.ts';
import { lastParent, listItems } from './list-items.ts';
import { MOST_PAIRS, Pairs, pairUnique } from './pairs.ts';
import { AskReference, type Runtime } from './runtime.ts';
import { firstRows, type ScannedFrame, scanFrames } from './scan-frames.ts';
import {
  AND_STATES,
  ANY_STATE,
  countDecided,
  DECIDED,
  isDecided,
  listDecided,
  NO,
  type StateSet,
  UNKNOWN,
  UNSURE_STATE,
  YES,
} from './states.ts';

/** Rows of a frame that belong to the result of FROM and WHERE. */
export interface Matches {
  readonly frame: Frame;
  /** How many there are. */
  readonly count: number;
  /** Which they are; none where only their number is wanted. */
  readonly rows: Uint32Array;
}

/** Rows on their way, with what the conditions said so far (all YES if undefined). */
export interface Candidates {
  readonly frame: Frame;
  readonly states: Uint8Array | undefined;
}

/** What whoever drives the pipeline takes from it. */
export type Wanted = 'rows' | 'count';

/** Looks on while an iterator is joined, given its place in FROM. */
export type WatchStage = (items: Generator<Candidates>, stage: number) => Generator<Candidates>;

type Stage = (candidates: Candidates) => Generator<Candidates>;

const NO_ROWS = new Uint32Array(0);

export class Pipeline {
  readonly #runtime: Runtime;
  readonly #watch: WatchStage;
  readonly #conjuncts: readonly BoundExpression[];
  readonly #keepsUnknown: boolean;
  readonly #decideAll: ((frame: Frame, row: number) => boolean | undefined) | undefined;
  readonly #wanted: Wanted;
  #scratch: Uint8Array = new Uint8Array(0);
  /** States that may occur in `#scratch`. */
  #outcomes: StateSet = ANY_STATE;

  constructor(runtime: Runtime, wanted: Wanted, watch: WatchStage) {
    this.#watch = watch;
    this.#wanted = wanted;
    const { where } = runtime.shape.select;
    this.#runtime = runtime;
    this.#conjuncts = splitConjuncts(where);
    this.#keepsUnknown = where?.kind === 'comparison' && where.operator === '<>';
    this.#decideAll = where && runtime.decide(where);
  }

  /** Yields at least once per scanned frame, possibly without rows. */
  *run(first: Iterable<ScannedFrame>): Generator<Matches> {
    const { iterators } = this.#runtime.shape;
    const condition = this.#conditionAt(0, this.#conjuncts);
    const stages: Stage[] = [];
    for (let stage = 1; stage < iterators.length; stage += 1) {
      stages.push(yield* this.#buildStage(stage));
    }
    for (const { frame, visible } of first) {
      if (condition === undefined && visible === undefined) {
        yield* this.#runStages({ frame, states: undefined }, stages, 0);
        continue;
      }
      const states = this.#judge(frame, condition, undefined);
      if (visible !== undefined) hide(states, visible, frame.size);
      if (stages.length === 0) {
        yield this.#settle(frame, states, this.#outcomes);
        continue;
      }
      yield* this.#runStages(this.#drop(frame, states), stages, 0);
    }
  }

  /** The condition of a stage; undefined when nothing is decided there. */
  #conditionAt(stage: number, conjuncts: readonly BoundExpression[]): Condition | undefined {
    const here = joinConditions(conjuncts.filter((conjunct) => stageOf(conjunct) === stage));
    return here && compileCondition(here, this.#runtime.conditions);
  }

  *#runStages(
    candidates: Candidates,
    stages: readonly Stage[],
    position: number,
  ): Generator<Matches> {
    const stage = stages[position];
    if (stage === undefined || candidates.frame.size === 0) {
      const { frame, states } = candidates;
      yield states === undefined ? this.#keepAll(frame) : this.#settle(frame, states, ANY_STATE);
      return;
    }
    for (const next of this.#watch(stage(candidates), position + 1)) {
      yield* this.#runStages(next, stages, position + 1);
    }
  }

  /** Applies a condition on top of earlier states. The result is only good until the next call. */
  #judge(
    frame: Frame,
    condition: Condition | undefined,
    before: Uint8Array | undefined,
  ): Uint8Array {
    const { size } = frame;
    if (this.#scratch.length < size) this.#scratch = new Uint8Array(size + (size >> 1));
    const states = this.#scratch;
    if (condition === undefined) states.fill(YES, 0, size);
    this.#outcomes = condition?.(frame, states) ?? DECIDED;
    if (before !== undefined) {
      this.#outcomes = ANY_STATE;
      for (let row = 0; row < size; row += 1) {
        states[row] = AND_STATES[((before[row] ?? 0) << 2) | (states[row] ?? 0)] ?? NO;
      }
    }
    return states;
  }

  /** A frame without the refused rows, given the states just judged. */
  #drop(frame: Frame, states: Uint8Array): Candidates {
    if (isDecided(this.#outcomes)) {
      const count = countDecided(states, frame.size);
      if (count === frame.size) return { frame, states: undefined };
      return { frame: frame.pick(listDecided(states, frame.size, count)), states: undefined };
    }
    const picked = new Uint32Array(frame.size);
    let count = 0;
    let isSure = true;
    for (let row = 0; row < frame.size; row += 1) {
      const state = states[row] ?? NO;
      if (state === NO) continue;
      if (state !== YES) isSure = false;
      picked[count] = row;
      count += 1;
    }
    if (count === frame.size) {
      return { frame, states: isSure ? undefined : states.slice(0, count) };
    }
    const kept = picked.subarray(0, count);
    const keptStates = isSure ? undefined : Uint8Array.from(kept, (row) => states[row] ?? NO);
    return { frame: frame.pick(kept), states: keptStates };
  }

  #keepAll(frame: Frame): Matches {
    const { size } = frame;
    return { frame, count: size, rows: this.#wanted === 'count' ? NO_ROWS : firstRows(size) };
  }

  /** The rows that WHERE keeps; the reference evaluator is asked about unsure ones. */
  #settle(frame: Frame, states: Uint8Array, outcomes: StateSet): Matches {
    const { size } = frame;
    if (isDecided(outcomes)) {
      const count = countDecided(states, size);
      const isNeeded = count > 0 && this.#wanted === 'rows';
      return { frame, count, rows: isNeeded ? listDecided(states, size, count) : NO_ROWS };
    }
    const rows = new Uint32Array(size);
    let count = 0;
    for (let row = 0; row < size; row += 1) {
      const state = states[row] ?? NO;
      rows[count] = row;
      if (state === YES) count += 1;
      else if (state !== NO && this.#isKept(frame, row, state)) count += 1;
    }
    return { frame, count, rows: count === 0 ? NO_ROWS : rows.subarray(0, count) };
  }

  #isKept(frame: Frame, row: number, state: number): boolean {
    if (state === UNKNOWN) return this.#keepsUnknown;
    return this.#decideAll?.(frame, row) ?? this.#keepsUnknown;
  }

  *#buildStage(stage: number): Generator<Matches, Stage> {
    const shape = this.#runtime.shape.iterators[stage];
    if (shape?.kind === 'items') return this.#itemStage(stage);
    return yield* this.#joinStage(stage);
  }

  /** Goes through the items of a collection of each row. */
  #itemStage(stage: number): Stage {
    const shape = this.#runtime.shape.iterators[stage];
    if (shape?.kind !== 'items') throw new Error('not a nested collection');
    const lists = this.#runtime.tableOf(stage).lists(shape.collection);
    const condition = this.#conditionAt(stage, this.#conjuncts);
    const judge = (frame: Frame, before: Uint8Array | undefined): Candidates =>
      this.#drop(frame, this.#judge(frame, condition, before));
    return function* expandItems({ frame, states }): Generator<Candidates> {
      const locator = frame.locators[shape.parent];
      if (locator?.kind === 'whole' && states === undefined) {
        const chunk = lists.chunk(locator.chunk);
        const reach = chunk.dense && lastParent(chunk.parents, chunk.size) < frame.size;
        if (reach) {
          const parents = chunk.parents.subarray(0, chunk.size);
          const items: Locator = { kind: 'whole', chunk: locator.chunk, isFull: false };
          yield judge(frame.pick(parents).extend(items), undefined);
          return;
        }
      }
      const { parents, chunks, places } = listItems(frame, shape.parent, lists);
      const items: Locator =
        locator?.kind !== 'within' && locator?.kind !== 'whole'
          ? { kind: 'scattered', chunks, places }
          : { kind: 'within', chunk: locator.chunk, places };
      const before = states && Uint8Array.from(parents, (row) => states[row] ?? NO);
      yield judge(frame.pick(parents).extend(items), before);
    };
  }

  /** Hash join on the first equality with an earlier iterator. */
  *#joinStage(stage: number): Generator<Matches, Stage> {
    const runtime = this.#runtime;
    const here = this.#conjuncts.filter((conjunct) => stageOf(conjunct) === stage);
    const join = findEquiJoin(here, stage);
    if (join === undefined) throw new Error('no equality joins the regions');
    const isLocal = (conjunct: BoundExpression): boolean => iteratorsOf(conjunct).size === 1;
    const local = here.filter(isLocal);
    const rest = here.filter((conjunct) => conjunct !== join.conjunct && !isLocal(conjunct));
    const table = yield* this.#buildJoinTable(stage, local, runtime.slotOf(join.inner));
    const outerSlot = runtime.slotOf(join.outer);
    const find = table.finder(this.#columnOf(outerSlot));
    // Where a key is missing the equality is unknown, and a failing condition would still count.
    const mustAsk = this.#conjuncts.some((conjunct) => {
      const isLater = stageOf(conjunct) > stage && !this.#isOfRegion(conjunct);
      return (isLater || iteratorsOf(conjunct).size > 1) && !conditionNeverFails(conjunct);
    });
    if (mustAsk) throw new AskReference('a condition between regions may fail');
    const condition = rest.length === 0 ? undefined : this.#compileAll(rest);
    const resolve = this.#resolver(stage);
    const judge = (frame: Frame): Candidates =>
      condition === undefined
        ? { frame, states: undefined }
        : this.#drop(frame, this.#judge(frame, condition, undefined));
    // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one loop over all rows of a frame
    return function* joinRows(candidates): Generator<Candidates> {
      const { frame } = candidates;
      const states = resolve(candidates);
      const codes = find(frame.vector(outerSlot), frame.size);
      if (table.isUnique && states === undefined) {
        yield judge(pairUnique(frame, codes, table.sorted));
        return;
      }
      const { starts, sorted } = table;
      const pairs = new Pairs(frame.size);
      for (let row = 0; row < frame.size; row += 1) {
        if (states !== undefined && states[row] !== YES) continue;
        const code = codes[row] ?? -1;
        if (code < 0) continue;
        pairs.add(row, sorted, starts[code] ?? 0, starts[code + 1] ?? 0);
        if (pairs.size >= MOST_PAIRS) yield judge(pairs.take(frame));
      }
      if (pairs.size > 0) yield judge(pairs.take(frame));
    };
  }

  /** Speaks of one region only, so that it is decided before any pairs are made. */
  #isOfRegion(conjunct: BoundExpression): boolean {
    const iterators = [...iteratorsOf(conjunct)];
    return iterators.every((each) => this.#runtime.shape.iterators[each]?.kind === 'region');
  }

  #compileAll(conjuncts: readonly BoundExpression[]): Condition | undefined {
    const all = joinConditions(conjuncts);
    return all && compileCondition(all, this.#runtime.conditions);
  }

  #columnOf(slot: number) {
    const column = this.#runtime.slots[slot]?.column;
    if (column === undefined) throw new Error('a join key has no column');
    return column;
  }

  /**
   * Before a join every earlier condition must be decided: it then holds for all pairs of a row.
   * A row that fails may still be outvoted by the join, which only the reference can tell.
   */
  #resolver(stage: number): (candidates: Candidates) => Uint8Array | undefined {
    const earlier = joinConditions(this.#conjuncts.filter((each) => stageOf(each) < stage));
    const decide = earlier && this.#runtime.decide(earlier);
    return ({ frame, states }) => {
      if (states === undefined || decide === undefined) return states;
      return states.map((state, row) => {
        if (state !== UNSURE_STATE) return state;
        return decide(frame, row) === true ? YES : NO;
      });
    };
  }

  *#buildJoinTable(
    stage: number,
    local: readonly BoundExpression[],
    keySlot: number,
  ): Generator<Matches, JoinTable> {
    const runtime = this.#runtime;
    const condition = this.#compileAll(local);
    const all = joinConditions(local);
    const decide = all && runtime.decide(all);
    const table = new JoinTable(this.#columnOf(keySlot));
    const before = Array.from({ length: stage }, (): Locator => NOWHERE);
    const scan = { table: runtime.tableOf(stage), slots: runtime.slots, before };
    for (const { frame, visible } of scanFrames(scan)) {
      const states = this.#judge(frame, condition, undefined);
      if (visible !== undefined) hide(states, visible, frame.size);
      const rows = keepSure(frame, states, decide);
      runtime.budget.keep(rows.length, runtime.place);
      table.add(frame, stage, frame.vector(keySlot), rows);
      // A border at which the driver may pause.
      yield { frame, count: 0, rows: NO_ROWS };
    }
    table.finish();
    return table;
  }
}

/** The places of iterators that play no part yet. */
const NOWHERE: Locator = { kind: 'nowhere' };

function hide(states: Uint8Array, visible: Uint8Array, size: number): void {
  for (let row = 0; row < size; row += 1) if (visible[row] === 0) states[row] = NO;
}

function keepSure(
  frame: Frame,
  states: Uint8Array,
  decide: ((frame: Frame, row: number) => boolean | undefined) | undefined,
): Uint32Array {
  const rows = new Uint32Array(frame.size);
  let count = 0;
  for (let row = 0; row < frame.size; row += 1) {
    const state = states[row];
    rows[count] = row;
    if (state === YES) count += 1;
    else if (state === UNSURE_STATE && decide?.(frame, row) === true) count += 1;
  }
  return rows.subarray(0, count);
}
