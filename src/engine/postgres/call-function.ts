// Calls the commit functions, each as a prepared statement.

import type { Client } from 'pg';
import type { RawRow } from './change-log.ts';

interface QueryRows {
  readonly rows: readonly RawRow[];
}

export function call(client: Client, name: string, values: readonly unknown[]): Promise<QueryRows> {
  return client.query<(string | null)[]>({
    name,
    text: `SELECT * FROM ${name}(${values.map((_, i) => `$${i + 1}`).join(', ')})`,
    values: [...values],
    rowMode: 'array',
  });
}

/** Calls the function in a transaction and rolls it back. */
export async function rollBack(
  client: Client,
  name: string,
  values: readonly unknown[],
): Promise<QueryRows> {
  await client.query('BEGIN');
  try {
    return await call(client, name, values);
  } finally {
    // After a lost connection there is nothing to roll back.
    await client.query('ROLLBACK').catch(() => undefined);
  }
}
