// The values of an index on an expression, or on several: computed from the columns of a row
// whenever it is written, and stored in a column of the index.

import { CHUNK_BITS, CHUNK_MASK } from '../../value/column-data.ts';
import type { ColumnPath } from '../../value/column-path.ts';
import {
  DOUBLE,
  FALSE,
  INTEGER,
  NULL,
  OTHER_NUMBER,
  TRUE,
  wholeTag,
} from '../../value/row-tags.ts';
import { Column } from '../column.ts';

/**
 * The indexed value of a row: undefined if the expression has no value, a symbol if its value is
 * not a key or it fails. Numbers are finite and not -0.
 */
export type DerivedKey = number | string | boolean | null | undefined | symbol;

export interface Derivation {
  /** The columns it reads; at least one, none of them of nested items. */
  readonly inputs: readonly ColumnPath[];
  /** `columns` are those at `inputs`, in that order. */
  open(columns: readonly Column[]): (row: number) => DerivedKey;
}

export class DerivedColumn {
  readonly column: Column = new Column();
  readonly #compute: (row: number) => DerivedKey;

  constructor(compute: (row: number) => DerivedKey) {
    this.#compute = compute;
  }

  /** Computes the value of a row again, from its current columns. */
  derive(row: number): void {
    const { column } = this;
    const local = row & CHUNK_MASK;
    column.select(row >> CHUNK_BITS);
    column.clear(local);
    const key = this.#compute(row);
    if (key === undefined) return;
    switch (typeof key) {
      case 'string':
        column.setString(local, column.strings.internText(key));
        return;
      case 'number':
        column.setNumber(local, wholeTag(key) === INTEGER ? INTEGER : DOUBLE, key);
        return;
      case 'boolean':
        column.setSimple(local, key ? TRUE : FALSE);
        return;
      default:
        column.setSimple(local, key === null ? NULL : OTHER_NUMBER);
    }
  }
}
