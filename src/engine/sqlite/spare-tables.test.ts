import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, it } from 'node:test';
import { plainRegion } from '../testing/plain-region.ts';
import { checkStore } from './check-store.ts';
import { openSqliteEngine } from './sqlite-engine.ts';
import { storeFiles } from './store-files.ts';

const root = mkdtempSync(join(tmpdir(), 'gridkeep-spares-'));

after(() => rmSync(root, { recursive: true, force: true }));

it('rarely changes the schema while many regions are created, and never reuses a table', async () => {
  const directory = join(root, 'many');
  const files = storeFiles(directory);
  const engine = await openSqliteEngine({ directory, durability: 'relaxed' });
  const reader = new DatabaseSync(files.data, { readOnly: true });
  const schemaVersion = reader.prepare('PRAGMA schema_version');
  let changes = 0;
  let before = schemaVersion.get()?.['schema_version'];
  for (let n = 0; n < 300; n += 1) {
    await engine.createRegion(plainRegion(`r${n}`));
    const now = schemaVersion.get()?.['schema_version'];
    if (now !== before) changes += 1;
    before = now;
  }
  reader.close();
  assert.ok(changes < 40, `${changes} changes of the schema for 300 regions`);
  const write = async (name: string, value: string): Promise<void> => {
    await (await engine.openRegion(name))?.write([{ kind: 'put', key: 'k', value }]);
  };
  await write('r7', '{"old":1}');
  const stale = await engine.openRegion('r7');
  await engine.destroyRegion('r7');
  await engine.createRegion(plainRegion('r7'));
  assert.deepEqual(await (await engine.openRegion('r7'))?.read(['k']), [undefined]);
  await assert.rejects(async () => stale?.write([{ kind: 'put', key: 'k', value: '{}' }]));
  await write('r299', '{"n":1}');
  await engine.close();
  assert.deepEqual((await checkStore(files, () => undefined)).shown, []);

  const again = await openSqliteEngine({ directory });
  assert.equal((await again.describeRegions()).length, 300);
  assert.equal(await again.createRegion(plainRegion('next')), 'created');
  await again.close();
});

it('reuses no table of a region that is destroyed before one is created', async () => {
  const directory = join(root, 'destroyed');
  const first = await openSqliteEngine({ directory });
  await first.createRegion(plainRegion('r'));
  await first.close();
  const engine = await openSqliteEngine({ directory });
  const stale = await engine.openRegion('r');
  await engine.destroyRegion('r');
  await engine.createRegion(plainRegion('r'));
  await assert.rejects(async () => stale?.write([{ kind: 'put', key: 'k', value: '{}' }]), {
    code: 'engine/region-gone',
  });
  assert.equal(await (await engine.openRegion('r'))?.count(), 0);
  await engine.close();
});

it('reports a table with entries but without a region as a lost region', async () => {
  const directory = join(root, 'lost');
  const { data } = storeFiles(directory);
  const engine = await openSqliteEngine({ directory });
  for (const name of ['one', 'two']) {
    await engine.createRegion(plainRegion(name));
    await (await engine.openRegion(name))?.write([{ kind: 'put', key: 'k', value: '{}' }]);
  }
  await engine.close();
  const database = new DatabaseSync(data);
  database.exec("DELETE FROM regions WHERE name = 'one'");
  database.close();
  assert.match((await checkStore(storeFiles(directory), () => undefined)).shown.join(), /tables/);
  await assert.rejects(openSqliteEngine({ directory }), /its tables are not those/);
});
