// Compares reads that rely on an earlier read with reads of each entry, and damages entries in
// between.

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { encodeKey } from '../key-encoding.ts';
import { BatchReader, type ElementBatch } from './batch-reader.ts';
import { FirstReader } from './first-reader.ts';
import { KeyNeighbours } from './key-neighbours.ts';
import { entrySource } from './large-values.ts';
import { type EntryRow, PutStatements } from './put-statements.ts';
import { createEntriesTable } from './schema.ts';
import { sealEntry } from './seal.ts';
import { StatementCache } from './statement-cache.ts';

const VERSION = 7;
const KEYS = ['a', 'b', 'c', 'd', 'z', 'é', '\u{1f600}', '\uffff'];
/** Rows per batch. */
const ROWS = 3;
const ALL = Number.POSITIVE_INFINITY;

function printValue(key: string, salt = ''): string {
  return JSON.stringify({ of: key, salt });
}

function toRow(key: string, salt = ''): EntryRow {
  const storedKey = encodeKey(key);
  const value = printValue(key, salt);
  return [storedKey, VERSION, sealEntry(storedKey, value, VERSION), value];
}

interface Table {
  readonly database: DatabaseSync;
  readonly batches: BatchReader;
  readonly first: FirstReader;
}

function openTable(context: TestContext, keys: readonly string[] = KEYS): Table {
  const database = new DatabaseSync(':memory:');
  context.after(() => database.close());
  database.exec(createEntriesTable(1));
  const statements = new StatementCache(database);
  new PutStatements(statements, 1).many(
    keys.map((key) => toRow(key)),
    () => undefined,
  );
  const source = entrySource({ id: 1, largestValue: 0 });
  const damaged = () => new Error('damaged');
  return {
    database,
    batches: new BatchReader(statements, source, new KeyNeighbours(statements, 1), damaged),
    first: new FirstReader(statements, source, damaged),
  };
}

/** The values of a scan, read as a snapshot does, and which batches were remembered. */
function scan(batches: BatchReader, sequence: number, limit = ALL) {
  const values: string[] = [];
  const known: boolean[] = [];
  for (let after: string | undefined = '', left = limit; after !== undefined && left > 0; ) {
    const found: ElementBatch | undefined = batches.readKnown(after, left, sequence);
    const bounds = { rows: Math.min(ROWS, left), most: left };
    const batch: ElementBatch | undefined = found ?? batches.readElements(after, bounds, sequence);
    if (batch === undefined) break;
    known.push(found !== undefined);
    const elements: unknown[] = JSON.parse(`[${Buffer.from(batch.values)}]`);
    assert.equal(elements.length, batch.count);
    values.push(...elements.map((element) => JSON.stringify(element)));
    left -= batch.count;
    after = batch.last;
  }
  return { values, known };
}

describe('batches', () => {
  test('are the same when they are remembered', (t) => {
    const { batches } = openTable(t);
    const expected = KEYS.map((key) => printValue(key));
    assert.deepEqual(scan(batches, 1), { values: expected, known: [false, false, false] });
    assert.deepEqual(scan(batches, 1), { values: expected, known: [true, true, true] });
  });

  test('end at the limit of a scan, which is then not remembered', (t) => {
    const { batches } = openTable(t);
    for (const limit of [5, ALL, 5, 3, 4, 1, ALL]) {
      const expected = KEYS.slice(0, limit).map((key) => printValue(key));
      assert.deepEqual(scan(batches, 1, limit).values, expected);
    }
    assert.deepEqual(scan(batches, 1).known, [true, true, true]);
  });

  test('are forgotten after the next commit', (t) => {
    const { batches, database } = openTable(t);
    scan(batches, 1);
    new PutStatements(new StatementCache(database), 1).many(
      [toRow('c', 'changed'), toRow('y')],
      () => undefined,
    );
    const keys = [...KEYS, 'y'].sort();
    const expected = keys.map((key) => printValue(key, key === 'c' ? 'changed' : ''));
    assert.deepEqual(scan(batches, 2), { values: expected, known: [false, false, false] });
    assert.deepEqual(scan(batches, 2), { values: expected, known: [true, true, true] });
  });

  test('fail where a value was damaged, lost or added since', (t) => {
    for (const damage of [
      `UPDATE entries_1 SET value = replace(value, 'of', 'if') WHERE "key" = 'd'`,
      `DELETE FROM entries_1 WHERE "key" = 'd'`,
      `INSERT INTO entries_1 VALUES('dd', 1, '', '{}')`,
      `DELETE FROM entries_1`,
    ]) {
      const { batches, database } = openTable(t);
      scan(batches, 1);
      scan(batches, 1);
      database.exec(damage);
      assert.throws(() => scan(batches, 1), /damaged/, damage);
    }
  });
});

describe('first entries', () => {
  const read = ({ first }: Table, count: number, sequence: number) => {
    const { keys, values } = first.read(count, KEYS.length, sequence);
    return { keys, values: Buffer.from(values).toString() };
  };
  const expected = (count: number) => ({
    keys: KEYS.slice(0, count),
    values: KEYS.slice(0, count)
      .map((key) => printValue(key))
      .join(','),
  });

  test('are the same after any earlier read', (t) => {
    const table = openTable(t);
    for (const count of [3, 2, 3, 1, 5, 4, 8, 8, 7]) {
      assert.deepEqual(read(table, count, 1), expected(count));
    }
  });

  test('are verified again after a commit', (t) => {
    const table = openTable(t);
    read(table, 5, 1);
    new PutStatements(new StatementCache(table.database), 1).many(
      [toRow('b', 'changed')],
      () => undefined,
    );
    const { values } = read(table, 2, 2);
    assert.equal(values, `${printValue('a')},${printValue('b', 'changed')}`);
  });

  test('fail where one was damaged, lost or added since', (t) => {
    for (const damage of [
      `UPDATE entries_1 SET value = replace(value, 'of', 'if') WHERE "key" = 'b'`,
      `DELETE FROM entries_1 WHERE "key" = 'b'`,
      `INSERT INTO entries_1 VALUES('aa', 1, '', '{}')`,
      `DELETE FROM entries_1`,
    ]) {
      const table = openTable(t);
      read(table, 4, 1);
      table.database.exec(damage);
      assert.throws(() => read(table, 3, 1), /damaged/, damage);
    }
  });

  test('fail at the first read where one is damaged', (t) => {
    const table = openTable(t);
    table.database.exec(
      `UPDATE entries_1 SET value = replace(value, 'of', 'if') WHERE "key" = 'b'`,
    );
    assert.throws(() => read(table, 3, 1), /damaged/);
    assert.throws(() => read(table, 3, 1), /damaged/);
  });
});
