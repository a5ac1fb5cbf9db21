// The stores with which gridkeep is compared, each with the same rows in its best format: native columns
// in DuckDB, JSON text and jsonb in SQLite.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DuckDBInstance } from '@duckdb/node-api';
import { CUSTOMERS, makeCustomer, makeOrder, orderJson } from './orders.ts';

export interface Store {
  readonly name: string;
  /** Runs a query and reads its whole result as JavaScript values; returns the number of rows. */
  run(sql: string): Promise<number>;
  close(): void;
}

export async function openDuckDb(orders: number): Promise<Store> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE orders (id BIGINT, customerId INTEGER, status VARCHAR, channel VARCHAR,
    orderDate VARCHAR, contact VARCHAR, total DOUBLE, quantity INTEGER, city VARCHAR, street VARCHAR,
    items STRUCT(sku VARCHAR, qty INTEGER, price DOUBLE)[])`);
  await connection.run(
    'CREATE TABLE customers (id INTEGER, name VARCHAR, country VARCHAR, vip BOOLEAN)',
  );
  const directory = await mkdtemp(join(tmpdir(), 'gridkeep-bench-duckdb-'));
  try {
    await load(
      'orders',
      lines(orders, (row) => JSON.stringify(makeOrder(row))),
    );
    await load(
      'customers',
      lines(CUSTOMERS, (row) => JSON.stringify(makeCustomer(row))),
    );
  } finally {
    await rm(directory, { recursive: true });
  }

  async function load(table: string, rows: Iterable<string>): Promise<void> {
    const file = join(directory, `${table}.ndjson`);
    await writeFile(file, rows);
    await connection.run(`INSERT INTO ${table} BY NAME SELECT * FROM read_ndjson('${file}')`);
  }

  return {
    name: 'DuckDB',
    run: async (sql) => (await connection.runAndReadAll(sql)).getRowsJS().length,
    close: () => connection.closeSync(),
  };
}

/** About a megabyte at a time. */
function* lines(count: number, line: (row: number) => string): Generator<string> {
  let text = '';
  for (let row = 0; row < count; row += 1) {
    text += `${line(row)}\n`;
    if (text.length < 1_000_000) continue;
    yield text;
    text = '';
  }
  yield text;
}

export function openSqlite(orders: number): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE orders_text (x TEXT); CREATE TABLE orders_jsonb (x BLOB)');
  database.exec('CREATE TABLE customers (id INTEGER PRIMARY KEY, x BLOB)');
  database.exec('BEGIN');
  const text = database.prepare('INSERT INTO orders_text VALUES (?)');
  const jsonb = database.prepare('INSERT INTO orders_jsonb VALUES (jsonb(?))');
  for (let row = 0; row < orders; row += 1) {
    const json = orderJson(makeOrder(row));
    text.run(json);
    jsonb.run(json);
  }
  const customer = database.prepare('INSERT INTO customers VALUES (?, jsonb(?))');
  for (let row = 0; row < CUSTOMERS; row += 1) customer.run(row, JSON.stringify(makeCustomer(row)));
  database.exec('COMMIT');
  return database;
}

/** One of the two formats in the same SQLite database. */
export function sqliteStore(database: DatabaseSync, form: 'text' | 'jsonb'): Store {
  return {
    name: `SQLite ${form}`,
    run: async (template) => {
      const sql = template.replaceAll('{x}', 'x').replaceAll('{orders}', `orders_${form}`);
      return database.prepare(sql).all().length;
    },
    close: () => undefined,
  };
}
