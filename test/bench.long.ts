// The benchmark works: it starts both servers, checks that they answer alike and writes a row for every
// bar. The measured figures have no meaning here.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(new URL('../bench/http/main.ts', import.meta.url));
const RESULTS = new URL('../bench/results/http-quick.json', import.meta.url);

test('npm run bench compares the service with a bare server, and each figure with its bar', async () => {
  const started = Date.now();
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [SCRIPT, '--quick', '--source']);
  const { at, rows } = JSON.parse(await readFile(RESULTS, 'utf8'));
  assert.ok(Date.parse(at) >= started, 'the results are those of this run');
  assert.equal(rows.length, 10);
  for (const row of rows) assert.ok(stdout.includes(row.title), row.title);
  // On a busy machine such a short round may pass without an answer.
  const measured = rows.filter((row: { value: number | null }) => (row.value ?? 0) > 0);
  assert.ok(measured.length > rows.length / 2, `only ${measured.length} rows have a figure`);
});
