// `npm test`: installs and builds what is not up to date, then runs every check
// in order and stops at the first that fails.

import { spawnSync } from 'node:child_process';
import { build, environment, install, root } from './prepare.mjs';

// Each is a script of package.json, so that it can be run by itself as well.
const checks = [
  { title: 'format and lint', script: 'lint' },
  { title: 'types', script: 'types' },
  { title: 'unused code', script: 'unused' },
  { title: 'unit and specification tests with coverage', script: 'test:units' },
  { title: 'tests of the running service', script: 'test:service' },
];

timed('install', install);
timed('build', build);
for (const { script, title } of checks) {
  timed(title, () => {
    const { error, status } = spawnSync('npm', ['run', '--silent', script], {
      cwd: root,
      env: environment(),
      stdio: 'inherit',
    });
    if (status === 0) return;
    console.error(
      `\nFailed: ${title} (npm run ${script})${error === undefined ? '' : ` (${error.message})`}`,
    );
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
