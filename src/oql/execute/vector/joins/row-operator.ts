// An operator of FROM or WHERE, created from its node of the plan.

import type { BoundExpression } from '../../../bind/bound-query.ts';
import type { Meter } from '../../meter.ts';
import type { Predicate } from '../predicates/predicate.ts';
import type { Candidates, RowFilter, RowPacer } from '../predicates/row-filter.ts';
import type { Runtime } from '../runtime.ts';

/** Takes rows of the step below, and returns its own rows. */
export type RowOperator = (candidates: Candidates) => Generator<Candidates>;

/** The parts that the operators of one run share. */
export interface OperatorContext {
  readonly runtime: Runtime;
  readonly rowFilter: RowFilter;
  readonly meter: Meter | undefined;
  readonly pacer: RowPacer;
  compile(conjuncts: readonly BoundExpression[]): Predicate | undefined;
}
