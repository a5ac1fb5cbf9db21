// Writes entries of one region. Statements of several rows write many at once: a row then costs
// little more than half as much as with a separate statement.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { entriesTable } from './schema.ts';

/** The columns of an entry as they are stored. */
export type EntryRow = readonly [storedKey: string, version: number, seal: string, value: string];

const ROWS_PER_STATEMENT = 32;
const ONE_ROW = '(?, ?, ?, ?)';
const MANY_ROWS = Array.from({ length: ROWS_PER_STATEMENT }, () => ONE_ROW).join();

export class PutStatements {
  readonly #database: DatabaseSync;
  readonly #into: string;
  readonly #one: StatementSync;
  /** Prepared when first used: most regions are written entry by entry. */
  #many: StatementSync | undefined;

  constructor(database: DatabaseSync, regionId: number) {
    this.#database = database;
    this.#into = `INSERT OR REPLACE INTO ${entriesTable(regionId)}("key", version, seal, value) VALUES`;
    this.#one = database.prepare(`${this.#into}${ONE_ROW}`);
  }

  one(row: EntryRow): void {
    this.#one.run(...row);
  }

  /** Calls `afterEach` once for each row, when it is written. */
  many(rows: readonly EntryRow[], afterEach: () => void): void {
    const whole = rows.length - (rows.length % ROWS_PER_STATEMENT);
    for (let at = 0; at < whole; at += ROWS_PER_STATEMENT) {
      const some = rows.slice(at, at + ROWS_PER_STATEMENT);
      this.#several().run(...some.flat());
      for (const _ of some) afterEach();
    }
    for (const row of rows.slice(whole)) {
      this.one(row);
      afterEach();
    }
  }

  #several(): StatementSync {
    this.#many ??= this.#database.prepare(`${this.#into}${MANY_ROWS}`);
    return this.#many;
  }
}
