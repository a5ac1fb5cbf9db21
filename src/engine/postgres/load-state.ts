// Loads the regions of a store and their counts as of one transaction.

import type { ClientBase } from 'pg';
import type { RegionDefinition } from '../engine.ts';
import type { IndexDefinition } from '../index-definition.ts';
import { queryRows } from './query-rows.ts';
import { StoreState } from './store-state.ts';

/** Reads in a new transaction, or in the open one. */
export async function loadState(
  client: ClientBase,
  mode: 'alone' | 'in-transaction' = 'alone',
): Promise<StoreState> {
  if (mode === 'alone') await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    const [latest] = await queryRows(client, {
      text: 'SELECT sequence, position FROM changes ORDER BY sequence DESC, ordinal DESC LIMIT 1',
    });
    const regions = await queryRows(client, {
      text: `SELECT r.id, r.data_id, r.definition, r.indexes,
                    r.entry_count + coalesce(c.entries, 0), r.value_bytes + coalesce(c.bytes, 0)
             FROM regions r LEFT JOIN LATERAL (
               SELECT sum(count_delta) AS entries, sum(bytes_delta) AS bytes
               FROM changes c WHERE c.region = r.id AND c.sequence > r.base) c ON true`,
    });
    if (mode === 'alone') await client.query('COMMIT');
    const [sequence, position] = latest ?? [];
    return new StoreState(
      Number(sequence ?? 0),
      Number(position ?? 0),
      regions.map(([id, dataId, definition, indexes, entryCount, valueBytes]) => ({
        id: Number(id),
        dataId: Number(dataId),
        // Both are written by `region-changes.ts` alone.
        definition: JSON.parse(definition ?? '') as RegionDefinition,
        indexes: JSON.parse(indexes ?? '') as readonly IndexDefinition[],
        entryCount: Number(entryCount),
        valueBytes: Number(valueBytes),
      })),
    );
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
