// The benchmark of bad input works: it runs the drivers of the tests and compares with their bars.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(new URL('../../bench/input/main.ts', import.meta.url));
const RESULTS = new URL('../../bench/results/input-part.json', import.meta.url);

test('npm run bench:input runs a share of the long counts and reports the seed', async () => {
  const started = Date.now();
  const args = [SCRIPT, '--only', 'I2,I6', '--share', '0.0002', '--seed', '7'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { at, rows } = JSON.parse(await readFile(RESULTS, 'utf8'));
  assert.ok(Date.parse(at) >= started, 'the results are those of this run');
  assert.deepEqual(
    rows.map(({ id, outcome, seed }: Record<string, unknown>) => ({ id, outcome, seed })),
    [
      { id: 'I2', outcome: 'met', seed: 7 },
      { id: 'I6', outcome: 'met', seed: 7 },
    ],
  );
  for (const row of rows) assert.ok(stdout.includes(row.figure), row.figure);
});
