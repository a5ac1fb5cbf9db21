// Fills a new store with a copy of another one, in one transaction.

import type { Client } from 'pg';
import { storeNotEmpty } from '../errors.ts';
import type { StoreCopy } from '../store-copy.ts';
import type { StoreOptions } from './connector.ts';
import { insertEntries } from './query-rows.ts';
import { prepareSchema } from './schema.ts';
import { useStore } from './use-store.ts';

/** The schema must hold no store, or one in which nothing was ever written. */
export async function fillStore(options: StoreOptions, copy: StoreCopy): Promise<void> {
  await useStore(options, async ({ address, client, shownAddress }) => {
    await prepareSchema(client, address.schema);
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM lock WHERE id = 1 FOR UPDATE');
    const { rows } = await client.query('SELECT EXISTS (SELECT FROM changes) AS used');
    if (rows[0]?.used !== false) throw storeNotEmpty(shownAddress);
    await fill(client, copy);
    await client.query('COMMIT');
  });
}

async function fill(client: Client, copy: StoreCopy): Promise<void> {
  for (const [i, description] of copy.regions.entries()) {
    const { entryCount, indexes, valueBytes, ...definition } = description;
    // The source has made a commit per region, so this number is at most its latest sequence, and
    // later regions never get it.
    const id = i + 1;
    for await (const batch of copy.entries(definition.name)) await insertEntries(client, id, batch);
    await client.query(
      `INSERT INTO regions(id, data_id, name, definition, is_empty, indexes, entry_count, value_bytes, base)
       SELECT $1, $1, $2, $3, $4, $5, count(*), coalesce(sum(octet_length(value)), 0), $6
       FROM entries WHERE region = $1`,
      [
        id,
        definition.name,
        JSON.stringify(definition),
        definition.type === 'EMPTY',
        JSON.stringify(indexes),
        copy.sequence,
      ],
    );
  }
  // A commit without changes, after which the next one is numbered.
  await client.query(
    `INSERT INTO changes(sequence, ordinal, kind, region, name, keys, vals, server, batch, request_in_batch,
                         at, count_delta, bytes_delta, position)
     VALUES ($1, 0, 0, 0, '', '{}', '{}', 0, 0, 0, clock_timestamp(), 0, 0, 0)`,
    [copy.sequence],
  );
}
