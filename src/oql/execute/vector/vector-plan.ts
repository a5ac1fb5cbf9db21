// A plan together with the columns it was made for, ready for the executor.

import type { PlanFacts } from '../../plan/draft.ts';
import { type ColumnPlan, optimize } from '../../plan/optimize.ts';
import type { Runtime } from './runtime.ts';

export interface VectorPlan extends ColumnPlan {
  readonly runtime: Runtime;
}

export function planColumns(runtime: Runtime, facts: PlanFacts): VectorPlan {
  const plan = optimize(runtime, facts);
  const { shape } = plan.runtime;
  // The planner may have rewritten the select.
  const isSame = shape === runtime.shape;
  return { ...plan, runtime: isSame ? runtime : runtime.withSelect(shape.select, shape) };
}
