// A write connection that captures the old columns of a row that an UPDATE changes. The condition of
// the statement calls a function of this program with them. So one search of the tree finds an entry,
// reports its old columns and changes it.

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { LargeValues } from './large-values.ts';
import { StatementCache } from './statement-cache.ts';

/** The function's name in SQL. It takes three columns and is true for every row. */
export const NOTE_OLD_ROW = 'note_old_row';

export class WriteConnection {
  readonly statements: StatementCache;
  readonly largeValues: LargeValues;
  #oldRow: readonly unknown[] | undefined;

  /** Create it once per database. */
  constructor(database: DatabaseSync) {
    this.statements = new StatementCache(database);
    this.largeValues = new LargeValues(this.statements);
    database.function(NOTE_OLD_ROW, (first, second, third) => {
      this.#oldRow = [first, second, third];
      return 1;
    });
  }

  /** Runs an UPDATE of one row; returns its old columns, or undefined when there is no such row. */
  overwrite(
    statement: StatementSync,
    ...parameters: readonly SQLInputValue[]
  ): readonly unknown[] | undefined {
    this.#oldRow = undefined;
    statement.run(...parameters);
    return this.#oldRow;
  }
}
