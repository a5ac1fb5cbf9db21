// The change log against the latest commit: whole commits, known kinds, and a
// key exactly where there is one to name.

import type { DatabaseSync } from 'node:sqlite';
import { findChangeFlaw, SELECT_CHANGES } from './change-log.ts';
import type { Problems } from './problems.ts';

/** Gives the number of changes. */
export function checkChangeLog(
  database: DatabaseSync,
  latest: number | undefined,
  problems: Problems,
): number {
  const sql = `${SELECT_CHANGES} ORDER BY sequence, ordinal`;
  let count = 0;
  let sequence = 0;
  let expected = 0;
  for (const row of database.prepare(sql).iterate()) {
    count += 1;
    expected = row['sequence'] === sequence ? expected + 1 : 0;
    sequence = Number(row['sequence']);
    const report = (text: string): void => problems.add(`change log: commit ${sequence} ${text}`);
    if (sequence < 1 || (latest !== undefined && sequence > latest)) {
      report(`is none of the ${latest} there were`);
    }
    if (row['ordinal'] !== expected) report(`has no change number ${expected}`);
    // One missing change is one finding, not one for each that follows.
    expected = Number(row['ordinal']);
    const flaw = findChangeFlaw(row);
    if (flaw !== undefined) report(flaw);
  }
  return count;
}
