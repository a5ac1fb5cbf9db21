// Runs groups of tests (test/groups.ts).
//
//   node scripts/run-tests.mjs quick|units|service|long

import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { dot } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { filesOf, isCounted, isOnDisk, isUndisturbed, processesOf } from '../test/groups.ts';
import { environment, root } from './prepare.mjs';

/** For compiled code, and for the modules that import the files of one process. */
const CACHE = join(root, 'node_modules', '.cache', 'gridkeep-tests');

/** `npm test`: a tenth of the generated cases, the same each time, over one engine. */
const QUICK = { TEST_SHARE: '0.1', TEST_ENGINES: 'sqlite' };

/** The tests that count for coverage. */
const COUNTED = ['units'];

/** A file system in memory, on Linux, and the free bytes that temporary files of the tests need there. */
const MEMORY = '/dev/shm';
const MEMORY_BYTES = 4 * 2 ** 30;

const RUNS = {
  // `npm test` runs both groups from one queue, so that no core waits for the last file of a group.
  quick: { groups: ['units', 'service'], coverage: true, inMemory: true, variables: QUICK },
  units: { groups: ['units'], coverage: true, inMemory: true, variables: QUICK },
  service: { groups: ['service'], coverage: false, inMemory: true, variables: QUICK },
  // All tests in their long forms, with new choices; the seed repeats them. All stores are on a disk.
  long: {
    groups: ['units', 'service', 'long'],
    coverage: false,
    inMemory: false,
    variables: {
      RELIABILITY: 'short',
      TEST_ENGINES: 'memory,sqlite',
      TEST_LIMIT_MS: '1800000',
      TEST_SEED: String(Date.now() % 2 ** 31),
    },
  },
};

const chosen = RUNS[process.argv[2]];
if (chosen === undefined) {
  console.error(`Usage: node scripts/run-tests.mjs ${Object.keys(RUNS).join('|')}`);
  process.exit(2);
}
const files = chosen.groups.flatMap((group) => filesOf(group, root));
if (files.length === 0) {
  console.error('There are no tests to run.');
  process.exit(1);
}
const variables = { ...chosen.variables, ...variablesOfCaller(Object.keys(chosen.variables)) };
const temporary = chosen.inMemory && hasMemory() ? MEMORY : tmpdir();
Object.assign(process.env, environment(), variables, {
  NODE_COMPILE_CACHE: join(CACHE, 'compiled'),
  // No link leads to a module; looking for links takes a sixth of the time of loading them.
  NODE_PRESERVE_SYMLINKS: '1',
  TEST_IS_BUILT: '1',
  TEST_POSTGRES_NEW: newFolder('postgres-new'),
  TEST_TEMPORARY: newFolder('tests'),
});
// Removes the folders when the run is interrupted.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const processes = processesOf(files);
console.log(`${files.length} files in ${processes.length} processes ${JSON.stringify(variables)}`);
const titles = writeModules(processes, chosen.coverage);
// One more than there are cores: many tests wait for processes, disks and clocks.
await runAll(titles, { undisturbed: false, concurrency: availableParallelism() + 1 });
await runAll(titles, { undisturbed: true, concurrency: 1 });

function hasMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_BYTES;
  } catch {
    return false;
  }
}

/** A folder for the time of the run, which the database server can enter: as root it runs as nobody. */
function newFolder(name) {
  const folder = mkdtempSync(join(temporary, `gridkeep-${name}-`));
  chmodSync(folder, 0o755);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A seed, share or list of engines of the caller takes precedence over that of the run. */
function variablesOfCaller(names) {
  return Object.fromEntries(
    [...names, 'TEST_SEED', 'TEST_SHARE']
      .filter((name) => process.env[name] !== undefined)
      .map((name) => [name, process.env[name]]),
  );
}

/** For each process, writes the module that imports its tests; returns the titles. */
function writeModules(processes, coverage) {
  const folder = join(CACHE, 'processes');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const counted = new Set(COUNTED.flatMap((group) => filesOf(group, root)).filter(isCounted));
  return new Map(
    processes.map(([first, ...others], number) => {
      const counting = counted.has(first) ? 'count-this-thread.ts' : 'count-nothing.ts';
      const before = [
        ...(coverage ? [counting] : []),
        ...(isOnDisk(first) ? [] : ['temporary-files.ts']),
        'before-tests.mjs',
      ];
      const names = [...before.map((name) => `test/${name}`), first, ...others];
      const module = join(folder, `${number + 1}.mjs`);
      const imports = names.map((name) => `import '${pathToFileURL(join(root, name))}';\n`);
      writeFileSync(module, imports.join(''));
      const title = others.length === 0 ? first : `${first} and ${others.length} files like it`;
      return [module, title];
    }),
  );
}

async function runAll(titles, { concurrency, undisturbed }) {
  const files = [...titles.keys()].filter(
    (file) => isUndisturbed(titles.get(file)) === undisturbed,
  );
  if (files.length === 0) return;
  const { coverage } = chosen;
  const stream = run({
    cwd: root,
    files,
    concurrency,
    ...(coverage && {
      coverage,
      coverageIncludeGlobs: ['src/**/*.ts'],
      coverageExcludeGlobs: ['src/**/*.test.ts', 'src/**/testing/**'],
      lineCoverage: 90,
    }),
  });
  /** The last lines that each file wrote to standard error. */
  const errorOutput = new Map();
  stream.on('test:stderr', ({ file, message }) =>
    errorOutput.set(file, [...(errorOutput.get(file) ?? []), message].slice(-20)),
  );
  // Reported as soon as it fails; the full report follows in the order of the files.
  stream.on('test:complete', ({ details, file, name, todo }) => {
    if (details.passed || todo !== undefined) return;
    process.exitCode = 1;
    console.error(`\nFailed: ${name} (${relative(root, file ?? '')})`);
    for (const text of errorOutput.get(file) ?? []) console.error(text);
    errorOutput.delete(file);
  });
  stream.on('test:coverage', ({ summary: { totals } }) => {
    console.log(`\nLines covered: ${totals.coveredLinePercent.toFixed(2)} %`);
  });
  const seconds = new Map();
  stream.on('test:summary', ({ counts, duration_ms, file, success }) => {
    if (!success) process.exitCode = 1;
    if (file !== undefined) seconds.set(file, duration_ms / 1000);
    else console.log(`\n${counts.passed} passed, ${counts.failed} failed; longest:`);
  });
  stream.compose(dot).pipe(process.stdout, { end: false });
  await once(stream, 'end');
  const longest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, 8);
  for (const [file, time] of longest) console.log(`${time.toFixed(1)} s ${titles.get(file)}`);
}
