import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Engine } from '../engine.ts';
import { plainRegion } from '../testing/plain-region.ts';
import { openSqliteEngine } from './sqlite-engine.ts';
import { storeFiles } from './store-files.ts';
import { openStoreReader, readUndisturbed } from './store-reader.ts';

let directory: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gridkeep-reader-'));
  await (await openSqliteEngine({ directory })).close();
});

after(async () => {
  await rm(directory, { recursive: true });
});

test('reading a store that is not in use changes no file', () => {
  const names = readdirSync(directory);
  const reader = openStoreReader(storeFiles(directory));
  assert.equal(reader.database.prepare('SELECT count(*) AS n FROM regions').get()?.['n'], 0);
  assert.ok(reader.isUndisturbed());
  assert.deepEqual(readdirSync(directory), names);
  reader.close();
  assert.deepEqual(readdirSync(directory), names);
});

test('work that a starting server disturbed is repeated on a snapshot', async () => {
  const engines: Engine[] = [];
  const counts: unknown[] = [];
  const counted = await readUndisturbed(storeFiles(directory), async ({ database }) => {
    if (engines.length === 0) {
      const engine = await openSqliteEngine({ directory });
      engines.push(engine);
      await createRegion(engine, 'first');
    }
    const count = (): unknown => database.prepare('SELECT count(*) AS n FROM regions').get()?.['n'];
    const before = count();
    if (counts.push(before) === 2) await createRegion(engines[0], 'second');
    assert.equal(count(), before, 'a later commit is visible');
    return before;
  });
  assert.equal(counts.length, 2);
  assert.equal(counted, 1);
  await engines[0]?.close();
});

test('work that fails is repeated only when it was disturbed', async () => {
  let times = 0;
  const failing = readUndisturbed(storeFiles(directory), () => {
    times += 1;
    throw new Error('no');
  });
  await assert.rejects(failing, /no/);
  assert.equal(times, 1);
});

async function createRegion(engine: Engine | undefined, name: string): Promise<void> {
  await engine?.createRegion(plainRegion(name));
}
