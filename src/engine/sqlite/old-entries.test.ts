// Compares batched look-ups and overwrites with single look-ups, also where a damaged key misdirects
// some of them.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { encodeKey } from '../key-encoding.ts';
import { OldEntries } from './old-entries.ts';
import { type EntryRow, PutStatements } from './put-statements.ts';
import { createEntriesTable } from './schema.ts';
import { sealEntry } from './seal.ts';
import { StatementCache } from './statement-cache.ts';
import { WriteConnection } from './write-connection.ts';

const VERSION = 7;

function toRow(key: string): EntryRow {
  const storedKey = encodeKey(key);
  const value = `{"of":${JSON.stringify(key)}}`;
  return [storedKey, VERSION, sealEntry(storedKey, value, VERSION), value];
}

interface Table {
  readonly old: OldEntries;
  readonly put: PutStatements;
}

/** A table with entries of these keys. `damage` is replaced in the file by as many bytes. */
function openTable(
  context: TestContext,
  keys: readonly string[],
  damage?: readonly [from: string, to: string],
): Table {
  const directory = mkdtempSync(join(tmpdir(), 'gridkeep-old-entries-'));
  const file = join(directory, 'table.db');
  const first = new DatabaseSync(file);
  first.exec(createEntriesTable(1));
  new PutStatements(new StatementCache(first), 1).many(keys.map(toRow), () => undefined);
  first.close();
  if (damage !== undefined) {
    const [from, to] = damage;
    const bytes = readFileSync(file);
    // The value contains the key as well, in quotes.
    bytes.write(to, bytes.indexOf(`${from}${String.fromCharCode(VERSION)}`), 'latin1');
    writeFileSync(file, bytes);
  }
  const database = new DatabaseSync(file);
  context.after(() => {
    database.close();
    rmSync(directory, { recursive: true });
  });
  const connection = new WriteConnection(database);
  const old = new OldEntries(connection, 1, () => new Error('damaged'));
  return { old, put: new PutStatements(connection.statements, 1) };
}

test('finds the same entries as single look-ups, and groups absent keys by gap', (t) => {
  const { old, put } = openTable(t, ['b', 'd', 'f', '\u{1f600}', '\ue000']);
  const keys = ['a', 'b', 'c1', 'c2', 'd', 'e', '\ud83e', '\ud7ff', '\uffff', '\ufffe', '\u0001'];
  const stored = keys.map(encodeKey);
  const { entries, gaps } = old.findMany(stored);
  assert.deepEqual(
    entries,
    stored.map((key) => old.find(key)),
  );
  assert.deepEqual(
    gaps.map(({ count, first, last }) => [first, last, count]),
    [
      ['\u0001', 'a', 2],
      ['c1', 'c2', 2],
      ['e', 'e', 1],
      ['\ud7ff', '\ud7ff', 1],
      ['\ud83e', '\ud83e', 1],
      ['\ufffe', '\uffff', 2],
    ],
  );
  put.many(keys.map(toRow), () => undefined);
  old.requireFilled(gaps);
  assert.ok(!old.findMany(stored).entries.includes(undefined));
});

test('overwrites an entry and returns the old one, as a look-up would', (t) => {
  const { old } = openTable(t, ['b', 'd']);
  const before = old.find('b');
  assert.notEqual(before, undefined);
  const value = '{"another":true}';
  const overwrite = (key: string): unknown =>
    old.overwrite([key, 8, sealEntry(key, value, 8), value]);
  assert.deepEqual(overwrite('b'), before);
  assert.equal(old.find('b')?.size, value.length);
  assert.equal(old.find('b')?.version, 8);
  assert.equal(overwrite('c'), undefined);
  assert.equal(old.find('c'), undefined, 'nothing is written where nothing was');
  assert.equal(old.find('d')?.version, VERSION);
});

test('the old row of a failed statement is not taken for that of the next one', (t) => {
  const { old } = openTable(t, ['b']);
  const unstorable = ['b', 8, sealEntry('b', '{}', 8), null] as unknown as EntryRow;
  assert.throws(() => old.overwrite(unstorable), /NOT NULL/);
  assert.equal(old.overwrite(toRow('c')), undefined);
});

/** A binary search compares with the fourth of these first, also when there is one more. */
const KEYS = ['k100', 'k200', 'k300', 'k400', 'k500', 'k600', 'k700', 'k800'];

test('refuses a key that a damaged one may hide', (t) => {
  const { old } = openTable(t, KEYS, ['k400', 'k000']);
  assert.throws(() => old.findMany(['k310', 'k350']), /damaged/);
  assert.throws(() => old.find('k350'), /damaged/);
  assert.throws(() => old.overwrite(toRow('k350')), /damaged/);
  assert.throws(() => old.overwrite(toRow('k000')), /damaged/, 'it is the entry of another key');
});

test('detects a key that a damaged one misdirects away from its gap', (t) => {
  const { old, put } = openTable(t, KEYS, ['k400', 'k250']);
  assert.throws(() => old.find('k260'), /damaged/, 'the search for it is misdirected');
  const keys = ['k210', 'k260'];
  // The neighbours of the first are sound, and the second belongs there too.
  const { gaps } = old.findMany(keys);
  assert.deepEqual(gaps, [{ first: 'k210', last: 'k260', count: 2 }]);
  put.many(keys.map(toRow), () => undefined);
  assert.throws(() => old.requireFilled(gaps), /damaged/);
});
