// Tests of a store on disk: locks, formats, unclean stops and growth.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import type { Engine, Region } from '../engine.ts';
import { EngineError, type EngineErrorCode } from '../errors.ts';
import { changesAfter } from '../testing/contract/commits.ts';
import { plainRegion } from '../testing/plain-region.ts';
import { acceptLoss } from './accept-loss.ts';
import { backupStore, restoreStore } from './copy-store.ts';
import { keptLogBytes } from './log-size.ts';
import { openStore } from './open-store.ts';
import { FORMAT_VERSION } from './schema.ts';
import { openSqliteEngine, type SqliteEngineOptions } from './sqlite-engine.ts';
import { storeFiles } from './store-files.ts';

function temporaryDirectory(context: TestContext): string {
  const parent = mkdtempSync(join(tmpdir(), 'gridkeep-'));
  context.after(() => rmSync(parent, { recursive: true, force: true }));
  return join(parent, 'data');
}

/** A store whose log is checkpointed when it has grown by 16 MiB. */
const SHORT_LOG = {
  durability: 'relaxed',
  testing: { checkpointBytes: 16 * 1024 * 1024 },
} as const;

async function open(
  context: TestContext,
  options: Omit<SqliteEngineOptions, 'directory'> & { readonly directory?: string } = {},
): Promise<{ engine: Engine; region: Region; directory: string }> {
  const directory = options.directory ?? temporaryDirectory(context);
  const engine = await openSqliteEngine({ ...options, directory });
  context.after(() => engine.close());
  await engine.createRegion(plainRegion('orders'));
  const region = await engine.openRegion('orders');
  assert.ok(region);
  return { engine, region, directory };
}

function hasCode(code: EngineErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof EngineError && error.code === code;
}

it('creates its directory for the owner only', async (t) => {
  const { directory } = await open(t);
  assert.equal(statSync(directory).mode & 0o777, 0o700);
});

it('refuses a directory that another engine has open, and takes it over afterwards', async (t) => {
  const { engine, directory } = await open(t);
  await assert.rejects(openSqliteEngine({ directory }), hasCode('engine/store-locked'));
  await engine.close();
  await (await openSqliteEngine({ directory })).close();
});

it('takes its lock again if the file of the lock was removed', async (t) => {
  const { engine, region, directory } = await open(t);
  rmSync(storeFiles(directory).lock);
  await region.write([{ kind: 'put', key: 'a', value: '1' }]);
  await assert.rejects(openSqliteEngine({ directory }), hasCode('engine/store-locked'));
  await engine.close();
  await (await openSqliteEngine({ directory })).close();
});

it('writes nothing more after another server took the directory, which then has everything', async (t) => {
  const { engine, region, directory } = await open(t);
  await region.write([{ kind: 'put', key: 'a', value: '1' }]);
  rmSync(storeFiles(directory).lock);
  const other = await open(t, { directory });
  await other.region.write([{ kind: 'put', key: 'b', value: '2' }]);
  for (const key of ['c', 'd']) {
    const write = region.write([{ kind: 'put', key, value: '3' }]);
    await assert.rejects(write, hasCode('engine/store-locked'));
  }
  await engine.close();
  await other.region.write([{ kind: 'put', key: 'e', value: '4' }]);
  await other.engine.close();
  const { region: found } = await open(t, { directory });
  const values = (await found.read(['a', 'b', 'c', 'd', 'e'])).map((entry) => entry?.value);
  assert.deepEqual(values, ['1', '2', undefined, undefined, '4']);
});

it('refuses a newer format, and a database of another program', async (t) => {
  const { engine, directory } = await open(t);
  await engine.close();
  const file = join(directory, 'gridkeep.db');
  setPragma(file, `user_version = ${FORMAT_VERSION + 1}`);
  await assert.rejects(openSqliteEngine({ directory }), hasCode('engine/store-newer'));
  setPragma(file, `user_version = ${FORMAT_VERSION}`);
  setPragma(file, 'application_id = 7');
  await assert.rejects(openSqliteEngine({ directory }), hasCode('engine/store-damaged'));
});

