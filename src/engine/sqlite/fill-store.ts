// Fills a new store with a copy of another one, in one transaction.

import type { DatabaseSync } from 'node:sqlite';
import { storeNotEmpty } from '../errors.ts';
import type { StoreCopy } from '../store-copy.ts';
import { observeDirectory, removeCreatedStore } from './created-store.ts';
import { openStore } from './open-store.ts';
import { EMPTY_REGION, RegionWriter } from './region-writer.ts';
import {
  createEntriesTable,
  createStateStatements,
  listEntriesTables,
  type RegionRow,
} from './schema.ts';
import { toEngineError } from './sqlite-errors.ts';
import { storeFiles } from './store-files.ts';
import { WriteConnection } from './write-connection.ts';

/** The directory must hold no store, or one in which nothing was ever written. */
export async function fillStore(directory: string, copy: StoreCopy): Promise<void> {
  const files = storeFiles(directory);
  const before = observeDirectory(files);
  const { database, lock, mark, regions, sequence } = openStore(files, { durability: 'always' });
  let isFilled = false;
  try {
    if (sequence > 0 || regions.length > 0) throw storeNotEmpty(directory);
    await fill(database, files.data, copy);
    // The mark is written last. Until then the old one requires fewer commits than there are.
    mark.begin({ sequence: copy.sequence, synced: copy.sequence, durability: 'always' });
    isFilled = true;
  } catch (error) {
    throw toEngineError(error, files.data);
  } finally {
    mark.close();
    database.close();
    lock.close();
    if (!isFilled && sequence === 0) removeCreatedStore(files, before, sequence);
  }
}

async function fill(database: DatabaseSync, file: string, copy: StoreCopy): Promise<void> {
  const connection = new WriteConnection(database);
  const state = createStateStatements(database);
  let id = Math.max(0, ...listEntriesTables(database));
  database.exec('BEGIN IMMEDIATE');
  for (const { entryCount, indexes, valueBytes, ...definition } of copy.regions) {
    id += 1;
    const row: RegionRow = { ...EMPTY_REGION, id, definition, indexes };
    database.exec(createEntriesTable(id));
    const writer = new RegionWriter(connection, file, row);
    for await (const batch of copy.entries(definition.name)) {
      for (const { key, value, version } of batch) {
        const applied = writer.apply([{ kind: 'put', key, value }], version, () => undefined);
        writer.accept(applied.row);
      }
    }
    state.writeRegion(writer.row);
  }
  state.writeStore({ sequence: copy.sequence, clean: true });
  database.exec('COMMIT');
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}
