// One step of a pipeline: joins one more iterator to the rows so far.

import type { BoundExpression } from '../../../bind/bound-query.ts';
import type { Condition } from '../conditions/condition.ts';
import type { Borders, Candidates, Judge } from '../conditions/judge.ts';
import type { Frame } from '../frames/frame.ts';
import type { Meter } from '../meter.ts';
import type { Runtime } from '../runtime.ts';
import type { VectorPlan } from '../vector-plan.ts';

/** Takes the rows of the iterators before it, gives them with those of its own. */
export type Stage = (candidates: Candidates) => Generator<Candidates>;

/** What the stages of one run share. */
export interface StageContext {
  readonly runtime: Runtime;
  readonly plan: VectorPlan;
  readonly judge: Judge;
  readonly meter: Meter | undefined;
  readonly borders: Borders;
  compile(conjuncts: readonly BoundExpression[]): Condition | undefined;
  /** Rows without those that a condition of the stage refuses. */
  refuse(
    stage: number,
    frame: Frame,
    condition: Condition | undefined,
    before?: Uint8Array,
  ): Candidates;
}
