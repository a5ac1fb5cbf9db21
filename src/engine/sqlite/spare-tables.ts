// Empty tables for future regions. A new table makes every connection read the whole schema again,
// which takes longer with each region. So tables are created in blocks, and most new regions take a
// table that exists already.

import type { DatabaseSync } from 'node:sqlite';
import { createEntriesTable, listEntriesTables } from './schema.ts';

/** Bounds the time that creating a block takes. */
const MAX_BLOCK = 64;
const REGIONS_PER_SPARE = 4;

export class SpareTables {
  readonly #database: DatabaseSync;
  #spares: number[] | undefined;
  /** Never lowered, so that no two regions have the same number while the store is open. */
  #next = 1;

  constructor(database: DatabaseSync) {
    this.#database = database;
    // Searched now: the number of a region destroyed before the first `take` must not be used
    // again.
    this.#spares = this.#find();
  }

  /** The number of an empty table, inside the transaction that creates the region. */
  take(regionCount: number): number {
    this.#spares ??= this.#find();
    const spare = this.#spares.shift();
    return spare ?? this.#createBlock(regionCount);
  }

  /** Call this when a transaction or a savepoint was rolled back. */
  forget(): void {
    this.#spares = undefined;
  }

  #createBlock(regionCount: number): number {
    const first = this.#next;
    const count = Math.min(MAX_BLOCK, 1 + Math.floor(regionCount / REGIONS_PER_SPARE));
    this.#next += count;
    for (let number = first; number < this.#next; number += 1) {
      this.#database.exec(createEntriesTable(number));
      if (number > first) this.#spares?.push(number);
    }
    return first;
  }

  #find(): number[] {
    const used = new Set(
      this.#database
        .prepare('SELECT id FROM regions')
        .all()
        .map((row) => Number(row['id'])),
    );
    const numbers = listEntriesTables(this.#database);
    this.#next = Math.max(this.#next, ...[...used, ...numbers].map((number) => number + 1));
    return numbers.filter((number) => !used.has(number)).sort((a, b) => a - b);
  }
}
