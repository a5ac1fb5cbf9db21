// The input that aggregates share: rows, and arguments as numbers where possible and as values
// otherwise.

import type { Value } from '../../../../value/value.ts';
import type { BoundAggregate } from '../../../bind/bound-query.ts';
import { type Accumulator, createAccumulator } from '../../../reference/aggregates.ts';
import { isRowFailure } from '../../../reference/environment.ts';
import { RowEncoder, type RowKey } from '../codes/row-encoder.ts';
import type { Frame } from '../frames/frame.ts';
import { RowPlaces } from '../frames/row-places.ts';
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
  /** True only if each of `rows` is the one after the row before it. */
  readonly isRun: boolean;
}

export interface VectorAggregate {
  /** Whether its argument has to be computed row by row. */
  readonly isComputed: boolean;
  add(rows: GroupedRows): void;
  result(group: number): Value;
}

/** Whether rows that ascend, none twice, follow one another. */
export function isRun(rows: Uint32Array): boolean {
  const size = rows.length;
  return size > 0 && (rows[size - 1] ?? 0) - (rows[0] ?? 0) === size - 1;
}

/** Gives the argument of one aggregate. */
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

  /** Undefined when the argument can only be computed value by value. */
  vector(frame: Frame): Vector | undefined {
    // A frame may come in several pieces.
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
    const place = { text: this.#runtime.place.text, span: aggregate.span };
    const { budget, place: whole } = this.#runtime;
    // Duplicates are removed before they come here.
    return createAccumulator({ ...aggregate, distinct: false }, place, () => budget.keep(1, whole));
  }

  /** Where values of a column are, by group; undefined for computed ones. */
  rowPlaces(): RowPlaces | undefined {
    const slot = this.#runtime.slots[this.slot];
    return slot && new RowPlaces(slot);
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
