import assert from 'node:assert/strict';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSqliteEngine } from './sqlite-engine.ts';
import { storeFiles } from './store-files.ts';

test('the reserve occupies disk blocks while the store is open and after it is closed', async () => {
  await withDirectory(async (directory) => {
    const { reserve } = storeFiles(directory);
    const engine = await openSqliteEngine({ directory });
    assert.equal(statSync(reserve).size, 256 * 1024);
    rmSync(reserve);
    await engine.close();
    const { mode, size } = statSync(reserve);
    assert.deepEqual({ size, mode: mode & 0o777 }, { size: 256 * 1024, mode: 0o600 });
  });
});

test('a store without a reserve can be written while the disk has space', async () => {
  await withDirectory(async (directory) => {
    // A directory of this name can be neither removed nor written.
    mkdirSync(join(storeFiles(directory).reserve, 'full'), { recursive: true });
    const engine = await openSqliteEngine({ directory });
    assert.deepEqual(engine.health(), {});
    assert.equal(engine.stats().sequence, 0);
    await engine.close();
  });
});

async function withDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'gridkeep-reserve-'));
  try {
    await work(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}
