// Format 3 to 4: a row of the change log has the commits that were written together, instead of one
// change. The log must be whole: the checksum of a damaged row would hide the damage.

import type { DatabaseSync } from 'node:sqlite';
import { storeDamaged } from '../../errors.ts';
import { type LoggedChange, type LoggedCommit, prepareInsertCommits } from '../change-rows.ts';
import { Problems } from '../problems.ts';
import { readStoreRow, TABLES } from '../schema.ts';
import { checkFormat3Changes, readFormat3Changes } from './format-3.ts';

export function groupChanges(database: DatabaseSync, file: string): void {
  const problems = new Problems(1);
  checkFormat3Changes(database, readStoreRow(database, file).sequence, problems);
  const [problem] = problems.shown;
  if (problem !== undefined) throw storeDamaged(file, problem);

  const groups = readCommits(database);
  database.exec('DROP TABLE changes');
  database.exec(TABLES.get('changes') ?? '');
  const insert = prepareInsertCommits(database);
  for (const { atMs, commits } of groups) insert(commits, atMs);
}

interface CommitsOfTime {
  readonly atMs: number;
  readonly commits: LoggedCommit[];
}

/** All commits, those of one time together. */
function readCommits(database: DatabaseSync): readonly CommitsOfTime[] {
  const groups: CommitsOfTime[] = [];
  let changes: LoggedChange[] = [];
  let last = 0;
  for (const { atMs, key, kind, region, sequence } of readFormat3Changes(database)) {
    if (groups.at(-1)?.atMs !== atMs) groups.push({ atMs, commits: [] });
    if (sequence !== last) {
      changes = [];
      groups.at(-1)?.commits.push({ sequence, changes });
    }
    changes.push({ kind, region, key });
    last = sequence;
  }
  return groups;
}
