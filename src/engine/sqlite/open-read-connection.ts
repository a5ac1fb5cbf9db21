// A connection that reads beside the writer.

import { DatabaseSync } from 'node:sqlite';
import { MAPPED_BYTES } from './open-store.ts';

/** Pages of the data file are mapped, not cached; this is for pages still in the log. */
const READER_CACHE_KIB = 1024;

/** Has read the tables' definitions, the first thing that can fail; a failed one is closed. */
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
