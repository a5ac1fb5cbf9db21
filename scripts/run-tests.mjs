// Runs a group of tests, one file a process, as many at once as there are cores.
//
//   node scripts/run-tests.mjs units|service|long

import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { environment, root } from './prepare.mjs';

const UNITS = ['src/**/*.test.ts', 'console/**/*.test.ts', 'test/spec/*.test.ts'];

const groups = {
  // The tests that show whether a line is tested at all: coverage is counted here.
  units: {
    files: find(UNITS),
    flags: [
      '--experimental-test-coverage',
      '--test-coverage-include=src/**/*.ts',
      '--test-coverage-exclude=src/**/*.test.ts',
      '--test-coverage-exclude=src/**/testing/**',
      '--test-coverage-lines=90',
    ],
    variables: {},
  },
  // Everything else that `npm test` runs. Generated families run a tenth of their cases.
  service: {
    files: find(['test/**/*.{test,cases}.ts'], UNITS),
    flags: [],
    variables: { TEST_SHARE: '0.1' },
  },
  // All tests in their long forms, with new choices; the seed repeats them.
  long: {
    files: find(['{src,console}/**/*.test.ts', 'test/**/*.{test,cases,long}.ts']),
    flags: [],
    variables: { RELIABILITY: 'short', TEST_SEED: String(Date.now() % 2 ** 31) },
  },
};

const group = groups[process.argv[2]];
if (group === undefined) {
  console.error(`Usage: node scripts/run-tests.mjs ${Object.keys(groups).join('|')}`);
  process.exit(2);
}
if (group.files.length === 0) {
  console.error('There are no tests to run.');
  process.exit(1);
}
const variables = { ...group.variables, ...seedOf(process.env) };
console.log(`${group.files.length} files ${JSON.stringify(variables)}`);
const { status } = spawnSync(
  'node',
  [
    `--import=${pathToFileURL(join(root, 'test', 'same-choices.ts'))}`,
    '--test',
    `--test-concurrency=${availableParallelism()}`,
    '--test-reporter=dot',
    '--test-timeout=1200000',
    ...group.flags,
    ...group.files,
  ],
  { cwd: root, env: { ...environment(), ...variables }, stdio: 'inherit' },
);
process.exit(status ?? 1);

/** A seed or a share that is given wins over that of the group. */
function seedOf({ TEST_SEED, TEST_SHARE }) {
  return {
    ...(TEST_SEED === undefined ? {} : { TEST_SEED }),
    ...(TEST_SHARE === undefined ? {} : { TEST_SHARE }),
  };
}

function find(patterns, exclude = []) {
  return globSync(patterns, { cwd: root, exclude }).sort();
}
