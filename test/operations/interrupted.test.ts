// Commands that are interrupted, whose output is closed or full, or whose target cannot be used.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MAIN, ROOT } from '../program.ts';
import { CommandSandbox, toLines } from './command.ts';

const sandbox = CommandSandbox.open();

/** Runs a module in a separate process, and returns its exit code. A thread needs it in a file. */
async function runModule(text: string): Promise<unknown> {
  mkdirSync(sandbox.path('modules'), { recursive: true });
  const file = sandbox.path('modules', `${readdirSync(sandbox.path('modules')).length}.mjs`);
  writeFileSync(file, text);
  const child = spawn(process.execPath, [file], {
    cwd: sandbox.directory,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  return code;
}

function source(...names: readonly string[]): string {
  return JSON.stringify(join(ROOT, 'src', ...names));
}

test('an interrupted export leaves no file', async () => {
  mkdirSync(sandbox.path('export'));
  const code = await runModule(`
    import { readdirSync } from 'node:fs';
    import { writeLineFile } from ${source('cli', 'transfer', 'line-files.ts')};
    async function* lines() {
      yield '{}\\n';
      while (readdirSync('export').length === 0) await new Promise((done) => setTimeout(done, 5));
      process.kill(process.pid, 'SIGTERM');
      await new Promise((done) => setTimeout(done, 60_000));
    }
    await writeLineFile('export/orders.ndjson', lines());
  `);
  assert.equal(code, 143);
  assert.deepEqual(readdirSync(sandbox.path('export')), []);
});

/** Runs a command that gets a signal when the folder has a file and the progress bar has this word. */
function interrupt(args: readonly string[], folder: string, word: string): Promise<unknown> {
  return runModule(`
    import { readdirSync } from 'node:fs';
    import { runCli } from ${source('cli', 'cli.ts')};
    await runCli(${JSON.stringify(args)}, {
      print: console.log,
      printError: console.error,
      draw: (text) => {
        if (text.includes('${word}') && readdirSync('${folder}').length > 0) process.emit('SIGINT');
      },
      workingDirectory: process.cwd(),
    });
  `);
}

test('an interrupted backup or restore leaves no file', async () => {
  const text = JSON.stringify({ text: 'x'.repeat(4_000_000) });
  const input = [toLines({ a: text, b: text })];
  const { code: imported, err } = await sandbox.run(
    ['import', '--data', 'large', '--region', 'r', '--create'],
    { input },
  );
  assert.equal(imported, 0, err);
  assert.equal((await sandbox.run(['backup', '--data', 'large', '--to', 'large.db'])).code, 0);
  mkdirSync(sandbox.path('backup'));
  const before = readdirSync(sandbox.directory);
  const backup = ['backup', '--data', 'large', '--to', 'backup/b.db'];
  const restore = ['restore', '--from', 'large.db', '--data', 'new/restored'];
  assert.deepEqual(
    await Promise.all([
      interrupt(backup, 'backup', 'checking'),
      interrupt(restore, 'new/restored', 'copying'),
    ]),
    [130, 130],
  );
  assert.deepEqual(readdirSync(sandbox.directory), before);
  assert.deepEqual(readdirSync(sandbox.path('backup')), []);
});

test('an export that is replaced has no manifest until it is complete', async () => {
  const input = [toLines({ a: '{}' })];
  await sandbox.run(['import', '--data', 'small', '--region', 'r', '--create'], { input });
  const all = ['export', '--data', 'small', '--all', '--to', 'all'];
  assert.equal((await sandbox.run(all)).code, 0);
  assert.deepEqual(readdirSync(sandbox.path('all')), ['manifest.json', 'r.ndjson']);
  assert.equal((await sandbox.run([...all, '--force'])).code, 0);
  // A file of the old export that the new one does not have would be taken for a part of it.
  assert.equal((await sandbox.run([...all, '--force', '--compress', 'zstd'])).code, 0);
  assert.deepEqual(readdirSync(sandbox.path('all')), ['manifest.json', 'r.ndjson.zst']);
  assert.equal((await sandbox.run([...all, '--force'])).code, 0);
  // A directory in the place of a file makes the next export fail half-way.
  mkdirSync(sandbox.path('all', 'r.ndjson.gz'));
  const again = await sandbox.run([...all, '--compress', 'gzip', '--force']);
  assert.equal(again.code, 1);
  assert.match(again.err, /r\.ndjson\.gz: illegal operation on a directory\n$/);
  assert.deepEqual(readdirSync(sandbox.path('all')), ['r.ndjson', 'r.ndjson.gz']);
});

test('targets that are not files, and empty values of flags, are refused', async () => {
  mkdirSync(sandbox.path('folder'));
  const flags = ['export', '--data', 'small', '--region', 'r', '--to'];
  const folder = await sandbox.run([...flags, 'folder', '--force']);
  assert.equal(folder.code, 1);
  assert.equal(folder.err, 'gridkeep: folder exists and is not a file; name another one\n');
  const backup = await sandbox.run(['backup', '--data', 'small', '--to', 'folder', '--force']);
  assert.equal(backup.code, 1);
  assert.equal(backup.err, folder.err);
  const nowhere = await sandbox.run(['backup', '--data', 'small', '--to', 'nowhere/b.db']);
  assert.equal(nowhere.code, 1);
  const target = sandbox.path('nowhere', 'b.db');
  assert.equal(nowhere.err, `gridkeep: ${target}: no such file or directory\n`);
  const empty = await sandbox.run([...flags, '']);
  assert.deepEqual([empty.code, empty.err], [2, 'gridkeep: --to needs a value\n']);
});

test('addresses in the place of directories, and wrong addresses, are refused', async () => {
  const wrong = 'postgres://u@127.0.0.1/d?shema=x';
  const problem =
    'gridkeep: store.url: parameter shema is not one of sslmode, sslrootcert, schema\n';
  const neither = 'gridkeep: mysql://h/d is neither a directory nor postgres://…\n';
  const own = 'gridkeep: --data must be a directory; a database is restored with its own tools\n';
  const before = readdirSync(sandbox.directory);
  for (const [args, code, err] of [
    [['check', '--store', wrong], 2, problem],
    [['export', '--store', wrong, '--region', 'r'], 2, problem],
    [['move', '--from', 'small', '--to', wrong], 2, problem],
    [['move', '--from', 'small', '--to', 'mysql://h/d'], 2, neither],
    [
      ['move', '--from', 'small', '--to', './small/'],
      2,
      'gridkeep: --from and --to are the same store\n',
    ],
    [['restore', '--from', 'x.db', '--data', 'postgres://u@h/d'], 2, own],
    [
      ['move', '--from', 'nowhere', '--to', 'new'],
      1,
      `gridkeep: There is no store at ${sandbox.path('nowhere', 'gridkeep.db')}\n`,
    ],
  ] as const) {
    const end = await sandbox.run(args);
    assert.deepEqual([end.code, end.err], [code, err]);
  }
  assert.deepEqual(readdirSync(sandbox.directory), before);
});

test('output that cannot be written is a failure', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'make-api-key'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  assert.equal(stderr, 'gridkeep: standard output: no space left on device\n');
  assert.equal(status, 1);
});

test('a service whose standard output cannot be written continues', async () => {
  const child = spawn(process.execPath, [MAIN, 'start', '--memory', '--port', '0'], {
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  });
  const ended = once(child, 'exit');
  assert.ok(child.stderr);
  const [line] = await once(child.stderr, 'data');
  const { url } = JSON.parse(String(line).split('\n')[0] ?? '');
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal((await fetch(`${url}/livez`)).status, 200);
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});
