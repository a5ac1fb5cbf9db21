// Runs the specification suite, or a share of it, over another engine than that of `npm test`.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EngineKind } from './service.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** The share: writes with guards, and pages of a region. */
const SHARE = ['s4-02-read-region', 'd3-writing'];

/** Properties of the suites use the seed of this run too. */
const SAME_CHOICES = ['--import', './test/same-choices.ts'];

export function assertSpecification(engine: EngineKind, part: 'share' | 'whole'): void {
  const all = globSync('test/spec/*.test.ts', { cwd: ROOT }).filter((file) =>
    readFileSync(`${ROOT}/${file}`, 'utf8').includes('onEveryEngine'),
  );
  const share = all.filter((file) => SHARE.some((name) => file.includes(name)));
  assert.equal(share.length, SHARE.length);
  const suites = part === 'share' ? share : all;
  // Two suites share the process that runs them; many would disturb each other.
  const processes = part === 'share' ? ['--test-isolation=none'] : ['--test-concurrency=2'];
  // Without the variable by which a test runner detects that another one runs it.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const { status, stdout } = spawnSync(
    process.execPath,
    [...SAME_CHOICES, '--test', ...processes, '--test-reporter=tap', ...suites],
    { cwd: ROOT, env: { ...environment, TEST_ENGINES: engine }, encoding: 'utf8' },
  );
  assert.equal(status, 0, stdout);
  assert.ok(Number(/^# pass (\d+)$/m.exec(stdout)?.[1]) > 10 * suites.length, stdout.slice(-500));
  assert.match(stdout, new RegExp(`\\(${engine}\\)`));
}
