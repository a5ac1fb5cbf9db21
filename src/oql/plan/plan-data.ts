// The planner's port to the data of a query. The executor implements it, and the planner never
// imports the executor.

import type { Value } from '../../value/value.ts';
import type { BoundExpression } from '../bind/bound-query.ts';
import type { SourceTable } from '../columnar/column-source.ts';
import type { FindColumnNumber, VectorShape } from '../columnar/shape.ts';

/** The facts about a query from which look-ups are found. */
export interface QueryFacts {
  readonly shape: VectorShape;
  /** The value of an expression that is the same for all rows; undefined if it fails. */
  constant(expression: BoundExpression): Value | undefined;
  readonly columnNumberOf: FindColumnNumber;
  /** Bit t is set if some row may have tag t in the column; any row may be MISSING. */
  tagsOf(columnNumber: number): number;
}

export interface PlanData extends QueryFacts {
  tableOf(iterator: number): SourceTable;
  /** The same data for a rewritten select. */
  withShape(shape: VectorShape): PlanData;
  /** Some rows of a region, on which conditions are evaluated for estimates. */
  sample(iterator: number, rows: Uint32Array): RowSample;
}

export interface RowSample {
  readonly size: number;
  /** Rows for which the condition is true or fails; undefined if it takes long to evaluate. */
  countKept(condition: BoundExpression): number | undefined;
  /** How often each value of a column occurs. */
  countValues(columnNumber: number): ReadonlyMap<number | string, number>;
}