function setPragma(file: string, pragma: string): void {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA ${pragma}`);
  // Leaves one file without a log, as a clean stop does.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

it('tells followers of a restored store to start over', async (t) => {
  const { engine, region, directory } = await open(t);
  await region.write([{ kind: 'put', key: 'a', value: '{}' }]);
  const { sequence } = engine.stats();
  await engine.close();
  const [backup, restored] = [`${directory}.backup`, `${directory}-restored`];
  const options = { existing: 'refuse', onProgress: () => undefined } as const;
  assert.equal((await backupStore(storeFiles(directory), backup, options)).kind, 'copied');
  assert.equal((await restoreStore(backup, storeFiles(restored), options)).kind, 'restored');
  const again = await open(t, { directory: restored });
  const latest = again.engine.stats().sequence;
  assert.ok(latest > sequence);
  assert.deepEqual(await again.engine.readChanges(sequence, 10), {
    kind: 'gone',
    oldest: latest,
    latest,
  });
  await again.region.write([{ kind: 'remove', key: 'a' }]);
  assert.deepEqual(await changesAfter(again.engine, latest, 10), [
    { sequence: latest + 1, kind: 'remove', region: 'orders', key: 'a' },
  ]);
});

it('leaves one file without a log after a clean stop', async (t) => {
  const { engine, region, directory } = await open(t, { durability: 'relaxed' });
  await region.write([{ kind: 'put', key: 'a', value: '{}' }]);
  await engine.close();
  assert.equal(statSync(join(directory, 'gridkeep.db-wal'), { throwIfNoEntry: false }), undefined);
});

it('trims old changes by number, never within a commit, and never reuses a version', async (t) => {
  const { engine, region } = await open(t, { durability: 'relaxed', maxChanges: 50 });
  for (let i = 0; i < 100; i++) {
    await region.write([
      { kind: 'put', key: 'a', value: '{}' },
      { kind: 'put', key: 'b', value: '{}' },
    ]);
  }
  const latest = engine.stats().sequence;
  const gone = await engine.readChanges(0, 1000);
  assert.ok(gone.kind === 'gone');
  const read = await engine.readChanges(gone.oldest, 1000);
  assert.ok(read.kind === 'changes');
  const { changes } = read;
  assert.ok(changes.length >= 50 && changes.length <= 57, `${changes.length} changes are kept`);
  assert.equal(changes.length % 2, 0);
  assert.deepEqual([changes.at(-1)?.sequence, latest], [101, 101]);
});

it('keeps its log bounded under steady writes and reads', async (t) => {
  const { engine, region, directory } = await open(t, SHORT_LOG);
  const log = join(directory, 'gridkeep.db-wal');
  let largest = 0;
  for (let i = 0; i < 800; i++) {
    const value = JSON.stringify(String.fromCharCode(97 + (i % 26)).repeat(100_000));
    await region.write([{ kind: 'put', key: `k${i % 40}`, value }]);
    await region.read(['k1']);
    largest = Math.max(largest, statSync(log).size);
  }
  assert.ok(largest < 60 * 1024 * 1024, `80 MB were written through a log of ${largest} bytes`);
  assert.equal(engine.stats().openSnapshots, 0);
});

it('empties the log that a crash left when it starts', async (t) => {
  const { region, directory } = await open(t);
  for (let i = 0; i < 50; i += 1) {
    await region.write([{ kind: 'put', key: `k${i % 5}`, value: `"${'x'.repeat(10_000)}${i}"` }]);
  }
  // The files as they are now are what a killed process would leave.
  const crashed = join(dirname(directory), 'crashed');
  cpSync(directory, crashed, { recursive: true });
  const log = join(crashed, 'gridkeep.db-wal');
  assert.ok(statSync(log).size > 500_000);
  const { region: found } = await open(t, { directory: crashed });
  assert.ok(statSync(log).size < 100_000);
  const [entry] = await found.read(['k4']);
  assert.ok(entry?.value.endsWith('x49"'));
});

it('writes while a snapshot is open, and shrinks the log once it is closed', async (t) => {
  const { engine, region, directory } = await open(t, SHORT_LOG);
  // Unchanged pages would not be written.
  const makeValue = (i: number) =>
    JSON.stringify(String.fromCharCode(97 + (i % 26)).repeat(250_000));
  const put = (i: number) =>
    region.write([{ kind: 'put', key: `k${i % 40}`, value: makeValue(i) }]);
  await put(0);
  const snapshot = await engine.openSnapshot();
  for (let i = 0; i < 440; i++) await put(i);
  assert.equal(snapshot.count('orders'), 1);
  assert.equal(await region.count(), 40);
  const log = join(directory, 'gridkeep.db-wal');
  const sizeLimit = keptLogBytes(join(directory, 'gridkeep.db'));
  assert.ok(statSync(log).size > sizeLimit, 'what the snapshot needs is kept');
  snapshot.close();
  for (let i = 0; i < 400 && statSync(log).size > sizeLimit; i++) await put(i);
  assert.ok(statSync(log).size <= sizeLimit);
});

it('reuses the space of a destroyed region', async (t) => {
  const { engine: first, region, directory } = await open(t, { durability: 'relaxed' });
  const file = join(directory, 'gridkeep.db');
  const changes = Array.from({ length: 2000 }, (_, i) => ({
    kind: 'put' as const,
    key: `k${i}`,
    value: JSON.stringify('v'.repeat(500)),
  }));
  await region.write(changes);
  await first.close();
  const sizeOfOne = statSync(file).size;

  const { engine } = await open(t, { durability: 'relaxed', directory });
  for (let round = 0; round < 4; round++) {
    await engine.destroyRegion(round === 0 ? 'orders' : `r${round - 1}`);
    await engine.createRegion(plainRegion(`r${round}`));
    await (await engine.openRegion(`r${round}`))?.write(changes);
  }
  await engine.close();
  const size = statSync(file).size;
  assert.ok(size < 2 * sizeOfOne, `${size} bytes after five regions, ${sizeOfOne} after one`);
});

/** The main thread takes no answers meanwhile; the time is enough to commit several batches. */
function blockMainThread(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
}

it('shows readers no commit before its answer, while a second batch is with the writer', async (t) => {
  const { engine, region } = await open(t, { durability: 'relaxed' });
  let answered = 0;
  const puts = Array.from({ length: 64 }, async (_, i) => {
    const outcome = await region.write([{ kind: 'put', key: `k${i}`, value: `${i}` }], []);
    assert.equal(outcome.kind, 'committed');
    if (outcome.kind === 'committed') answered = Math.max(answered, outcome.version);
    const snapshot = await engine.openSnapshot();
    assert.equal(snapshot.sequence, engine.stats().sequence);
    snapshot.close();
  });
  // Both batches are sent at the end of a turn of the event loop.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  blockMainThread();
  await Promise.all(puts);
  assert.equal(engine.stats().sequence, answered);
  assert.equal(engine.stats().commits, 3, 'the region, and two batches');
});

it('has the page cache that it is given, and 64 MiB at most', (t) => {
  const directory = temporaryDirectory(t);
  for (const [cacheBytes, kibibytes] of [
    [1 << 20, 1024],
    [undefined, 65_536],
    [1 << 30, 65_536],
  ] as const) {
    const store = openStore(storeFiles(directory), { durability: 'never', cacheBytes });
    assert.equal(store.database.prepare('PRAGMA cache_size').get()?.['cache_size'], -kibibytes);
    store.database.close();
    store.mark.close();
    store.lock.close();
  }
});

it('changes nothing of a store whose loss cannot be accepted', async (t) => {
  const { directory, engine, region } = await open(t);
  await region.write([{ kind: 'put', key: 'a', value: '{}' }]);
  await engine.close();
  const files = storeFiles(directory);
  const database = new DatabaseSync(files.data);
  database.exec('UPDATE changes SET seal = 0; UPDATE entries_1 SET value = 1');
  const count = (): unknown => database.prepare('SELECT count(*) AS n FROM changes').get()?.['n'];
  const before = count();
  assert.throws(() => acceptLoss(files), /fails its checksum/);
  assert.deepEqual([count(), Number(before) > 0], [before, true]);
  database.close();
});
