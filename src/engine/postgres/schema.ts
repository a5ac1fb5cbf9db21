// The tables of a store and their migrations. docs/clustering.md describes them.
//
//   lock       one row: its lock orders commits; it has the last commit that altered a region
//   store      one row: the format
//   regions    one row per region. Counts are as of commit `base`; the log has the rest
//   entries    the entries of all regions, by `regions.data_id` and key
//   changes    what each commit changed, with values, trimmed
//   servers    the running servers, each with the incarnation that may commit
//   garbage    data of regions that were cleared or destroyed, still to be deleted
//
// A format that changes the meaning of the log or of a function renames it (`store-format.ts`). An
// older server that is running then fails with `engine/store-newer` instead of misreading the store.

import type { ClientBase } from 'pg';
import { MissingStoreError, storeInaccessible, storeNewer } from '../errors.ts';
import { BEGIN_COMMIT, COMMIT_BATCH } from './commit-function.ts';
import { COMMIT_REGIONS } from './commit-regions-function.ts';
import type { StoreOptions } from './connector.ts';
import { TRIM_CHANGES } from './housekeeping.ts';
import { sqlState } from './postgres-errors.ts';
import { FORMAT } from './store-format.ts';
import { useStore } from './use-store.ts';

/** Two servers that start at once may both create the schema; the second one retries. */
const ATTEMPTS = 5;
const RACES = ['23505', '42P06', '42P07', '42723', '40001', '40P01', 'XX000'];

const TABLES = ['lock', 'store', 'regions', 'entries', 'changes', 'servers', 'garbage'];

const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE regions(
      id bigint PRIMARY KEY, data_id bigint NOT NULL, name text COLLATE "C" NOT NULL UNIQUE,
      definition text NOT NULL, is_empty boolean NOT NULL, indexes text NOT NULL,
      entry_count bigint NOT NULL, value_bytes bigint NOT NULL, base bigint NOT NULL)`,
    `CREATE TABLE entries(
      region bigint NOT NULL, key text COLLATE "C" NOT NULL, version bigint NOT NULL,
      value text COLLATE "C" NOT NULL, PRIMARY KEY (region, key))`,
    `CREATE TABLE changes(
      sequence bigint NOT NULL, ordinal int NOT NULL, kind int NOT NULL, region bigint NOT NULL,
      name text COLLATE "C" NOT NULL, keys text[], vals text[],
      server bigint NOT NULL, batch bigint NOT NULL, request bigint NOT NULL,
      at timestamptz NOT NULL, count_delta bigint NOT NULL, bytes_delta bigint NOT NULL,
      position bigint NOT NULL, PRIMARY KEY (sequence, ordinal))`,
    `CREATE TABLE servers(
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, incarnation bigint NOT NULL,
      urls text NOT NULL, version text NOT NULL, seen timestamptz NOT NULL)`,
    'CREATE TABLE garbage(data_id bigint PRIMARY KEY)',
    TRIM_CHANGES,
  ],
  // A commit may have several rows in the log. A server of format 1 would read only the first, so
  // the column is renamed: such a server then fails at every read of the log.
  ['ALTER TABLE changes RENAME COLUMN request TO request_number'],
  // Regions have settings, and those with history a second region of records.
  ['ALTER TABLE lock ADD COLUMN altered bigint NOT NULL DEFAULT 0'],
  // Servers before format 3 would bypass history and unique indexes, and read an expiry in the log
  // as a value. The functions that they call are dropped, so they fail instead.
  [
    'ALTER TABLE changes RENAME COLUMN request_number TO request_in_batch',
    ...[2, 3].flatMap((format) =>
      ['begin_commit', 'commit_batch', 'commit_regions'].map(
        (name) => `DROP FUNCTION IF EXISTS ${name}_${format}`,
      ),
    ),
    BEGIN_COMMIT,
    COMMIT_BATCH,
    COMMIT_REGIONS,
  ],
];

/** Creates or migrates the schema; safe while other servers do the same. */
export async function prepareSchema(client: ClientBase, schema: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('BEGIN');
      await migrate(client, schema);
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK');
      if (attempt === ATTEMPTS || !RACES.includes(sqlState(error))) throw error;
    }
  }
}

/** Throws `MissingStoreError` unless the schema has a store; changes nothing. */
export async function requireStore(options: StoreOptions): Promise<void> {
  const missing = await useStore(options, async ({ address: { schema }, client, shownAddress }) => {
    const { isStore } = await findTables(client, schema);
    return isStore ? undefined : `${shownAddress}, schema ${schema}`;
  });
  if (missing !== undefined) throw new MissingStoreError(missing);
}

async function findTables(
  client: ClientBase,
  schema: string,
): Promise<{
  readonly isSchema: boolean;
  readonly isStore: boolean;
  /** A table with a name that the store needs. */
  readonly taken: string | undefined;
}> {
  // One statement, because another server may create the store meanwhile.
  const { rows } = await client.query(
    `SELECT n.oid IS NOT NULL AS is_schema,
       EXISTS (SELECT FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relnamespace = n.oid AND c.relname = 'store' AND a.attname = 'format') AS is_store,
       (SELECT min(c.relname::text) FROM pg_class c
         WHERE c.relnamespace = n.oid AND c.relname = ANY($2)) AS taken
     FROM (SELECT 1) one LEFT JOIN pg_namespace n ON n.nspname = $1`,
    [schema, TABLES],
  );
  const { is_schema: isSchema, is_store: isStore, taken } = rows[0] ?? {};
  return { isSchema: isSchema === true, isStore: isStore === true, taken: taken ?? undefined };
}

async function migrate(client: ClientBase, schema: string): Promise<void> {
  const { isSchema, isStore, taken } = await findTables(client, schema);
  if (!isStore) {
    if (taken !== undefined) {
      throw storeInaccessible(`Schema ${schema}`, `its table ${taken} is not of gridkeep`);
    }
    // It needs a right on the database, even where the schema exists.
    if (!isSchema) await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await client.query('CREATE TABLE lock(id int PRIMARY KEY)');
    await client.query('INSERT INTO lock VALUES (1)');
    await client.query('CREATE TABLE store(id int PRIMARY KEY, format int NOT NULL)');
    await client.query('INSERT INTO store VALUES (1, 0)');
  }
  await client.query('SELECT 1 FROM lock WHERE id = 1 FOR UPDATE');
  const { rows } = await client.query('SELECT format FROM store');
  const format = Number(rows[0]?.format);
  if (format > FORMAT) throw storeNewer(`Schema ${schema}`, format, FORMAT);
  for (const statements of MIGRATIONS.slice(format)) {
    for (const statement of statements) await client.query(statement);
  }
  if (format < FORMAT) await client.query('UPDATE store SET format = $1', [FORMAT]);
}
