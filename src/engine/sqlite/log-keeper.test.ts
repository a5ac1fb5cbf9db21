import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { LogKeeper } from './log-keeper.ts';
import { storeFiles } from './store-files.ts';
import { StoreLock } from './store-lock.ts';
import { readMark, StoreMark } from './store-mark.ts';

const MEBIBYTE = 1024 * 1024;

it('keeps more of the log once the data file has grown, and still detects a log that was cut', (t) => {
  const files = storeFiles(mkdtempSync(join(tmpdir(), 'gridkeep-log-keeper-')));
  t.after(() => rmSync(files.directory, { recursive: true, force: true }));
  const database = new DatabaseSync(files.data);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (v)');
  const [mark, lock] = [new StoreMark(files.mark), new StoreLock(files)];
  const keeper = new LogKeeper(database, { files, lock, mark, durability: 'always', sequence: 0 });
  const limit = (): unknown => database.prepare('PRAGMA journal_size_limit').get();
  assert.deepEqual({ ...Object(limit()) }, { journal_size_limit: 96 * MEBIBYTE });
  truncateSync(files.data, 600 * MEBIBYTE);
  keeper.checkpoint(0);
  assert.deepEqual({ ...Object(limit()) }, { journal_size_limit: 384 * MEBIBYTE });
  database.exec('INSERT INTO t VALUES (zeroblob(100000))');
  keeper.requireInPlace();
  truncateSync(files.log, 4096);
  assert.throws(() => keeper.requireInPlace(), /was cut from \d+ to 4096 bytes/);
  keeper.close();
  database.close();
  lock.close();
});

it('requires no commit after a power cut that a snapshot kept from being synced', (t) => {
  const files = storeFiles(mkdtempSync(join(tmpdir(), 'gridkeep-log-keeper-')));
  t.after(() => rmSync(files.directory, { recursive: true, force: true }));
  const database = new DatabaseSync(files.data);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (v)');
  database.exec('PRAGMA synchronous = NORMAL');
  const [mark, lock] = [new StoreMark(files.mark), new StoreLock(files)];
  const keeper = new LogKeeper(database, { files, lock, mark, durability: 'relaxed', sequence: 0 });
  keeper.checkpoint(1);
  const snapshot = new DatabaseSync(files.data, { readOnly: true });
  snapshot.exec('BEGIN; SELECT * FROM t');
  database.exec('INSERT INTO t VALUES (1)');
  // A snapshot of what was copied leaves nothing to copy, and SQLite does not sync the log.
  keeper.checkpoint(2);
  assert.deepEqual(readMark(files.mark), { sequence: 2, synced: 1, durability: 'relaxed' });
  snapshot.close();
  keeper.checkpoint(2);
  keeper.mark(3);
  assert.deepEqual(readMark(files.mark), { sequence: 3, synced: 2, durability: 'relaxed' });
  keeper.close();
  database.close();
  lock.close();
});
