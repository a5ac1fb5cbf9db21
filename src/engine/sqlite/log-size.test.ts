import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { checkpointBytes, keptLogBytes } from './log-size.ts';

const MEBIBYTE = 1024 * 1024;

it('lets the log grow to half of the data, but not below 64 or above 256 MiB', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'gridkeep-log-size-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'gridkeep.db');
  assert.equal(checkpointBytes(file), 64 * MEBIBYTE);
  writeFileSync(file, '');
  const found = [0, 100, 300, 600, 5000].map((mebibytes) => {
    truncateSync(file, mebibytes * MEBIBYTE);
    return [checkpointBytes(file) / MEBIBYTE, keptLogBytes(file) / MEBIBYTE];
  });
  assert.deepEqual(found, [
    [64, 96],
    [64, 96],
    [150, 225],
    [256, 384],
    [256, 384],
  ]);
});
