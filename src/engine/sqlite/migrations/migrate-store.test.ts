// Stores that older versions of gridkeep wrote. Of each format one was stopped cleanly, and one was
// killed with three commits only in its log.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { RecordedChange } from '../../engine.ts';
import { RegionHistory } from '../../region-history.ts';
import { acceptLoss } from '../accept-loss.ts';
import { checkStore } from '../check-store.ts';
import { backupStore, restoreStore } from '../copy-store.ts';
import { FORMAT_VERSION, readFormat } from '../schema.ts';
import { openSqliteEngine } from '../sqlite-engine.ts';
import { storeFiles } from '../store-files.ts';
import { openStoredRegions } from '../stored-regions.ts';
import { MIGRATIONS, migrateStore } from './migrate-store.ts';

const FIXTURES = fileURLToPath(new URL('../testdata', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'gridkeep-migrate-'));
let copies = 0;

after(() => rmSync(root, { recursive: true, force: true }));

function copyFixture(name: string): string {
  copies += 1;
  const copy = join(root, `copy-${copies}`);
  cpSync(join(FIXTURES, name), copy, { recursive: true });
  return copy;
}

function formatOf(directory: string): number {
  const { data } = storeFiles(directory);
  const database = new DatabaseSync(data, { readOnly: true });
  try {
    return readFormat(database, data);
  } finally {
    database.close();
  }
}

const LATE = ['late0', 'late1', 'late2'];
const NONE: readonly string[] = [];
const CASES = [
  { format: 1, fixture: 'format-1-stopped', orders: 40, sequence: 10, late: NONE },
  { format: 1, fixture: 'format-1-killed', orders: 43, sequence: 13, late: LATE },
  { format: 2, fixture: 'format-2-stopped', orders: 40, sequence: 9, late: NONE },
  { format: 2, fixture: 'format-2-killed', orders: 43, sequence: 12, late: LATE },
  { format: 3, fixture: 'format-3-stopped', orders: 40, sequence: 8, late: NONE },
  { format: 3, fixture: 'format-3-killed', orders: 43, sequence: 11, late: LATE },
  { format: 4, fixture: 'format-4-stopped', orders: 40, sequence: 8, late: NONE },
  { format: 4, fixture: 'format-4-killed', orders: 43, sequence: 11, late: LATE },
];

