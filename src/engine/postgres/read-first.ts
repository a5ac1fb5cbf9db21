import type { ClientBase } from 'pg';
import type { FirstEntries } from '../engine.ts';
import { joinValues } from '../joined-texts.ts';
import { decodeKey } from '../key-encoding.ts';
import { queryRows } from './query-rows.ts';

// The join with `regions` hides the entries of regions that were cleared or destroyed.
const READ_FIRST = `SELECT e.key, e.value FROM regions r
  JOIN LATERAL (SELECT key, value FROM entries WHERE region = r.data_id ORDER BY key LIMIT $2) e ON true
  WHERE r.id = $1`;

/** The first entries of a region in key order, with one statement. */
export async function readFirst(
  client: ClientBase,
  regionId: number,
  limit: number,
): Promise<FirstEntries> {
  const values = [regionId, limit];
  const rows = await queryRows(client, { name: 'first', text: READ_FIRST, values });
  return {
    keys: rows.map(([key]) => decodeKey(key ?? '')),
    values: joinValues(rows.map(([, value]) => value ?? '')),
  };
}
