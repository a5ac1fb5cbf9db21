// Writes entries of one region. Statements of several rows write many at once: a row then costs
// little more than half as much as with a separate statement.

import { entriesTable } from './schema.ts';
import type { LazyStatement, StatementCache } from './statement-cache.ts';

/** The columns of an entry as they are stored: a large value as the reference to its row. */
export type EntryRow = readonly [
  storedKey: string,
  version: number,
  seal: string,
  value: string | Uint8Array,
];

const ROWS_PER_STATEMENT = 32;
const ONE_ROW = '(?, ?, ?, ?)';
const MANY_ROWS = Array.from({ length: ROWS_PER_STATEMENT }, () => ONE_ROW).join();

export class PutStatements {
  readonly #one: LazyStatement;
  readonly #many: LazyStatement;

  constructor(statements: StatementCache, regionId: number) {
    const into = `INSERT OR REPLACE INTO ${entriesTable(regionId)}("key", version, seal, value) VALUES`;
    this.#one = statements.lazy(`${into}${ONE_ROW}`);
    this.#many = statements.lazy(`${into}${MANY_ROWS}`);
  }

  one(row: EntryRow): void {
    this.#one.use().run(...row);
  }

  /** Calls `afterEach` once for each row, when it is written. */
  many(rows: readonly EntryRow[], afterEach: () => void): void {
    const whole = rows.length - (rows.length % ROWS_PER_STATEMENT);
    for (let at = 0; at < whole; at += ROWS_PER_STATEMENT) {
      const some = rows.slice(at, at + ROWS_PER_STATEMENT);
      this.#many.use().run(...some.flat());
      for (const _ of some) afterEach();
    }
    for (const row of rows.slice(whole)) {
      this.one(row);
      afterEach();
    }
  }
}