describe('a store of an older format', () => {
  for (const { fixture, format, late, orders, sequence } of CASES) {
    it(`is migrated to the latest format at a start: ${fixture}`, async () => {
      const directory = copyFixture(fixture);
      const engine = await openSqliteEngine({ directory });
      assert.deepEqual(
        (await engine.describeRegions()).map(({ entryCount, indexes, name, type }) => [
          name,
          type,
          entryCount,
          indexes.map((index) => index.name),
        ]),
        [
          ['emoji', 'PARTITION', 2, []],
          ['empty', 'EMPTY', 0, []],
          ['orders', 'REPLICATE', orders, ['by-i']],
        ],
      );
      assert.equal(engine.stats().sequence, sequence);
      const region = await engine.openRegion('orders');
      const entries = await region?.read(['o00', 'o01', 'o39', ...late]);
      assert.deepEqual(
        entries?.map((entry) => entry?.value),
        ['{"i":100}', undefined, '{"i":39}', ...late.map((_, i) => `{"late":${i}}`)],
      );
      await region?.write([{ kind: 'put', key: 'new', value: '{}' }]);
      await engine.close();
      assert.equal(formatOf(directory), FORMAT_VERSION);
      const report = await checkStore(storeFiles(directory), () => undefined);
      assert.deepEqual(report.shown, []);
    });

    it(`is checked and exported without a migration: ${fixture}`, async () => {
      const directory = copyFixture(fixture);
      const before = readFileSync(storeFiles(directory).data);
      const report = await checkStore(storeFiles(directory), () => undefined);
      assert.deepEqual(report.shown, []);
      const stored = openStoredRegions(directory);
      assert.equal([...stored.entries('orders')].length, orders);
      stored.close();
      assert.deepEqual(readFileSync(storeFiles(directory).data), before);
      assert.equal(formatOf(directory), format);
    });
  }

  for (const format of [1, 2, 3, 4])
    it(`can be backed up, and the backup restored: format ${format}`, async () => {
      const options = { existing: 'refuse', onProgress: () => undefined } as const;
      const backup = join(root, `backup-${format}.db`);
      const source = storeFiles(copyFixture(`format-${format}-stopped`));
      const saved = await backupStore(source, backup, options);
      assert.equal(saved.kind, 'copied');
      const directory = join(root, `restored-${format}`);
      const restored = await restoreStore(backup, storeFiles(directory), options);
      assert.equal(restored.kind, 'restored');
      assert.equal(formatOf(directory), FORMAT_VERSION);
      const engine = await openSqliteEngine({ directory });
      assert.equal(await (await engine.openRegion('orders'))?.count(), 40);
      await engine.close();
    });

  it('is refused and not changed when its counters do not match its entries', async () => {
    const directory = copyFixture('format-1-stopped');
    const { data } = storeFiles(directory);
    const database = new DatabaseSync(data);
    database.exec(`DELETE FROM entries_1 WHERE "key" = 'o05'`);
    database.close();
    await assert.rejects(openSqliteEngine({ directory }), /orders.*has 39 entries but states 40/);
    assert.equal(formatOf(directory), 1);
  });

  for (const format of [3, 4])
    it(`keeps its change log: format ${format}`, async () => {
      const directory = copyFixture(`format-${format}-killed`);
      const engine = await openSqliteEngine({ directory });
      const page = await engine.readChanges(3, 1000);
      const from = await engine.readChanges(6, 2);
      await engine.close();
      assert.ok(page.kind === 'changes' && from.kind === 'changes');
      const put = (sequence: number, key: string): string => `${sequence} put orders ${key}`;
      const many = Array.from({ length: 41 }, (_, i) => put(4, `o${String(i).padStart(2, '0')}`));
      const print = ({ key, kind, region, sequence }: RecordedChange): string =>
        `${sequence} ${kind} ${region} ${key}`;
      assert.deepEqual(page.changes.map(print), [
        ...many,
        '5 add-index orders by-i',
        '6 put emoji 😀',
        '6 put emoji ä',
        put(7, 'o00'),
        '8 remove orders o01',
        ...LATE.map((key, i) => put(9 + i, key)),
      ]);
      assert.deepEqual(from.changes.map(print), [put(7, 'o00'), '8 remove orders o01']);
    });

  it('is refused while its change log is damaged, until the loss is accepted', async () => {
    const directory = copyFixture('format-3-stopped');
    const { data } = storeFiles(directory);
    const database = new DatabaseSync(data);
    database.exec('DELETE FROM changes WHERE sequence = 6 AND ordinal = 0');
    database.close();
    const report = await checkStore(storeFiles(directory), () => undefined);
    assert.deepEqual(report.shown, ['change log: commit 6 has no change number 0']);
    await assert.rejects(openSqliteEngine({ directory }), /commit 6 has no change number 0/);
    assert.equal(formatOf(directory), 3);
    assert.equal(acceptLoss(storeFiles(directory)).kind, 'accepted');
    const engine = await openSqliteEngine({ directory });
    assert.equal(await (await engine.openRegion('orders'))?.count(), 40);
    assert.equal((await engine.readChanges(8, 10)).kind, 'gone');
    await engine.close();
  });

  it('still starts from its log after a loss was to be accepted and nothing was missing', async () => {
    for (const format of [1, 2, 3, 4]) {
      const directory = copyFixture(`format-${format}-killed`);
      const files = storeFiles(directory);
      rmSync(files.mark, { force: true }); // now only the log shows the last commit
      assert.equal(acceptLoss(files).kind, 'nothing-missing');
      const engine = await openSqliteEngine({ directory });
      assert.equal(await (await engine.openRegion('orders'))?.count(), 43);
      await engine.close();
    }
  });

  it('is not changed by a migration that fails half-way', async () => {
    const directory = copyFixture('format-1-stopped');
    const { data } = storeFiles(directory);
    const database = new DatabaseSync(data);
    // The regions are migrated before the change log, whose table the second step does not find.
    database.exec('ALTER TABLE changes RENAME TO lost');
    const before = database.prepare('SELECT name, sql FROM sqlite_schema').all();
    assert.throws(() => migrateStore(database, data, 1), /no such table: changes/);
    assert.deepEqual(database.prepare('SELECT name, sql FROM sqlite_schema').all(), before);
    assert.equal(readFormat(database, data), 1);
    database.close();
  });
});

it('keeps history and lets entries expire in a store that was of an older format', async () => {
  const directory = copyFixture('format-2-killed');
  const engine = await openSqliteEngine({ directory });
  await engine.alterRegion('orders', { history: { ageMs: null, count: 10 } });
  const region = await engine.openRegion('orders');
  const [entry] = (await region?.read(['o02'])) ?? [];
  await region?.write([{ kind: 'expire', key: 'o02', version: entry?.version ?? 0 }]);
  await region?.write([{ kind: 'put', key: 'o03', value: '{}' }]);
  await engine.close();
  const report = await checkStore(storeFiles(directory), () => undefined);
  assert.deepEqual(report.shown, []);
  const restored = join(root, 'restored-history');
  const options = { existing: 'refuse', onProgress: () => undefined } as const;
  const backup = join(root, 'history.db');
  await backupStore(storeFiles(directory), backup, options);
  assert.equal((await restoreStore(backup, storeFiles(restored), options)).kind, 'restored');
  const again = await openSqliteEngine({ directory: restored });
  const snapshot = await again.openSnapshot();
  const history = await RegionHistory.open(snapshot, 'orders');
  const versions = await history?.listVersions('o02', { below: 2 ** 40, limit: 10 });
  snapshot.close();
  await again.close();
  assert.deepEqual(
    versions?.map(({ operation, value }) => [operation, value]),
    [
      ['expire', undefined],
      ['put', '{"i":2}'],
    ],
  );
});

it('has a step from every older format', () => {
  assert.equal(MIGRATIONS.length, FORMAT_VERSION - 1);
});
