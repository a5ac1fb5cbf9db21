// Calls the commit functions, each as a prepared statement.

import type { Client } from 'pg';
import { queryRows, type RawRow } from './query-rows.ts';

export function call(
  client: Client,
  name: string,
  values: readonly unknown[],
): Promise<readonly RawRow[]> {
  const parameters = values.map((_, i) => `$${i + 1}`).join(', ');
  return queryRows(client, { name, text: `SELECT * FROM ${name}(${parameters})`, values });
}

/** Calls the function in a transaction and rolls it back. */
export async function rollBack(
  client: Client,
  name: string,
  values: readonly unknown[],
): Promise<readonly RawRow[]> {
  await client.query('BEGIN');
  try {
    return await call(client, name, values);
  } finally {
    // After a lost connection there is nothing to roll back.
    await client.query('ROLLBACK').catch(() => undefined);
  }
}
