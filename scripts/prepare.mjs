// Install and build, each only when something changed since the last time.
// Plain JavaScript without dependencies: it runs before anything is installed,
// on whatever Node (18 or later) the machine has.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyAssets } from './copy-assets.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The Node of the package. */
export const node = join(root, 'node_modules', '.bin', 'node');

const installStamp = join(root, 'node_modules', '.gridkeep-installed');
const buildStamp = join(root, 'dist', '.gridkeep-built');
const consoleStamp = join(root, 'dist', '.gridkeep-console-built');

const bundleScript = join(root, 'scripts', 'bundle-program.mjs');

const PROGRAM_SETTINGS = [
  bundleScript,
  join(root, 'tsconfig.json'),
  join(root, 'tsconfig.build.json'),
  // Has the versions of the copied and bundled packages.
  join(root, 'package-lock.json'),
];

/** Installs the packages unless those of the lock file are installed. */
export function install() {
  if (readStamp(installStamp) === packagesFingerprint() && existsSync(node)) return;
  // `npm install`, not `npm ci`, which would remove and fetch everything each time.
  // Output goes to standard error, because the first line of standard output belongs to the service.
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], 'npm install');
  if (!existsSync(node)) {
    fail('npm install did not bring the package "node"; are install scripts switched off?');
  }
  writeFileSync(installStamp, packagesFingerprint());
}

/** Builds `dist`: the program and the console, each unless it is up to date. */
export function build() {
  buildProgram();
  buildConsole();
}

function buildProgram() {
  const fingerprint = fingerprintOf([join(root, 'src'), ...PROGRAM_SETTINGS]);
  if (readStamp(buildStamp) === fingerprint) return;
  // A clean build, so that no module of a deleted source is left. The console is built too, because it
  // contains modules of `src`.
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.build.json'], 'the build');
  copyAssets(root);
  run(node, [bundleScript], 'the bundle of the program');
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(buildStamp, fingerprint);
}

function buildConsole() {
  const script = join(root, 'scripts', 'build-console.mjs');
  const inputs = [join(root, 'console'), script, join(root, 'package-lock.json')];
  const fingerprint = fingerprintOf(inputs);
  if (readStamp(consoleStamp) === fingerprint) return;
  run(node, [script], 'the build of the console');
  writeFileSync(consoleStamp, fingerprint);
}

/** The environment for child processes, with our own Node first. */
export function environment() {
  const path = join(root, 'node_modules', '.bin');
  return { ...process.env, PATH: `${path}${delimiter}${process.env.PATH ?? ''}` };
}

function run(command, args, what) {
  const { error, status } = spawnSync(command, args, {
    cwd: root,
    env: environment(),
    stdio: ['ignore', 2, 2],
  });
  if (error !== undefined) fail(`${what} could not be started: ${error.message}`);
  if (status !== 0) fail(`${what} failed`);
}

function fail(message) {
  console.error(`gridkeep: ${message}`);
  process.exit(1);
}

function readStamp(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function packagesFingerprint() {
  const { dependencies, devDependencies } = JSON.parse(readText('package.json'));
  return hash([JSON.stringify([dependencies, devDependencies]), readText('package-lock.json')]);
}

/** A hash of path, size and time of every file; it detects additions and removals too. */
function fingerprintOf(inputs) {
  const files = inputs.flatMap((input) =>
    statSync(input).isDirectory() ? listFiles(input) : [input],
  );
  return hash(
    files.sort().map((file) => {
      const { mtimeMs, size } = statSync(file);
      return `${file} ${size} ${mtimeMs}`;
    }),
  );
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((item) => {
    const path = join(folder, item.name);
    if (item.isDirectory()) return listFiles(path);
    return item.name.endsWith('.test.ts') ? [] : [path];
  });
}

function readText(name) {
  return readFileSync(join(root, name), 'utf8');
}

function hash(parts) {
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}
