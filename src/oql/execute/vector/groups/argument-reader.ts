// The input that aggregates share: rows, and arguments as numbers where possible and as values
// otherwise.

import type { Value } from '../../../../value/value.ts';
import type { BoundAggregate } from '../../../bind/bound-query.ts';
import { type Accumulator, createAccumulator } from '../../../reference/aggregates.ts';
import { isRowFailure } from '../../../reference/environment.ts';
import { RowEncoder, type RowKey } from '../codes/row-encoder.ts';
import type { Frame } from '../frames/frame.ts';
import { RowPositions } from '../frames/row-positions.ts';
import type { Vector } from '../frames/vector.ts';
import { numericOperand } from '../predicates/compile-predicate.ts';
import type { Operand } from '../predicates/predicate.ts';
import { FallBackToRows, type Runtime } from '../runtime.ts';

export interface GroupedRows {
  readonly frame: Frame;
  readonly rows: Uint32Array;
  /** Group of each of `rows`. */
  readonly groups: Uint32Array;
  readonly groupCount: number;
  /** True only if `rows` are consecutive. */
  readonly isRun: boolean;
}

export interface VectorAggregate {
  /** Whether its argument has to be computed row by row. */
  readonly isComputed: boolean;
  add(rows: GroupedRows): void;
  result(group: number): Value;
}

/** Whether ascending rows without duplicates are consecutive. */
export function isRun(rows: Uint32Array): boolean {
  const size = rows.length;
  return size > 0 && (rows[size - 1] ?? 0) - (rows[0] ?? 0) === size - 1;
}

/** Reads the argument of one aggregate. */
export class ArgumentReader {
  readonly #runtime: Runtime;
  readonly #index: number;
  readonly slot: number;
  readonly #operand: Operand | undefined;
  readonly #compute: RowKey['compute'];
  #lastFrame: Frame | undefined;
  #lastVector: Vector | undefined;

  constructor(runtime: Runtime, aggregate: BoundAggregate, index: number) {
    const { argument } = aggregate;
    this.#runtime = runtime;
    this.#index = index;
    this.slot = argument === undefined ? -1 : runtime.slotOf(argument);
    const numeric = argument && numericOperand(argument, runtime);
    this.#operand = numeric?.kind === 'vector' ? numeric.read : undefined;
    this.#compute = runtime.computing(({ grouping }) => grouping?.arguments[index]);
  }

  get isComputed(): boolean {
    return this.#operand === undefined && this.slot < 0;
  }

  /** Undefined if the argument has to be computed value by value. */
  vector(frame: Frame): Vector | undefined {
    // A frame may be added in several pieces.
    if (this.#lastFrame !== frame) {
      this.#lastFrame = frame;
      this.#lastVector = this.#operand?.(frame);
    }
    return this.#lastVector;
  }

  value(frame: Frame, row: number): Value {
    return this.slot >= 0 ? frame.value(this.slot, row) : this.#compute(frame, row);
  }

  accumulator(): Accumulator {
    const aggregate = this.#runtime.shape.select.grouping?.aggregates[this.#index];
    if (aggregate === undefined) throw new Error('no such aggregate');
    const location = { text: this.#runtime.location.text, span: aggregate.span };
    const { budget, location: whole } = this.#runtime;
    // Duplicates are dropped before they are added.
    return createAccumulator({ ...aggregate, distinct: false }, location, () =>
      budget.keep(1, whole),
    );
  }

  /** Positions of values of a column, by group; undefined for computed values. */
  rowPositions(): RowPositions | undefined {
    const slot = this.#runtime.slots[this.slot];
    return slot && new RowPositions(slot);
  }

  encoder(): RowEncoder {
    const column = this.#runtime.slots[this.slot]?.column;
    return new RowEncoder([{ slot: this.slot, column, compute: this.#compute }]);
  }
}

export function addTo(accumulator: Accumulator, value: Value): void {
  try {
    accumulator.add(value);
  } catch (error) {
    throw isRowFailure(error) ? new FallBackToRows('an aggregate fails', { cause: error }) : error;
  }
}
