// Counts the rows a run holds in memory, over all its joins, sorts, groups and subqueries.

import { type Location, tooManyRows } from '../errors.ts';

export class RowBudget {
  readonly #limit: number;
  #kept = 0;

  constructor(limit: number = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /** Throws when the rows would be more than the run may hold. */
  keep(rows: number, location: Location): void {
    this.#kept += rows;
    if (this.#kept > this.#limit) throw tooManyRows(location, this.#limit);
  }

  hasRoomFor(rows: number): boolean {
    return this.#kept + rows <= this.#limit;
  }

  release(rows: number): void {
    this.#kept -= rows;
  }
}
