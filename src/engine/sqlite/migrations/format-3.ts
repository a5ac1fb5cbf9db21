// The tables of formats 2 and 3, and their change log with a row per change, for the migration and
// for commands that only read. They stay as they were when the schema changes.

import type { DatabaseSync } from 'node:sqlite';
import { decodeKey, encodeKey } from '../../key-encoding.ts';
import type { LoggedChange } from '../change-rows.ts';
import type { Problems } from '../problems.ts';

export const FORMAT_3_CHANGES =
  'CREATE TABLE changes(sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL, kind TEXT NOT NULL, region TEXT NOT NULL, "key" TEXT, at_ms INTEGER NOT NULL, PRIMARY KEY(sequence, ordinal)) WITHOUT ROWID';

export const FORMAT_3_TABLES: ReadonlyMap<string, string> = new Map([
  [
    'store',
    'CREATE TABLE store(id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, clean INTEGER NOT NULL, seal INTEGER NOT NULL)',
  ],
  [
    'regions',
    'CREATE TABLE regions(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL, indexes TEXT NOT NULL, entry_count INTEGER NOT NULL, value_bytes INTEGER NOT NULL, largest_value INTEGER NOT NULL, digest INTEGER NOT NULL, seal INTEGER NOT NULL)',
  ],
  ['changes', FORMAT_3_CHANGES],
]);

/** Always includes the last column: SQLite detects a record of the wrong length when reading it. */
const SELECT_CHANGES =
  'SELECT sequence, ordinal, kind, region, "key", at_ms FROM changes ORDER BY sequence, ordinal';

export interface Format3Change extends LoggedChange {
  readonly sequence: number;
  readonly atMs: number;
}

/** The rows of a log without flaws, in order. */
export function* readFormat3Changes(database: DatabaseSync): Generator<Format3Change> {
  for (const { at_ms: atMs, key, kind, region, sequence } of database
    .prepare(SELECT_CHANGES)
    .iterate()) {
    // `checkFormat3Changes` found these types.
    yield {
      sequence: sequence as number,
      atMs: atMs as number,
      kind: kind as LoggedChange['kind'],
      region: region as string,
      key: key === null ? null : decodeKey(key as string),
    };
  }
}

/** Returns the number of changes. */
export function checkFormat3Changes(
  database: DatabaseSync,
  latest: number | undefined,
  problems: Problems,
): number {
  let count = 0;
  let before: Record<string, unknown> | undefined;
  for (const row of database.prepare(SELECT_CHANGES).iterate()) {
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

/** Whether a change of this kind names a key, or an index in its place. */
const NAMES_KEY: ReadonlyMap<string, boolean> = new Map([
  ['put', true],
  ['remove', true],
  ['expire', true],
  ['clear', false],
  ['create-region', false],
  ['destroy-region', false],
  ['alter-region', false],
  ['add-index', true],
  ['drop-index', true],
]);

/** The defect of a row, apart from its numbers. */
function findChangeFlaw(row: Record<string, unknown>): string | undefined {
  const { key, kind, region, at_ms: at } = row;
  const namesKey = typeof kind === 'string' ? NAMES_KEY.get(kind) : undefined;
  if (namesKey === undefined) return `has a change of unknown kind ${kind}`;
  if (typeof region !== 'string' || region === '') return 'has a change without a region';
  if (typeof at !== 'number' || at < 0) return 'has a change without a valid time';
  if (!namesKey) return key === null ? undefined : `names a key for ${kind}`;
  if (typeof key !== 'string' || key === '') return `names no key for ${kind}`;
  return encodeKey(decodeKey(key)) === key ? undefined : 'has a key that is not validly encoded';
}
