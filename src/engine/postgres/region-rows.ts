// Changes rows of the `regions` table. Entries that no region has any more are deleted later.

import type { ClientBase } from 'pg';
import type { RegionDefinition } from '../engine.ts';
import type { RegionState } from './store-state.ts';

/** Creates a region; the log has its counts from the commit after `base` on. */
export async function insertRegion(
  client: ClientBase,
  definition: RegionDefinition,
  { base, id }: { readonly id: number; readonly base: number },
): Promise<void> {
  const { name, type } = definition;
  await client.query(
    `INSERT INTO regions(id, data_id, name, definition, is_empty, indexes, entry_count, value_bytes, base)
     VALUES ($1, $1, $2, $3, $4, '[]', 0, 0, $5)`,
    [id, name, JSON.stringify(definition), type === 'EMPTY', base],
  );
}

/** Removes all entries of a region: from now on it has those of another `dataId`. */
export async function replaceData(
  client: ClientBase,
  region: RegionState,
  { base, dataId }: { readonly dataId: number; readonly base: number },
): Promise<void> {
  await client.query(
    'UPDATE regions SET data_id = $2, entry_count = 0, value_bytes = 0, base = $3 WHERE id = $1',
    [region.id, dataId, base],
  );
  await addGarbage(client, region);
}

export async function deleteRegion(client: ClientBase, region: RegionState): Promise<void> {
  await client.query('DELETE FROM regions WHERE id = $1', [region.id]);
  await addGarbage(client, region);
}

async function addGarbage(client: ClientBase, { dataId }: RegionState): Promise<void> {
  await client.query('INSERT INTO garbage VALUES ($1)', [dataId]);
}
