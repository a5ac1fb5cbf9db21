// The statements around a batch and around each of its requests.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** `undo` rolls back to the savepoint, which stays open until `release`. */
export type TransactionStatements = Readonly<
  Record<'begin' | 'commit' | 'savepoint' | 'release' | 'undo', StatementSync>
>;

export function prepareTransaction(database: DatabaseSync): TransactionStatements {
  return {
    begin: database.prepare('BEGIN IMMEDIATE'),
    commit: database.prepare('COMMIT'),
    savepoint: database.prepare('SAVEPOINT request'),
    release: database.prepare('RELEASE request'),
    undo: database.prepare('ROLLBACK TO request'),
  };
}
