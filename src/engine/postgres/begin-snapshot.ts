// The beginning of a snapshot: a transaction that shows one moment, and the commits that lead to it.

import type { Client } from 'pg';
import { type LogRow, toLogRow } from './change-log.ts';
import { LOG_COLUMNS } from './commit-answer.ts';

/** Commits after `heard` that the snapshot sees. One round trip: its first question fixes the moment. */
export async function beginSnapshot(client: Client, heard: number): Promise<readonly LogRow[]> {
  const results: unknown = await client.query({
    text: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
           SELECT ${LOG_COLUMNS} FROM changes c WHERE c.sequence > ${heard}
           ORDER BY c.sequence, c.ordinal`,
    rowMode: 'array',
  });
  // Several statements give several results.
  const [, log] = results as readonly { readonly rows: (string | null)[][] }[];
  return (log?.rows ?? []).map(toLogRow);
}
