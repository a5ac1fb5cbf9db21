// A connection that writes, and notes the row that an UPDATE changes as it was. The condition of the
// statement calls a function of this program with the old columns, so that one walk down the tree
// finds an entry, tells what it was and changes it.

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** The function's name in SQL. It takes three columns and is true for every row. */
export const NOTE_OLD_ROW = 'note_old_row';

export class WriteConnection {
  readonly database: DatabaseSync;
  #oldRow: readonly unknown[] | undefined;

  /** To be made once for a database. */
  constructor(database: DatabaseSync) {
    this.database = database;
    database.function(NOTE_OLD_ROW, (first, second, third) => {
      this.#oldRow = [first, second, third];
      return 1;
    });
  }

  /** Runs an UPDATE of one row and gives the columns that it noted; undefined when there is no such row. */
  overwrite(
    statement: StatementSync,
    ...parameters: readonly SQLInputValue[]
  ): readonly unknown[] | undefined {
    this.#oldRow = undefined;
    statement.run(...parameters);
    return this.#oldRow;
  }
}
