// Checks the change log: its rows must pass their checksums and have every commit from its oldest to
// the latest.

import type { DatabaseSync } from 'node:sqlite';
import { storeDamaged } from '../errors.ts';
import { openChangeRow, SELECT_CHANGE_ROWS } from './change-rows.ts';
import { Problems } from './problems.ts';
import { columnsOf, prepareArrays } from './schema.ts';

/** Returns the number of changes. */
export function checkChangeLog(
  database: DatabaseSync,
  latest: number | undefined,
  problems: Problems,
): number {
  let count = 0;
  /** The last commit of the rows so far. */
  let last: number | undefined;
  for (const found of prepareArrays(
    database,
    `${SELECT_CHANGE_ROWS} ORDER BY sequence`,
  ).iterate()) {
    const row = openChangeRow(found);
    if (row === undefined) {
      problems.add(`change log: the row of commit ${columnsOf(found)[0]} fails its checksum`);
      last = undefined;
      continue;
    }
    const { commits, sequence } = row;
    if (last !== undefined && sequence !== last + 1) {
      problems.add(`change log: commit ${sequence} follows commit ${last}`);
    }
    count += row.count;
    last = sequence + commits - 1;
    if (sequence < 1 || last > (latest ?? last)) {
      problems.add(`change log: commit ${last} is not one of commits 1 to ${latest}`);
    }
  }
  if (latest !== undefined && last !== undefined && last < latest) {
    problems.add(`change log: ends with commit ${last}, but the store with commit ${latest}`);
  }
  return count;
}

/** Throws at the first problem. */
export function requireChangeLog(database: DatabaseSync, file: string, latest: number): void {
  const problems = new Problems(1);
  checkChangeLog(database, latest, problems);
  const [problem] = problems.shown;
  if (problem !== undefined) throw storeDamaged(file, problem);
}
