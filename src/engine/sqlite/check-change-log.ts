// The change log against the latest commit: whole commits, known kinds, and a
// key exactly where there is one to name.

import type { DatabaseSync } from 'node:sqlite';
import type { CommittedChange } from '../engine.ts';
import { decodeKey, encodeKey } from './key-encoding.ts';
import type { Problems } from './problems.ts';

/** Whether a change of this kind names a key. */
const NAMES_KEY: Readonly<Record<CommittedChange['kind'], boolean>> = {
  put: true,
  remove: true,
  clear: false,
  'create-region': false,
  'destroy-region': false,
};

/** Gives the number of changes. */
export function checkChangeLog(
  database: DatabaseSync,
  latest: number | undefined,
  problems: Problems,
): number {
  const sql =
    'SELECT sequence, ordinal, kind, region, "key", at_ms FROM changes ORDER BY sequence, ordinal';
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
    const flaw = findFlaw(row);
    if (flaw !== undefined) report(flaw);
  }
  return count;
}

function findFlaw(row: Record<string, unknown>): string | undefined {
  const { key, kind, region, at_ms: at } = row;
  if (typeof kind !== 'string' || !isKind(kind)) return `has a change of the unknown kind ${kind}`;
  if (typeof region !== 'string' || region === '') return 'has a change of no region';
  if (typeof at !== 'number' || at < 0) return 'has a change at no time';
  if (!NAMES_KEY[kind]) return key === null ? undefined : `names a key for ${kind}`;
  if (typeof key !== 'string' || key === '') return `names no key for ${kind}`;
  return encodeKey(decodeKey(key)) === key
    ? undefined
    : 'has a key that is not encoded as keys are';
}

function isKind(kind: string): kind is CommittedChange['kind'] {
  return Object.hasOwn(NAMES_KEY, kind);
}
