// Runs the steps of the Dockerfile without Docker, and starts the service from the result.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../program.ts';
import { CommandSandbox } from './command.ts';
import { copiesOf, isSent, parseDockerfile, type Stage, textsOf } from './dockerfile.ts';

const sandbox = CommandSandbox.open();
const ignoreFile = readText('.dockerignore');
const stages = parseDockerfile(readText('deploy/Dockerfile'));
const [build, image] = stages as [Stage, Stage]; // deploy.test.ts checks their number

function readText(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8');
}

test('the steps of the Dockerfile produce an image that serves', async () => {
  const folders = new Map<string | undefined, string>([
    [undefined, ROOT],
    ['build', sandbox.path('build')],
    ['image', sandbox.path('image')],
  ]);
  for (const [name, stage] of [
    ['build', build],
    ['image', image],
  ] as const) {
    const folder = folders.get(name) ?? '';
    mkdirSync(folder);
    for (const { sources, stage: from, target } of copiesOf(stage)) {
      for (const source of sources) copy(folders.get(from) ?? '', source, join(folder, target));
    }
    if (name === 'build') linkPackages(folder);
    for (const step of textsOf(stage, 'RUN')) runStep(step, folder);
  }
  const installed = globSync('node_modules/{*,@*/*}/package.json', {
    cwd: folders.get('image') ?? '',
  });
  const names = installed.map((file) => basename(dirname(file)));
  // The dependencies of `pg` are included.
  const others = names.filter((name) => !/^(pg|postgres-|split2$|xtend$)/.test(name));
  assert.deepEqual(others.sort(), ['jose', 'yaml']);
  assert.ok(names.includes('pg'));
  await serve(folders.get('image') ?? '');
});

/** Like Docker: copies the contents of a folder, and a file into a target that ends with a slash. */
function copy(from: string, source: string, target: string): void {
  const path = join(from, source.replace(/^\/build\//, ''));
  const isInto = target.endsWith('/') || target.endsWith('/.');
  cpSync(path, isInto ? join(target, basename(source)) : target, {
    recursive: true,
    // Files that are not sent to Docker.
    filter: (each) => from !== ROOT || isSent(ignoreFile, each.slice(ROOT.length + 1)),
  });
}

/**
 * Links the packages of the checkout, so that the build finds them installed: a new installation takes
 * minutes and a network, and every fresh clone tests it. npm overwrites one file in place, so that one is
 * copied.
 */
function linkPackages(folder: string): void {
  // Resolves links: a symbolic link would be copied as a link, and pruning would follow it.
  const from = realpathSync(join(ROOT, 'node_modules'));
  const to = join(folder, 'node_modules');
  const linked = spawnSync('cp', ['-al', from, to]);
  if (linked.status !== 0) execFileSync('cp', ['-a', from, to]);
  rmSync(join(to, '.package-lock.json'));
  cpSync(join(from, '.package-lock.json'), join(to, '.package-lock.json'));
}

/** Runs a step as written, with paths and owner of this machine. */
function runStep(step: string, folder: string): void {
  const command = step
    .replace('/var/lib/gridkeep', join(folder, 'data'))
    .replace('-o node -g node', `-o ${userInfo().username}`);
  execFileSync('sh', ['-ec', command], {
    cwd: folder,
    env: {
      HOME: process.env['HOME'] ?? '',
      PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      npm_config_offline: 'true',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function serve(folder: string): Promise<void> {
  assert.deepEqual(JSON.parse(textsOf(image, 'ENTRYPOINT')[0] ?? ''), [
    'node',
    '/opt/gridkeep/dist/main.js',
  ]);
  const [command = '', ...flags] = JSON.parse(textsOf(image, 'CMD')[0] ?? '[]') as string[];
  const args = flags.map((flag) => flag.replace('/var/lib/gridkeep', join(folder, 'data')));
  const main = join(folder, 'dist', 'main.js');
  // Others can reach it, and it has no authentication.
  const refused = await sandbox.runProcess([command, ...args], { main });
  assert.equal(refused.code, 2);
  assert.match(refused.err, /without authentication/);
  const server = await sandbox.startProcess([...args, '--insecure'], { main });
  const port = new URL(server.url).port;
  // Flags, environment and config file set the address.
  writeFileSync(join(folder, 'gridkeep.yaml'), `http: { host: 0.0.0.0, port: ${port} }\n`);
  const ask = (flags: readonly string[], env: Record<string, string>): number | null =>
    spawnSync(process.execPath, [join(folder, 'healthcheck.mjs'), ...flags], { cwd: folder, env })
      .status;
  assert.equal(ask([], {}), 0);
  assert.equal(ask([], { GRIDKEEP_HTTP_PORT: '1' }), 1);
  assert.equal(ask(['--port', port], { GRIDKEEP_HTTP_PORT: '1' }), 0);
  assert.equal((await server.stop()).code, 0);
  assert.equal(ask([], {}), 1);
}
