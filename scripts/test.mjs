// `npm test`: installs and builds what is not up to date, then runs every check,
// and stops at the first step that fails.

import { spawn } from 'node:child_process';
import { build, environment, install, root } from './prepare.mjs';

// Each check is a script of package.json, so that it can run separately. The checks of one step run
// concurrently, and their output is shown when they end.
const steps = [
  [
    { title: 'format and lint', script: 'lint' },
    { title: 'types', script: 'types' },
    { title: 'unused code', script: 'unused' },
  ],
  [{ title: 'tests', script: 'test:quick' }],
];

await timed('install', install);
await timed('build', build);
for (const checks of steps) {
  const title = checks.map((check) => check.title).join(', ');
  const failed = await timed(title, () => runAll(checks));
  if (failed.length === 0) continue;
  for (const { script, title } of failed) console.error(`\nFailed: ${title} (npm run ${script})`);
  process.exit(1);
}
console.log('\nEverything passed.');

/** The checks that failed. */
async function runAll(checks) {
  const outcomes = await Promise.all(
    checks.map(async (check) => ({ check, isPassed: await run(check, checks.length > 1) })),
  );
  return outcomes.filter(({ isPassed }) => !isPassed).map(({ check }) => check);
}

function run({ script }, isConcurrent) {
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', script], {
      cwd: root,
      env: environment(),
      stdio: isConcurrent ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    });
    const output = [];
    child.stdout?.on('data', (bytes) => output.push(bytes));
    child.stderr?.on('data', (bytes) => output.push(bytes));
    child.once('error', (error) => {
      console.error(error.message);
      resolve(false);
    });
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      resolve(code === 0);
    });
  });
}

async function timed(title, work) {
  console.log(`\n── ${title}`);
  const start = Date.now();
  const result = await work();
  console.log(`   ${title}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
  return result;
}
