// The tables of a store file and its format number. docs/storage.md draws them.
//
//   store        one row: latest commit, whether the last stop was clean
//   regions      one row per region: definition, counts
//   entries_<id> the entries of one region, clustered by key
//   large_values the values that are too long for those rows (large-values.ts)
//   changes      what commits changed, a row for those written together; trimmed

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import type { RegionDefinition } from '../engine.ts';
import { storeDamaged, storeNewer } from '../errors.ts';
import type { IndexDefinition } from '../index-definition.ts';

/**
 * Stored in the file's `user_version`; raised whenever an older gridkeep could misread the file.
 * `migrations/` has a step from each format to the next.
 */
export const FORMAT_VERSION = 5;
/** The first format with a mark beside the file (`store-mark.ts`). */
export const FIRST_MARKED_FORMAT = 2;
/** Stored in the file's `application_id`: the letters GRKP. */
const APPLICATION_ID = 0x47524b50;
export const PAGE_BYTES = 4096;

/** `seal` is that of the entry whose value it is. */
const LARGE_VALUES =
  'CREATE TABLE large_values(id INTEGER PRIMARY KEY, seal TEXT NOT NULL, value TEXT NOT NULL)';

/** The tables that every store has, with the schema text that SQLite stores. */
export const TABLES: ReadonlyMap<string, string> = new Map([
  [
    'store',
    'CREATE TABLE store(id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, clean INTEGER NOT NULL, seal INTEGER NOT NULL)',
  ],
  [
    'regions',
    'CREATE TABLE regions(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL, indexes TEXT NOT NULL, entry_count INTEGER NOT NULL, value_bytes INTEGER NOT NULL, largest_value INTEGER NOT NULL, digest INTEGER NOT NULL, seal INTEGER NOT NULL)',
  ],
  [
    'changes',
    'CREATE TABLE changes(sequence INTEGER PRIMARY KEY, commits INTEGER NOT NULL, count INTEGER NOT NULL, at_ms INTEGER NOT NULL, list TEXT NOT NULL, seal INTEGER NOT NULL)',
  ],
  ['large_values', LARGE_VALUES],
]);

export interface StoreRow {
  readonly sequence: number;
  /** Whether the last stop was clean. */
  readonly clean: boolean;
}

/** A row of `regions`. `id` is the number of its table, which no other region had since the start. */
export interface RegionRow {
  readonly id: number;
  readonly definition: RegionDefinition;
  readonly indexes: readonly IndexDefinition[];
  readonly entryCount: number;
  readonly valueBytes: number;
  /** Upper bound for the bytes of a value; it does not shrink until the region is cleared. */
  readonly largestValue: number;
  /** Sum over the entries; see digest.ts. */
  readonly digest: number;
}

/** The entries of a region in figures, from which readers derive how much to read at a time. */
export type RegionSizes = Pick<RegionRow, 'id' | 'entryCount' | 'valueBytes' | 'largestValue'>;

/** Up to this many bytes values are read without reading their sizes first. */
export const UNCHECKED_BYTES: number = 1024 * 1024;

export function entriesTable(regionId: number): string {
  return `entries_${regionId}`;
}

// The seal column precedes the value, so that lengths and key hashes can be read without the
// overflow pages of a large value.
export function createEntriesTable(regionId: number): string {
  return `CREATE TABLE ${entriesTable(regionId)}("key" TEXT PRIMARY KEY, version INTEGER NOT NULL, seal TEXT NOT NULL, value TEXT NOT NULL) WITHOUT ROWID`;
}

/** Fills an empty file. */
export function createSchema(database: DatabaseSync): void {
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  database.exec(`PRAGMA user_version = ${FORMAT_VERSION}`);
  for (const sql of TABLES.values()) database.exec(sql);
  createStateStatements(database).writeStore({ sequence: 0, clean: true });
}

/** The format of the file. Throws unless it is a gridkeep store of a format known here. */
export function readFormat(database: DatabaseSync, file: string): number {
  if (readPragma(database, 'application_id') !== APPLICATION_ID) {
    throw storeDamaged(file, 'it is not a gridkeep store');
  }
  const format = readPragma(database, 'user_version');
  if (format > FORMAT_VERSION) throw storeNewer(file, format, FORMAT_VERSION);
  if (format < 1) throw storeDamaged(file, `it has the invalid format ${format}`);
  return format;
}

/**
 * Throws unless the tables are those that this format and these regions require. Spare tables for
 * future regions are allowed if they are empty: a lost region leaves a table with entries.
 */
export function checkTables(
  database: DatabaseSync,
  file: string,
  regions: readonly Pick<RegionRow, 'id'>[],
  tables: ReadonlyMap<string, string> = TABLES,
): void {
  const expected = new Map(tables);
  for (const { id } of regions) expected.set(entriesTable(id), createEntriesTable(id));
  const missing = new Set(expected.keys());
  const rows = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").all();
  const isAsExpected = rows.every((row) => {
    const name = String(row['name']);
    missing.delete(name);
    return expected.has(name) ? expected.get(name) === row['sql'] : isSpare(database, name, row);
  });
  if (missing.size > 0 || !isAsExpected) {
    throw storeDamaged(file, 'its tables are not those of a gridkeep store');
  }
}

function isSpare(database: DatabaseSync, name: string, row: Record<string, unknown>): boolean {
  const id = parseEntriesTable(name);
  if (id === undefined || createEntriesTable(id) !== row['sql']) return false;
  return database.prepare(`SELECT 1 FROM ${entriesTable(id)} LIMIT 1`).get() === undefined;
}

