// The specification suite over PostgreSQL: `npm test` runs a share of it, the long form all of it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pickSize } from '../faults/sizes.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Writes with their guards, and pages of a region. */
const SHARE = ['s4-02-read-region', 'd3-writing'];

function findSuites(): readonly string[] {
  const all = globSync('test/spec/*.test.ts', { cwd: root }).filter((file) =>
    readFileSync(`${root}/${file}`, 'utf8').includes('onEveryEngine'),
  );
  const share = all.filter((file) => SHARE.some((name) => file.includes(name)));
  assert.equal(share.length, SHARE.length);
  return pickSize({ quick: share, short: all });
}

it('passes over PostgreSQL', () => {
  const suites = findSuites();
  // Without the variable by which a test runner knows that it is run by another.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--test', '--test-concurrency=2', '--test-reporter=tap', ...suites],
    { cwd: root, env: { ...environment, TEST_ENGINES: 'postgres' }, encoding: 'utf8' },
  );
  assert.equal(status, 0, stdout);
  assert.ok(Number(/^# pass (\d+)$/m.exec(stdout)?.[1]) > 10 * suites.length, stdout.slice(-500));
  assert.match(stdout, /\(postgres\)/);
});
