// Begins a snapshot: a transaction, and the commits up to it that this server has not received.

import type { Client } from 'pg';
import { type LogRow, toLogRow } from './change-log.ts';
import { LOG_COLUMNS } from './commit-answer.ts';

/** Returns the commits after `received` that the snapshot sees. Takes one round trip. */
export async function beginSnapshot(client: Client, received: number): Promise<readonly LogRow[]> {
  const results: unknown = await client.query({
    text: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
           SELECT ${LOG_COLUMNS} FROM changes c WHERE c.sequence > ${received}
           ORDER BY c.sequence, c.ordinal`,
    rowMode: 'array',
  });
  // Several statements give several results.
  const [, log] = results as readonly { readonly rows: (string | null)[][] }[];
  return (log?.rows ?? []).map(toLogRow);
}
