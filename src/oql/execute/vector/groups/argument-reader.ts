// The input that aggregates share: rows, and arguments as numbers where possible and as values
// otherwise.

import type { Value } from '../../../../value/value.ts';
import type { BoundAggregate, BoundExpression } from '../../../bind/bound-query.ts';
import { type Accumulator, createAccumulator } from '../../../reference/aggregates.ts';
import { isRowFailure } from '../../../reference/environment.ts';
import type { RowKey } from '../codes/row-encoder.ts';
import type { Frame, QueryColumn } from '../frames/frame.ts';
import type { Vector } from '../frames/vector.ts';
import { numericOperand } from '../predicates/compile-predicate.ts';
import type { ReadVector } from '../predicates/predicate.ts';
import { FallBackToRows, type Runtime } from '../runtime.ts';

export interface GroupedRows {
  readonly frame: Frame;
  readonly rows: Uint32Array;
  /** Group of each of `rows`. */
  readonly groups: Uint32Array;
  readonly groupCount: number;
}

export interface VectorAggregate {
  add(rows: GroupedRows): void;
  result(group: number): Value;
}

export interface ArgumentReader {
  readonly key: RowKey;
  /** Undefined for computed values. */
  readonly column: QueryColumn | undefined;
  /** The argument over a frame; undefined if it has to be computed value by value. */
  readonly vector: ReadVector | undefined;
  createAccumulator(): Accumulator;
}

export function readArgument(
  runtime: Runtime,
  aggregate: BoundAggregate,
  argument: BoundExpression,
): ArgumentReader {
  const { budget, location: whole, columns } = runtime;
  const key = runtime.rowKey(argument);
  // A constant is read as a value, because MIN and MAX show it as it is written.
  const isConstant = runtime.constant(argument) !== undefined;
  const read = isConstant ? undefined : numericOperand(argument, runtime);
  // Duplicates are dropped before they are added.
  const withDuplicates = { ...aggregate, distinct: false };
  const location = { text: whole.text, span: aggregate.span };
  return {
    key,
    column: columns[key.columnNumber],
    vector: read && oncePerFrame(read),
    createAccumulator: () =>
      createAccumulator(withDuplicates, location, () => budget.keep(1, whole)),
  };
}

/** A frame may be added in several pieces. */
function oncePerFrame(read: ReadVector): ReadVector {
  let last: { readonly frame: Frame; readonly vector: Vector } | undefined;
  return (frame) => {
    if (last?.frame !== frame) last = { frame, vector: read(frame) };
    return last.vector;
  };
}

export function addTo(accumulator: Accumulator, value: Value): void {
  try {
    accumulator.add(value);
  } catch (error) {
    throw isRowFailure(error) ? new FallBackToRows('an aggregate fails', { cause: error }) : error;
  }
}
