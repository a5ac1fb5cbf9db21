import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { observeDirectory, removeCreatedStore } from './created-store.ts';
import { openStore } from './open-store.ts';
import { storeFiles } from './store-files.ts';
import { StoreLock } from './store-lock.ts';

test('a created store is removed with its directories, unless another process has taken it', () => {
  const parent = mkdtempSync(join(tmpdir(), 'gridkeep-created-'));
  try {
    const files = storeFiles(join(parent, 'new', 'store'));
    const before = observeDirectory(files);
    const { database, lock, mark } = openStore(files, { durability: 'never' });
    mark.close();
    database.close();
    // Still locked.
    removeCreatedStore(files, before, 0);
    assert.ok(existsSync(files.data));
    lock.close();
    // Written to by another process.
    removeCreatedStore(files, before, 7);
    assert.ok(existsSync(files.data));
    new StoreLock(files).close();
    // There before.
    removeCreatedStore(files, observeDirectory(files), 0);
    assert.ok(existsSync(files.data));
    removeCreatedStore(files, before, 0);
    assert.deepEqual(readdirSync(parent), []);
  } finally {
    rmSync(parent, { recursive: true });
  }
});
