// Repeats the reads of a commit whose answer was lost.

import type { Client } from 'pg';
import type { StoredEntry } from '../engine.ts';
import { encodeKey } from '../key-encoding.ts';
import type { CommitRequest } from './write-batch.ts';

/**
 * The entries as of the commit `version`. They are the current ones if the log shows no later change
 * of them; undefined when they have changed since.
 */
export async function readAsOf(
  client: Client,
  writes: CommitRequest['writes'],
  version: number,
): Promise<readonly (readonly (StoredEntry | undefined)[])[] | undefined> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    const all: (readonly (StoredEntry | undefined)[])[] = [];
    for (const { reads = [], regionId } of writes) {
      const keys = reads.map(encodeKey);
      if (keys.length > 0 && (await hasChanged(client, regionId, keys, version))) return undefined;
      all.push(keys.length === 0 ? [] : await readNow(client, regionId, keys));
    }
    return all;
  } finally {
    await client.query('COMMIT');
  }
}

async function hasChanged(
  client: Client,
  regionId: number,
  keys: readonly string[],
  version: number,
): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT 1 FROM changes WHERE sequence > $1 AND region = $2
       AND (kind IN (1, 3) OR keys && $3::text[] COLLATE "C") LIMIT 1`,
    [version, regionId, keys],
  );
  return rows.length > 0;
}

async function readNow(
  client: Client,
  regionId: number,
  keys: readonly string[],
): Promise<readonly (StoredEntry | undefined)[]> {
  const { rows } = await client.query<(string | null)[]>({
    text: `SELECT i.n, e.version, e.value FROM regions g,
             unnest($2::text[]) WITH ORDINALITY i(key, n)
             JOIN entries e ON e.key = i.key COLLATE "C"
           WHERE g.id = $1 AND e.region = g.data_id`,
    values: [regionId, keys],
    rowMode: 'array',
  });
  const found = new Map(
    rows.map(([n, version, value]) => [
      Number(n),
      { value: value ?? '', version: Number(version) },
    ]),
  );
  return keys.map((_, i) => found.get(i + 1));
}
