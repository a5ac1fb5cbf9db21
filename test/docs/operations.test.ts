// Checks docs/operations.md: its drill runs, and its metrics, settings and files exist.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { SETTING_PATHS } from '../../src/config/setting-names.ts';
import { CommandSandbox } from '../operations/command.ts';
import { COMPILE_CACHE, MAIN, ROOT } from '../program.ts';

const sandbox = CommandSandbox.open();
const page = readFileSync(join(ROOT, 'docs', 'operations.md'), 'utf8');

test('the drill runs as written, and restores the lost data', () => {
  const script = /### The drill[\s\S]*?```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  assert.match(script, /gridkeep restore/);
  const tools = sandbox.path('tools');
  mkdirSync(tools);
  const command = join(tools, 'gridkeep');
  writeFileSync(command, `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
  chmodSync(command, 0o755);
  const out = execFileSync('sh', ['-c', script], {
    cwd: sandbox.directory,
    env: { ...COMPILE_CACHE, PATH: `${tools}${delimiter}${process.env['PATH'] ?? ''}` },
    encoding: 'utf8',
  });
  assert.match(out, /\nok\n *1000\n$/);
});

test('every metric that it names exists', async () => {
  const server = await sandbox.start(['--memory', '--sample']);
  await (await fetch(`${server.url}/grid-api/v1/queries/customers-in-city`)).arrayBuffer();
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  await server.stop();
  const named = new Set([...page.matchAll(/`((?:gridkeep|process)_[a-z_]+)/g)].map((m) => m[1]));
  assert.ok(named.size > 10);
  const unknown = [...named].filter((name) => !metrics.includes(`# TYPE ${name} `));
  assert.deepEqual(unknown, []);
});

test('every setting and every file of the package that it names exists', () => {
  const groups = new Set(SETTING_PATHS.map((path) => path.split('.')[0]));
  const named = [...page.matchAll(/`([a-z]+)\.([a-z-]+)`/g)].filter(([, group]) =>
    groups.has(group ?? ''),
  );
  assert.ok(named.length > 4);
  const known: readonly string[] = SETTING_PATHS;
  assert.deepEqual(
    named.map(([, group, name]) => `${group}.${name}`).filter((path) => !known.includes(path)),
    [],
  );
  for (const [, file = ''] of page.matchAll(/\b(deploy\/[\w.-]+)/g)) {
    assert.ok(existsSync(join(ROOT, file)), file);
  }
});
