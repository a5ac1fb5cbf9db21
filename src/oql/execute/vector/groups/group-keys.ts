// The keys of GROUP BY: their codes, and the keys of the groups. If a key is a column, a group stores
// the position of its first row instead of the value.

import { totalOrder } from '../../../../value/compare.ts';
import type { Value } from '../../../../value/value.ts';
import type { BoundGrouping } from '../../../bind/bound-query.ts';
import { RowEncoder } from '../codes/row-encoder.ts';
import type { Frame } from '../frames/frame.ts';
import { RowPositions } from '../frames/kept-rows.ts';
import { orderAt } from '../frames/vector.ts';
import type { Runtime } from '../runtime.ts';
import type { GroupFinder } from './grouper.ts';

export class GroupCodes implements GroupFinder {
  readonly #runtime: Runtime;
  readonly encoder: RowEncoder;
  /** By GROUP BY expression. */
  readonly #keys: readonly GroupKeys[];
  #buffer = new Uint32Array(4096);

  constructor(runtime: Runtime, grouping: BoundGrouping) {
    this.#runtime = runtime;
    const keys = grouping.keys.map((key) => runtime.rowKey(key));
    this.encoder = new RowEncoder(keys);
    this.#keys = keys.map(({ columnNumber, read }) => {
      const column = runtime.columns[columnNumber];
      return column === undefined ? new ComputedKeys(read) : new ColumnKeys(column);
    });
  }

  /** Each row has one group, by its keys. */
  find(frame: Frame, rows: Uint32Array): ReturnType<GroupFinder['find']> {
    if (this.#buffer.length < rows.length) this.#buffer = new Uint32Array(rows.length * 2);
    const groups = this.#buffer.subarray(0, rows.length);
    this.encoder.encode(frame, rows, groups);
    return { rows, groups };
  }

  open(group: number, frame: Frame, row: number): void {
    for (const keys of this.#keys) keys.set(group, frame, row);
    this.#runtime.budget.keep(1, this.#runtime.location);
  }

  values(group: number): readonly Value[] {
    return this.#keys.map((keys) => keys.value(group));
  }

  readonly order = (left: number, right: number): number => {
    for (const keys of this.#keys) {
      const order = keys.order(left, right);
      if (order !== 0) return order;
    }
    return 0;
  };
}

/** One key of all groups, by their numbers. */
interface GroupKeys {
  set(group: number, frame: Frame, row: number): void;
  value(group: number): Value;
  /** The order of two groups by their values of this key. */
  order(left: number, right: number): number;
}

class ColumnKeys extends RowPositions implements GroupKeys {
  order(left: number, right: number): number {
    const { strings } = this.column;
    const [a, b] = [this.chunk(left), this.chunk(right)];
    const order = orderAt(a, this.position(left), strings, b, this.position(right), strings);
    return order ?? totalOrder(this.value(left), this.value(right));
  }
}

class ComputedKeys implements GroupKeys {
  readonly #compute: (frame: Frame, row: number) => Value;
  readonly #values: Value[] = [];

  constructor(compute: (frame: Frame, row: number) => Value) {
    this.#compute = compute;
  }

  set(group: number, frame: Frame, row: number): void {
    this.#values[group] = this.#compute(frame, row);
  }

  value(group: number): Value {
    return this.#values[group] ?? null;
  }

  order(left: number, right: number): number {
    return totalOrder(this.value(left), this.value(right));
  }
}
