// The id and incarnation under which the store knows this server. Raising the incarnation is a
// fence: the store refuses commits of an older one.

import type { Client } from 'pg';
import { isLost } from './postgres-errors.ts';

export interface ServerIdentity {
  id: number;
  /** A commit that names an older one is refused by the store. */
  incarnation: number;
  readonly version: string;
  urls: string;
}

/** Registers this server in the store. */
export async function registerServer(
  client: Client,
  { urls, version }: Pick<ServerIdentity, 'urls' | 'version'>,
): Promise<Pick<ServerIdentity, 'id' | 'incarnation'>> {
  const { rows } = await client.query(
    'INSERT INTO servers(incarnation, urls, version, seen) VALUES (1, $1, $2, clock_timestamp()) RETURNING id',
    [urls, version],
  );
  return { id: Number(rows[0]?.id), incarnation: 1 };
}

/**
 * Takes the commit lock and raises the incarnation. A batch sent before is then in the log, or can
 * never be committed. This commit waits for a synchronous standby, so the log is durable too.
 */
export async function raiseFence(client: Client, server: ServerIdentity): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT 1 FROM lock WHERE id = 1 FOR UPDATE');
    const { rows } = await client.query(
      'UPDATE servers SET incarnation = incarnation + 1, seen = clock_timestamp() WHERE id = $1 RETURNING incarnation',
      [server.id],
    );
    const known = { id: server.id, incarnation: Number(rows[0]?.incarnation) };
    // A server whose row was removed during an outage registers again.
    const found = rows.length > 0 ? known : await registerServer(client, server);
    await client.query('COMMIT');
    Object.assign(server, found);
  } catch (error) {
    if (!isLost(error)) await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
