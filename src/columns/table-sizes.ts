// The sizes of all tables together. Measuring every table takes microseconds for each, so with many
// tables the last totals are used for a few calls.

import type { FollowedTable } from './followed-table.ts';

/** Tables that a call measures, on average: the more tables, the more calls use the same totals. */
const TABLES_PER_CALL = 16;

export interface Totals {
  readonly bytes: number;
  /** Columns and lists. */
  readonly parts: number;
}

export class TableSizes {
  readonly #tables: ReadonlyMap<string, FollowedTable>;
  #totals: Totals = { bytes: 0, parts: 0 };
  /** Calls for which the totals may still be used. */
  #calls = 0;

  constructor(tables: ReadonlyMap<string, FollowedTable>) {
    this.#tables = tables;
  }

  measure(): Totals {
    this.#calls = Math.floor(this.#tables.size / TABLES_PER_CALL);
    this.#totals = { bytes: 0, parts: 0 };
    for (const table of this.#tables.values()) this.#add(table);
    return this.#totals;
  }

  /** Without what was written to the tables since the last few calls. */
  estimate(): Totals {
    this.#calls -= 1;
    return this.#calls > 0 ? this.#totals : this.measure();
  }

  /** `estimate` with a table that was built just now, which may be counted twice. */
  estimateWith(built: FollowedTable): Totals {
    this.#add(built);
    return this.estimate();
  }

  #add(added: FollowedTable): void {
    const { bytes, parts } = this.#totals;
    this.#totals = { bytes: bytes + added.sizeBytes(), parts: parts + added.table.partCount() };
  }
}