/** The numbers of all tables of entries. */
export function listEntriesTables(database: DatabaseSync): readonly number[] {
  return database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .flatMap((row) => parseEntriesTable(String(row['name'])) ?? []);
}

function parseEntriesTable(name: string): number | undefined {
  const digits = /^entries_([1-9]\d{0,15})$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The one row of `store`, to be opened with `openStoreRow`. */
export const SELECT_STORE = 'SELECT sequence, clean, seal FROM store WHERE id = 1';
/** Rows of `regions`, to be opened with `openRegionRow`. */
export const SELECT_REGIONS =
  'SELECT id, name, definition, indexes, entry_count, value_bytes, largest_value, digest, seal FROM regions';

export function readStoreRow(database: DatabaseSync, file: string): StoreRow {
  return openStoreRow(prepareArrays(database, SELECT_STORE).get(), file);
}

export function readRegionRows(database: DatabaseSync, file: string): readonly RegionRow[] {
  return prepareArrays(database, `${SELECT_REGIONS} ORDER BY id`)
    .all()
    .map((row) => {
      const { name, ...region } = openRegionRow(row, file);
      return parseDefinition(region);
    });
}

/** Parses the JSON columns of a region. */
export function parseDefinition<
  Row extends { readonly definition: string; readonly indexes: string },
>(row: Row): Omit<Row, 'definition' | 'indexes'> & Pick<RegionRow, 'definition' | 'indexes'> {
  const { definition, indexes, ...rest } = row;
  return {
    ...rest,
    // The seal matches, so this is the JSON that writeRegion printed.
    definition: JSON.parse(definition) as RegionDefinition,
    indexes: JSON.parse(indexes) as readonly IndexDefinition[],
  };
}

/** The checked result of `SELECT_STORE`. */
export function openStoreRow(row: unknown, file: string): StoreRow {
  const [sequence, clean, seal] = columnsOf(row);
  if (!isSeal(seal, [sequence, clean])) throw storeDamaged(file, 'its state fails its checksum');
  // The seal matches, so these are the columns that writeStore wrote.
  return { sequence: sequence as number, clean: clean === 1 };
}

/** A row of `SELECT_REGIONS`, checked; definition and indexes still as JSON. */
export function openRegionRow(
  row: unknown,
  file: string,
): Omit<RegionRow, 'definition' | 'indexes'> & {
  readonly name: string;
  readonly definition: string;
  readonly indexes: string;
} {
  // The seal matches, so these are the columns that writeRegion wrote.
  const [id, name, definition, indexes, entryCount, valueBytes, largestValue, digest] =
    openSealedRegion(row, file) as RegionColumns;
  return { id, name, definition, indexes, entryCount, valueBytes, largestValue, digest };
}

type RegionColumns = readonly [number, string, string, string, number, number, number, number];

/** The columns of a region without the seal, which comes last and covers them all. */
export function openSealedRegion(row: unknown, file: string): readonly unknown[] {
  const columns = columnsOf(row);
  const fields = columns.slice(0, -1);
  if (isSeal(columns.at(-1), fields)) return fields;
  throw storeDamaged(file, `region (${String(columns[1])}) fails its checksum`);
}

/** A statement whose rows are arrays of columns. */
export function prepareArrays(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

/** The columns of a row of `prepareArrays`; none when there is no row. */
export function columnsOf(row: unknown): readonly unknown[] {
  return Array.isArray(row) ? row : [];
}

/** Writes the small tables. Each commit does, so the statements are prepared once. */
export interface StateStatements {
  writeStore(row: StoreRow): void;
  writeRegion(row: RegionRow): void;
}

export function createStateStatements(database: DatabaseSync): StateStatements {
  const writeStore = createStoreStatement(database);
  // The name of a region never changes, so an update leaves its index alone.
  const region = database.prepare(
    'INSERT INTO regions(id, name, definition, indexes, entry_count, value_bytes, largest_value, digest, seal) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET definition = excluded.definition, indexes = excluded.indexes, entry_count = excluded.entry_count, value_bytes = excluded.value_bytes, largest_value = excluded.largest_value, digest = excluded.digest, seal = excluded.seal',
  );
  return {
    writeStore,
    writeRegion(row) {
      const fields = [
        row.id,
        row.definition.name,
        JSON.stringify(row.definition),
        JSON.stringify(row.indexes),
        row.entryCount,
        row.valueBytes,
        row.largestValue,
        row.digest,
      ] as const;
      region.run(...fields, sealFields(fields));
    },
  };
}

/** Writes the one row of `store`, which is the same in every format. */
export function createStoreStatement(database: DatabaseSync): StateStatements['writeStore'] {
  const store = database.prepare(
    'INSERT OR REPLACE INTO store(id, sequence, clean, seal) VALUES(1, ?, ?, ?)',
  );
  return ({ clean, sequence }) => {
    const fields = [sequence, clean ? 1 : 0] as const;
    store.run(...fields, sealFields(fields));
  };
}

/** The seal covers the types of the fields too: columns of different types print different JSON. */
export function isSeal(seal: unknown, fields: readonly unknown[]): boolean {
  return fields.length > 0 && seal === sealFields(fields);
}

export function sealFields(fields: readonly unknown[]): number {
  return crc32(JSON.stringify(fields));
}

function readPragma(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}
