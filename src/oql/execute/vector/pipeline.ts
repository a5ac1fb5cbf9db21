// FROM and WHERE over frames: reads the first region, then joins one iterator after another, each
// time dropping the rows that the conditions known so far refuse. Rows come out in the order of
// nested loops over the iterators of the plan. It is a generator, so that whoever drives it may
// pause between any two frames.

import type { ItemChunk } from '../../columnar/column-source.ts';
import { joinConditions } from '../../columnar/conjuncts.ts';
import type { NodeId } from '../../plan/plan-node.ts';
import type { Pacer } from '../../reference/pacer.ts';
import { compileCondition } from './conditions/compile-condition.ts';
import {
  Borders,
  type Candidates,
  hide,
  Judge,
  type Matches,
  type Wanted,
} from './conditions/judge.ts';
import { NO } from './conditions/states.ts';
import type { Locator } from './frames/frame.ts';
import { lastParent, listItems } from './frames/list-items.ts';
import type { ScannedFrame } from './frames/scan-frames.ts';
import { crossJoinStage } from './joins/cross-join-stage.ts';
import { hashJoinStage } from './joins/hash-join-stage.ts';
import { indexJoinStage } from './joins/index-join-stage.ts';
import type { Stage, StageContext } from './joins/stage.ts';
import { undecidedJoinStage } from './joins/undecided-join-stage.ts';
import { type Meter, timeSteps } from './meter.ts';
import type { VectorPlan } from './vector-plan.ts';

/** What checks the time limit between frames, and what measures. */
interface Watchers {
  readonly pacer: Pick<Pacer, 'isDue'>;
  readonly meter?: Meter | undefined;
}

export class Pipeline {
  readonly #context: StageContext;

  constructor(plan: VectorPlan, wanted: Wanted, { pacer, meter }: Watchers) {
    const { runtime } = plan;
    const borders = new Borders(() => pacer.isDue());
    const judge = new Judge(runtime, wanted, borders);
    this.#context = {
      runtime,
      plan,
      judge,
      meter,
      borders,
      compile: (conjuncts) => {
        const all = joinConditions(conjuncts);
        return all && compileCondition(all, runtime.conditions);
      },
      refuse: (stage, frame, condition, before) => {
        meter?.addRows(`join-${stage}`, frame.size);
        if (condition === undefined && before === undefined) return { frame, states: undefined };
        const work = (): Candidates => judge.drop(frame, judge.states(frame, condition, before));
        if (meter === undefined) return work();
        const kept = meter.time(`filter-${stage}`, work);
        meter.addRows(`filter-${stage}`, kept.frame.size);
        return kept;
      },
    };
  }

  /** Yields at least once per frame read, possibly without rows. */
  *run(first: Iterable<ScannedFrame>): Generator<Matches> {
    const { runtime, plan, judge, compile } = this.#context;
    if (plan.access.kind === 'nothing') return;
    const condition = compile(plan.filters[0] ?? []);
    const stages: Stage[] = [];
    for (let stage = 1; stage < runtime.shape.iterators.length; stage += 1) {
      stages.push(yield* this.#buildStage(stage));
    }
    for (const { frame, visible } of first) {
      if (condition === undefined && visible === undefined) {
        yield* this.#runStages({ frame, states: undefined }, stages, 0);
        continue;
      }
      const states = yield* timeSteps(
        this.#context.meter,
        'filter-0',
        judge.statesInSteps(frame, condition),
      );
      if (visible !== undefined) hide(states, visible, frame.size);
      if (stages.length === 0) {
        yield* this.#watched('filter-0', judge.settleJudged(frame, states));
        continue;
      }
      const kept = judge.drop(frame, states);
      this.#context.meter?.addRows('filter-0', kept.frame.size);
      yield* this.#runStages(kept, stages, 0);
    }
  }

  #watched(id: NodeId, matches: Generator<Matches>): Generator<Matches> {
    return this.#context.meter?.watch(id, matches, ({ count }) => count) ?? matches;
  }

  *#runStages(
    candidates: Candidates,
    stages: readonly Stage[],
    position: number,
  ): Generator<Matches> {
    const { judge, meter } = this.#context;
    const stage = stages[position];
    if (stage === undefined || candidates.frame.size === 0) {
      const { frame, states } = candidates;
      if (states === undefined) yield judge.keepAll(frame);
      else yield* judge.settle(frame, states);
      return;
    }
    const joined = stage(candidates);
    const watched = meter?.watch(`join-${position + 1}`, joined, () => 0) ?? joined;
    for (const next of watched) yield* this.#runStages(next, stages, position + 1);
  }

  *#buildStage(stage: number): Generator<Matches, Stage> {
    const join = this.#context.plan.joins[stage];
    if (join === undefined) return this.#itemStage(stage);
    if (join.kind === 'index') return indexJoinStage(this.#context, stage, join);
    if (join.kind === 'cross') return yield* crossJoinStage(this.#context, stage, join);
    if (join.keeps === 'undecided') return yield* undecidedJoinStage(this.#context, stage, join);
    return yield* hashJoinStage(this.#context, stage, join);
  }

  /** Goes through the items of a collection of each row. */
  #itemStage(stage: number): Stage {
    const { runtime, plan, compile, refuse } = this.#context;
    const shape = runtime.shape.iterators[stage];
    if (shape?.kind !== 'items') throw new Error('not a nested collection');
    const lists = runtime.tableOf(stage).lists(shape.collection);
    const condition = compile(plan.filters[stage] ?? []);
    return function* expandItems({ frame, states }): Generator<Candidates> {
      const locator = frame.locators[shape.parent];
      if (locator?.kind === 'whole' && states === undefined) {
        const chunk = lists.chunk(locator.chunk);
        const reach = chunk.dense && lastParent(chunk.parents, chunk.size) < frame.size;
        if (reach) {
          const parents = chunk.parents.subarray(0, chunk.size);
          const items = wholeItems(locator.chunk, chunk);
          yield refuse(stage, frame.pick(parents).extend(items), condition);
          return;
        }
      }
      const { parents, chunks, places } = listItems(frame, shape.parent, lists);
      const items: Locator =
        locator?.kind !== 'within' && locator?.kind !== 'whole'
          ? { kind: 'scattered', chunks, places }
          : { kind: 'within', chunk: locator.chunk, places };
      const before = states && Uint8Array.from(parents, (row) => states[row] ?? NO);
      yield refuse(stage, frame.pick(parents).extend(items), condition, before);
    };
  }
}

/** The items that are there now; columns with a value for each of them need no look at tags. */
function wholeItems(index: number, chunk: ItemChunk): Locator {
  const { size } = chunk;
  return {
    kind: 'whole',
    chunk: index,
    // Columns are read later, when writes may have added items behind these.
    get isFull(): boolean {
      return chunk.size === size;
    },
  };
}
