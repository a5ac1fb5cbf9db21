// Checks the change log: it must have every commit from its oldest to the latest, complete, with
// known kinds, and with a key exactly where the kind needs one.

import type { DatabaseSync } from 'node:sqlite';
import { storeDamaged } from '../errors.ts';
import { findChangeFlaw, SELECT_CHANGES } from './change-log.ts';
import { Problems } from './problems.ts';

/** Returns the number of changes. */
export function checkChangeLog(
  database: DatabaseSync,
  latest: number | undefined,
  problems: Problems,
): number {
  const sql = `${SELECT_CHANGES} ORDER BY sequence, ordinal`;
  let count = 0;
  let before: Record<string, unknown> | undefined;
  for (const row of database.prepare(sql).iterate()) {
    count += 1;
    for (const flaw of findFlaws(row, before, latest)) {
      problems.add(`change log: commit ${row['sequence']} ${flaw}`);
    }
    before = row;
  }
  const last = before?.['sequence'];
  if (latest !== undefined && Number(last) < latest) {
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

/** The defects of a row, given the row before it. */
function findFlaws(
  row: Record<string, unknown>,
  before: Record<string, unknown> | undefined,
  latest: number | undefined,
): readonly string[] {
  const flaws: string[] = [];
  const sequence = Number(row['sequence']);
  const isSame = row['sequence'] === before?.['sequence'];
  const expected = isSame ? Number(before?.['ordinal']) + 1 : 0;
  if (sequence < 1 || sequence > (latest ?? sequence)) {
    flaws.push(`is not one of commits 1 to ${latest}`);
  }
  if (before !== undefined && sequence > Number(before['sequence']) + 1) {
    flaws.push(`follows commit ${before['sequence']}`);
  }
  if (row['ordinal'] !== expected) flaws.push(`has no change number ${expected}`);
  const flaw = findChangeFlaw(row);
  return flaw === undefined ? flaws : [...flaws, flaw];
}
