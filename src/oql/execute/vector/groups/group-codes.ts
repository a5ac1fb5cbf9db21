// The keys of GROUP BY as codes. Groups are opened one by one, with the key of their first row.

import type { Value } from '../../../../value/value.ts';
import type { BoundGrouping } from '../../../bind/bound-query.ts';
import { RowEncoder } from '../codes/row-encoder.ts';
import type { Frame } from '../frames/frame.ts';
import type { Runtime } from '../runtime.ts';
import { ColumnKeys, ComputedKeys, type GroupKeys } from './group-keys.ts';

export class GroupCodes {
  readonly #runtime: Runtime;
  /** Gives the codes of rows. */
  readonly encoder: RowEncoder;
  /** Keys of the groups so far, by GROUP BY expression. */
  readonly #groups: readonly GroupKeys[];
  /** Whether a key has to be computed row by row. */
  readonly isComputed: boolean;

  constructor(runtime: Runtime, grouping: BoundGrouping) {
    this.#runtime = runtime;
    const keys = grouping.keys.map((key) => runtime.rowKey(key));
    this.encoder = new RowEncoder(keys);
    this.#groups = keys.map(({ columnNumber, read }) => {
      const column = runtime.columns[columnNumber];
      return column === undefined ? new ComputedKeys(read) : new ColumnKeys(column);
    });
    this.isComputed = keys.some(({ columnNumber }) => columnNumber < 0);
  }

  /** Opens the next group, with the keys of a row. */
  open(frame: Frame, row: number): void {
    for (const groups of this.#groups) groups.open(frame, row);
    this.#runtime.budget.keep(1, this.#runtime.location);
  }

  values(group: number): readonly Value[] {
    return this.#groups.map((groups) => groups.value(group));
  }

  /** The order of two groups by their keys. */
  readonly order = (left: number, right: number): number => {
    for (const groups of this.#groups) {
      const order = groups.order(left, right);
      if (order !== 0) return order;
    }
    return 0;
  };
}
