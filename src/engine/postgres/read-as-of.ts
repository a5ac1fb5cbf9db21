// Repeats the reads of a commit whose answer was lost.

import type { Client } from 'pg';
import type { StoredEntry } from '../engine.ts';
import { encodeKey } from '../key-encoding.ts';
import { readEntries } from './query-rows.ts';
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
      const isRead = reads.length > 0;
      if (isRead && (await hasChanged(client, regionId, reads, version))) return undefined;
      all.push(await readEntries(client, regionId, reads));
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
    [version, regionId, keys.map(encodeKey)],
  );
  return rows.length > 0;
}
