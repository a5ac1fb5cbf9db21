// Import and export of more data than fits into the heap.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandSandbox, toLines } from './command.ts';

const sandbox = CommandSandbox.open();

test('memory does not grow with the data: 72 MiB pass through a heap of 48 MiB', async () => {
  const padding = 'x'.repeat(4000);
  function* lines(): Generator<string> {
    for (let i = 0; i < 18_000; i += 1) yield toLines({ [`k${i}`]: `{"i":${i},"x":"${padding}"}` });
  }
  const node = ['--max-old-space-size=48'];
  const settings = { GRIDKEEP_STORE_DURABILITY: 'relaxed' };
  const args = ['--region', 'big', '--data', 'big'];
  const imported = await sandbox.runProcess(['import', ...args, '--create'], {
    input: lines(),
    node,
    environment: settings,
  });
  assert.deepEqual(imported, { code: 0, err: '', out: 'big: 18000 entries from standard input\n' });
  const exported = await sandbox.runProcess(['export', ...args, '--to', 'big.ndjson.zst'], {
    node,
  });
  assert.equal(exported.out, 'big.ndjson.zst: 18000 entries of region big\n');
});
