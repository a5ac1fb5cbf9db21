// Statements whose rows are arrays of texts, and those that several files share.

import type { ClientBase } from 'pg';
import type { KeyedEntry, StoredEntry } from '../engine.ts';
import { encodeKey } from '../key-encoding.ts';
import { integerArray, textArray } from './array-parameter.ts';

/** The columns of a row, as texts. */
export type RawRow = readonly (string | null)[];

interface Statement {
  /** Prepared under this name, which no other text may have. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

export async function queryRows(
  client: ClientBase,
  { values, ...statement }: Statement,
): Promise<readonly RawRow[]> {
  const parameters = values && { values: [...values] };
  const query = { ...statement, ...parameters, rowMode: 'array' as const };
  return (await client.query<(string | null)[]>(query)).rows;
}

// The inner LIMIT keeps the plan a look-up per key: a plan made for an empty table would scan it. The
// look-up in `regions` hides the entries of regions that were cleared or destroyed.
const READ_ENTRIES = `SELECT e.version, e.value
  FROM unnest($2::text[]) WITH ORDINALITY i(key, n)
  LEFT JOIN LATERAL (
    SELECT x.version, x.value FROM entries x
    WHERE x.region = (SELECT data_id FROM regions WHERE id = $1) AND x.key = i.key LIMIT 1) e ON true
  ORDER BY i.n`;

/** The entries of a region, one per key. */
export async function readEntries(
  client: ClientBase,
  regionId: number,
  keys: readonly string[],
): Promise<readonly (StoredEntry | undefined)[]> {
  const values = [regionId, textArray(keys.map(encodeKey))];
  return (await queryRows(client, { name: 'read-entries', text: READ_ENTRIES, values })).map(
    toEntry,
  );
}

/** An entry from the columns `version, value`; undefined where they are NULL. */
export function toEntry([version, value]: RawRow): StoredEntry | undefined {
  return value == null ? undefined : { value, version: Number(version) };
}

export async function insertEntries(
  client: ClientBase,
  dataId: number,
  entries: readonly KeyedEntry[],
): Promise<void> {
  await client.query(
    `INSERT INTO entries(region, key, version, value)
     SELECT $1, e.key, e.version, e.value
     FROM unnest($2::text[], $3::bigint[], $4::text[]) e(key, version, value)`,
    [
      dataId,
      textArray(entries.map(({ key }) => encodeKey(key))),
      integerArray(entries.map(({ version }) => version)),
      textArray(entries.map(({ value }) => value)),
    ],
  );
}
