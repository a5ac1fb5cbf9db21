// A connection that reads beside the writer.

import { DatabaseSync } from 'node:sqlite';
import { MAPPED_BYTES } from './open-store.ts';

/** Only for pages still in the log: pages of the data file are mapped, not cached. */
const READER_CACHE_KIB = 1024;

/** Reads the schema too, the first statement that can fail; after a failure the connection is closed. */
export function openReadConnection(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    database.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    database.exec(`PRAGMA cache_size = -${READER_CACHE_KIB}`);
    database.prepare('SELECT 1 FROM sqlite_schema').get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
