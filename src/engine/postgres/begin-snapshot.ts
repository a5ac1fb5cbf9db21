// Begins a snapshot: a transaction, and the commits up to it that this server has not received.

import type { Client } from 'pg';
import { type LogRow, toLogRow } from './change-log.ts';
import { LOG_COLUMNS } from './commit-answer.ts';
import type { Follower } from './follower.ts';
import { within } from './link.ts';
import type { StoreState } from './store-state.ts';

/**
 * The state that the snapshot shows, which the follower receives too. Undefined when the log was
 * trimmed meanwhile: then the follower has loaded the state again, and the connection is idle.
 */
export async function beginSnapshot(
  client: Client,
  follower: Follower,
  timeoutMs: number,
): Promise<StoreState | undefined> {
  await follower.catchUpAfterPause();
  const state = follower.state.copy();
  const rows = await within(timeoutMs, readCommits(client, state.sequence));
  if (rows.length > 0 && rows[0]?.sequence !== state.sequence + 1) {
    await client.query('ROLLBACK');
    await follower.catchUp();
    return undefined;
  }
  for (const row of rows) state.apply(row);
  follower.receive(rows);
  return state;
}

/** Returns the commits after `received` that the snapshot sees. Takes one round trip. */
async function readCommits(client: Client, received: number): Promise<readonly LogRow[]> {
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
