// The package as it would be published: packed, installed into an empty folder, run and imported.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { ROOT } from '../program.ts';
import { findRegistryObstacle } from './registry.ts';

const obstacle = await findRegistryObstacle();
const TOOLS = join(ROOT, 'node_modules', '.bin');
/** Node 26 is first on the path, as for a user of the package. */
const environment = { ...process.env, PATH: `${TOOLS}${delimiter}${process.env['PATH'] ?? ''}` };

describe('the published package', { skip: obstacle ?? false }, () => {
  let directory: string;
  let app: string;
  let files: readonly string[];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gridkeep-package-'));
    app = join(directory, 'app');
    mkdirSync(app);
    writeFileSync(join(app, 'package.json'), '{"name":"app","private":true,"type":"module"}');
    // Packing builds first, through the script `prepack`.
    const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', directory], {
      cwd: ROOT,
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    files = [...packed.matchAll(/"path": "([^"]+)"/g)].map(([, path]) => path ?? '');
    const { version } = readJson(join(ROOT, 'package.json'));
    const args = ['install', '--no-audit', '--no-fund', '--prefer-offline'];
    execFileSync('npm', [...args, join(directory, `gridkeep-${String(version)}.tgz`)], {
      cwd: app,
      env: environment,
      stdio: 'ignore',
    });
  });

  after(() => rm(directory, { recursive: true }));

  test('has the program, its types and its documents, and no tests or tools', () => {
    for (const needed of [
      'dist/main.js',
      'dist/program/run-command.js',
      'dist/program/writer-thread.js',
      'dist/program/checkpoint-thread.js',
      'dist/program/licenses.md',
      'dist/app/index.d.ts',
      'dist/client/index.js',
      'dist/client/index.d.ts',
      'dist/oql/index.d.ts',
      'dist/engine/sqlite/writer-thread.js',
      'dist/http/documentation/page.html',
      'dist/console/index.html',
      'deploy/gridkeep.service',
      'docs/operations.md',
      'README.md',
      'LICENSE',
    ]) {
      assert.ok(files.includes(needed), `${needed} is missing`);
    }
    const strange = files.filter((path) =>
      /(^|\/)(src|test|bench|data)\/|\.test\.|\/\./.test(path),
    );
    assert.deepEqual(strange, []);
  });

  test('installs its executable command and only the packages it needs', () => {
    const command = join(app, 'node_modules', '.bin', 'gridkeep');
    accessSync(command, constants.X_OK);
    assert.match(readFileSync(command, 'utf8'), /^#!\/usr\/bin\/env node\n/);
    const { packages } = readJson(join(app, 'node_modules', '.package-lock.json'));
    assert.deepEqual(Object.keys(packages ?? {}).sort(), [
      'node_modules/gridkeep',
      'node_modules/jose',
      // The driver for PostgreSQL and its dependencies.
      'node_modules/pg',
      'node_modules/pg-cloudflare',
      'node_modules/pg-connection-string',
      'node_modules/pg-int8',
      'node_modules/pg-pool',
      'node_modules/pg-protocol',
      'node_modules/pg-types',
      'node_modules/pgpass',
      'node_modules/postgres-array',
      'node_modules/postgres-bytea',
      'node_modules/postgres-date',
      'node_modules/postgres-interval',
      'node_modules/split2',
      'node_modules/xtend',
      'node_modules/yaml',
    ]);
  });

  test('runs: npx gridkeep start answers and can be stopped', async () => {
    const child = spawn('npx', ['--no', 'gridkeep', 'start', '--port', '0', '--memory'], {
      cwd: app,
      env: environment,
      // A separate process group, because npx starts processes between the test and the service.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'close');
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    try {
      const line = await new Promise<string>((resolve, reject) => {
        createInterface(child.stdout).once('line', resolve);
        void ended.then(() => reject(new Error(`it ended before it listened: ${err}`)));
      });
      const url = line.replace('gridkeep listening on ', '');
      assert.equal((await fetch(`${url}/grid-api/v1/ping`)).status, 200);
      const page = await fetch(`${url}/docs`);
      assert.equal(page.status, 200);
      await page.arrayBuffer();
      const console = await fetch(url);
      assert.equal(console.url, `${url}/console/`);
      assert.equal(console.status, 200);
      await console.arrayBuffer();
    } finally {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    }
    await ended;
    assert.match(err, /"service-stopped"/);
  });

  test('can be imported, with its types', () => {
    writeFileSync(
      join(app, 'use.ts'),
      `import { startService, loadConfig, type RunningService } from 'gridkeep';
import { ClientError, GridClient, type KeyedValue } from 'gridkeep/client';
import { OqlError } from 'gridkeep/oql';
const client: GridClient = new GridClient({ url: 'http://127.0.0.1:7070' });
const entry: KeyedValue<string> = { key: 'a', value: '{}' };
// @ts-expect-error a value is text
const wrong: KeyedValue<string> = { key: 'a', value: 7 };
export const used: readonly unknown[] = [startService, loadConfig, ClientError, OqlError, client, entry, wrong];
export type Used = RunningService;
`,
    );
    writeFileSync(
      join(app, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'es2024',
          module: 'nodenext',
          strict: true,
          noEmit: true,
          types: ['node'],
          typeRoots: [join(ROOT, 'node_modules', '@types')],
        },
        files: ['use.ts'],
      }),
    );
    execFileSync(join(TOOLS, 'tsc'), ['-p', app], { env: environment, stdio: 'inherit' });
    execFileSync(
      process.execPath,
      ['-e', "for (const door of ['', '/client', '/oql']) await import('gridkeep' + door)"],
      { cwd: app, stdio: 'inherit' },
    );
  });
});

function readJson(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>; // files of npm
}
