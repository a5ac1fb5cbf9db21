// Rows of the `changes` table. A row has commits that were written together: one commit, or several
// of one change each. A row per batch costs a fraction of a row per change, and rows are appended to
// the end of a table in the order of their numbers.

import type { DatabaseSync } from 'node:sqlite';
import type { CommittedChange } from '../engine.ts';
import { columnsOf, isSeal, sealFields } from './schema.ts';

export interface LoggedChange {
  readonly kind: CommittedChange['kind'];
  readonly region: string;
  /** Name of the index, for a change of an index. */
  readonly key: string | null;
}

export function change(
  kind: LoggedChange['kind'],
  region: string,
  key: string | null = null,
): LoggedChange {
  return { kind, region, key };
}

export interface LoggedCommit {
  readonly sequence: number;
  readonly changes: readonly LoggedChange[];
}

/** Changes that follow each other and differ only in their keys. */
type ChangeGroup = readonly [
  kind: LoggedChange['kind'],
  region: string,
  keys: readonly LoggedChange['key'][],
];

export interface ChangeRow {
  /** Of the first commit. */
  readonly sequence: number;
  readonly commits: number;
  /** Number of changes. */
  readonly count: number;
  readonly atMs: number;
  readonly groups: readonly ChangeGroup[];
}

/** A row with more than one commit has at most this many. */
const MAX_ROW_COMMITS = 1000;

export const SELECT_CHANGE_ROWS = 'SELECT sequence, commits, count, at_ms, list, seal FROM changes';

/** Returns a function that writes consecutive commits of one time. */
export function prepareInsertCommits(
  database: DatabaseSync,
): (commits: readonly LoggedCommit[], atMs: number) => void {
  const insert = database.prepare(
    'INSERT INTO changes(sequence, commits, count, at_ms, list, seal) VALUES(?, ?, ?, ?, ?, ?)',
  );
  return (commits, atMs) => {
    for (let at = 0; at < commits.length; ) {
      const together = commits.slice(at, at + countTogether(commits, at));
      const changes = together.flatMap((commit) => commit.changes);
      const fields = [
        together[0]?.sequence ?? 0,
        together.length,
        changes.length,
        atMs,
        JSON.stringify(toGroups(changes)),
      ] as const;
      insert.run(...fields, sealFields(fields));
      at += together.length;
    }
  };
}

/** How many commits from this one on share a row. */
function countTogether(commits: readonly LoggedCommit[], at: number): number {
  const most = Math.min(commits.length - at, MAX_ROW_COMMITS);
  let count = 0;
  while (count < most && commits[at + count]?.changes.length === 1) count += 1;
  return Math.max(1, count);
}

function toGroups(changes: readonly LoggedChange[]): readonly ChangeGroup[] {
  const groups: [LoggedChange['kind'], string, LoggedChange['key'][]][] = [];
  for (const { key, kind, region } of changes) {
    const last = groups.at(-1);
    if (last !== undefined && last[0] === kind && last[1] === region) last[2].push(key);
    else groups.push([kind, region, [key]]);
  }
  return groups;
}

/** Opens a row of `SELECT_CHANGE_ROWS`; undefined when it fails its checksum. */
export function openChangeRow(row: unknown): ChangeRow | undefined {
  const columns = columnsOf(row);
  const fields = columns.slice(0, -1);
  if (!isSeal(columns.at(-1), fields)) return undefined;
  // The seal matches, so these are the columns that were inserted.
  const [sequence, commits, count, atMs, list] = fields as [number, number, number, number, string];
  return { sequence, commits, count, atMs, groups: JSON.parse(list) as readonly ChangeGroup[] };
}
