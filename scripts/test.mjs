// `npm test`: installs and builds what is not up to date, then runs every check
// in order and stops at the first that fails.

import { spawnSync } from 'node:child_process';
import { bin, build, environment, install, node, root } from './prepare.mjs';

const checks = [
  { title: 'format and lint', command: bin('biome'), args: ['ci', '--error-on-warnings', '.'] },
  { title: 'types', command: bin('tsc'), args: ['-p', 'tsconfig.json'] },
  { title: 'unused code', command: bin('knip'), args: [] },
  {
    title: 'tests',
    command: node,
    args: [
      '--test',
      '--test-reporter=dot',
      '--experimental-test-coverage',
      '--test-coverage-include=src/**/*.ts',
      '--test-coverage-exclude=src/**/*.test.ts',
      '--test-coverage-exclude=src/**/testing/**',
      '--test-coverage-lines=90',
      'src/**/*.test.ts',
      'test/**/*.test.ts',
    ],
  },
];

timed('install', install);
timed('build', build);
for (const { args, command, title } of checks) {
  timed(title, () => {
    const { error, status } = spawnSync(command, args, {
      cwd: root,
      env: environment(),
      stdio: 'inherit',
    });
    if (status === 0) return;
    console.error(`\nFailed: ${title}${error === undefined ? '' : ` (${error.message})`}`);
    process.exit(1);
  });
}
console.log('\nEverything passed.');

function timed(title, work) {
  console.log(`\n── ${title}`);
  const start = Date.now();
  work();
  console.log(`   ${title}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
}
