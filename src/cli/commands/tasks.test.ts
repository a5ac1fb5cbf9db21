// Runs the commands that work on data inside this process, and checks what they print, draw and
// return. test/operations runs them as processes, beside servers.

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { runCli } from '../cli.ts';
import { FakeTerminal } from '../testing/fake-terminal.ts';

let workingDirectory: string;

const LINES = ['a', 'b', 'c'].map((key) => `{"key":"${key}","value":{"n":1.0}}\n`).join('');

before(async () => {
  workingDirectory = await mkdtemp(join(tmpdir(), 'gridkeep-tasks-'));
  const made = await run(['import', '--data', 'model', '--region', 'r', '--create'], LINES);
  assert.equal(made.code, 0, made.err);
});

after(async () => {
  await rm(workingDirectory, { recursive: true });
});

interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly drawn: string;
  readonly piped: string;
}

async function run(args: readonly string[], piped = ''): Promise<CommandResult> {
  const terminal = new FakeTerminal(workingDirectory, { piped });
  const code = await runCli(args, terminal);
  const { drawn, err, out, pipes } = terminal;
  pipes.output.end();
  return { code, out: toText(out), err: toText(err), drawn, piped: await text(pipes.output) };
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function path(name: string): string {
  return join(workingDirectory, name);
}

test('each command has its help', async () => {
  for (const command of ['check', 'backup', 'restore', 'export', 'import']) {
    const { code, out } = await run([command, '--help']);
    assert.equal(code, 0);
    assert.ok(out.startsWith(`gridkeep ${command} `), out);
  }
});

test('a progress bar is drawn during the work and erased at the end', async () => {
  const { code, drawn, out } = await run(['check', '--data', 'model']);
  assert.equal(code, 0);
  assert.match(out, /r +REPLICATE +3 entries +27 bytes +ok\nok\n$/);
  assert.match(drawn, /checking ░+ 0 %/);
  assert.ok(drawn.endsWith('\r\u001b[K'));
});

test('backup and restore, and the cases that each refuses', async () => {
  const backup = ['backup', '--data', 'model', '--to', 'copy.db'];
  const made = await run(backup);
  assert.equal(made.code, 0, made.err);
  assert.match(made.drawn, /checking the copy/);
  assert.equal((await run(backup)).err, 'gridkeep: copy.db exists; --force replaces it\n');
  const restore = ['restore', '--from', 'copy.db', '--data', 'again'];
  assert.match((await run(restore)).out, /^again: restored as of commit \d+\n$/);
  assert.match((await run(restore)).err, /^gridkeep: again is not empty; --force/);
  assert.equal((await run([...restore, '--force'])).code, 0);
  const { piped } = await run(['export', '--data', 'again', '--region', 'r']);
  assert.equal(piped, LINES);
  writeFileSync(path('bad.db'), readFileSync(path('copy.db')).fill(0, 4096, 4196));
  const bad = await run(['restore', '--from', 'bad.db', '--data', 'never']);
  assert.equal(bad.code, 1);
  assert.match(bad.err, /^gridkeep: bad\.db is damaged; nothing was restored\n- /);
  assert.ok(!readdirSync(workingDirectory).includes('never'));
});

test('a backup never overwrites its own store', async () => {
  symlinkSync(path('model/gridkeep.db'), path('link.db'));
  const before = readFileSync(path('model/gridkeep.db'));
  for (const to of [
    'model/gridkeep.db',
    'model/gridkeep.db-wal',
    'model/gridkeep.lock',
    'link.db',
  ]) {
    const { code, err } = await run(['backup', '--data', 'model', '--to', to, '--force']);
    assert.deepEqual(
      { code, err },
      { code: 1, err: `gridkeep: ${to} is a file of the store itself\n` },
    );
  }
  assert.ok(readFileSync(path('model/gridkeep.db')).equals(before));
});

test('an interrupted restore can be repeated', async () => {
  mkdirSync(path('interrupted'));
  writeFileSync(path('interrupted/gridkeep.db.new'), 'half');
  await run(['backup', '--data', 'model', '--to', 'whole.db']);
  const { code, err } = await run(['restore', '--from', 'whole.db', '--data', 'interrupted']);
  assert.deepEqual({ code, err }, { code: 0, err: '' });
  assert.equal((await run(['check', '--data', 'interrupted'])).code, 0);
});

test('a damaged store is reported with all findings, and not backed up', async () => {
  await run(['restore', '--from', 'copy.db', '--data', 'hurt']);
  await run(['backup', '--data', 'model', '--to', 'hurt.db']);
  await run(['restore', '--from', 'hurt.db', '--data', 'hurt', '--force']);
  const file = path('hurt/gridkeep.db');
  writeFileSync(file, readFileSync(file).fill(0, 4096, 4196));
  const checked = await run(['check', '--data', 'hurt']);
  assert.equal(checked.code, 1);
  assert.match(checked.out, /\ndamaged: \d+ problems?\n- /);
  const { code, err } = await run(['backup', '--data', 'hurt', '--to', 'hurt.copy']);
  assert.equal(code, 1);
  assert.match(err, /no backup was made\n- /);
  assert.ok(!readdirSync(workingDirectory).some((name) => name.startsWith('hurt.copy')));
});

test('a whole grid as files, and back', async () => {
  const all = ['--data', 'model', '--all'];
  const exported = await run(['export', ...all, '--to', 'all', '--compress', 'gzip']);
  assert.equal(exported.out, 'all: 3 entries of 1 region, 0 named queries\n');
  assert.match((await run(['export', ...all, '--to', 'all'])).err, /all holds an export; --force/);
  const args = ['import', '--data', 'copied', '--all', '--from', 'all'];
  assert.match((await run(args)).err, /there is no region r; --create makes it/);
  assert.equal((await run([...args, '--create'])).out, 'r: 3 entries from all/r.ndjson.gz\n');
  const manifest = readFileSync(path('all/manifest.json'), 'utf8');
  writeFileSync(path('all/manifest.json'), manifest.replace('"entries": 3', '"entries": 4'));
  assert.match((await run(args)).err, /has 3 entries, but 4 were exported/);
  for (const [broken, reason] of [
    ['{', 'it is not JSON'],
    ['{}', 'it is not an export of gridkeep'],
    [manifest.replace('"version": 1', '"version": 2'), 'it has version 2'],
    [manifest.replace('"r.ndjson.gz"', '"../r.ndjson.gz"'), 'is not whole'],
  ] as const) {
    writeFileSync(path('all/manifest.json'), broken);
    const { code, err } = await run(args);
    assert.equal(code, 1);
    assert.ok(err.includes(reason), err);
  }
});

test('an import draws its progress, and reports each bad entry on a separate line', async () => {
  writeFileSync(path('some.ndjson'), LINES);
  const args = ['import', '--data', 'filled', '--region', 'r', '--create', '--from'];
  const good = await run([...args, 'some.ndjson']);
  assert.equal(good.out, 'r: 3 entries from some.ndjson\n');
  writeFileSync(path('some.ndjson'), `${LINES}{"key":"d","value":7}\n`);
  const bad = await run([...args, 'some.ndjson']);
  assert.equal(bad.code, 1);
  assert.match(bad.err, /^gridkeep: some\.ndjson, lines 1 to 4: .*; nothing was written\n$/);
  assert.match((await run([...args, 'absent.ndjson'])).err, /absent\.ndjson: no such file/);
});

test('wrong flags and missing paths are refused', async () => {
  for (const [args, code, problem] of [
    [['check', '--dta', 'x'], 2, 'unknown flag --dta; did you mean --data?'],
    [['check', '-d'], 2, 'unknown flag -d'],
    [['check', '--data'], 2, '--data needs a value'],
    [['check', 'x'], 2, 'unexpected argument x'],
    [['check', '--config', 'absent.yaml'], 2, 'absent.yaml does not exist'],
    [['restore', '--from', 'x'], 2, 'restore needs --from FILE and --data DIR'],
    [['backup', '--to', 'x', '--to', 'y'], 2, '--to is given twice'],
    [['backup', '--force=yes', '--to', 'x'], 2, '--force takes no value'],
    [['export', '--data', 'd', '--region', 'r', '--compress', 'gzip'], 2, '--compress goes with'],
    [['export', '--data', 'd', '--all', '--to', 'x', '--compress', 'rar'], 2, '--compress must be'],
    [['export', '--url', 'http://a:b@c', '--region', 'r'], 2, '--url: the address must not hold'],
    [['export', '--data', 'model', '--region', 'none'], 1, 'there is no region none'],
    [['export', '--data', 'nowhere', '--region', 'r'], 1, 'There is no store at'],
    [['check', '--data', 'nowhere'], 1, 'There is no store at'],
    [['restore', '--from', 'nowhere', '--data', 'x'], 1, 'There is no store at'],
    [['export', '--url', 'http://127.0.0.1:1', '--region', 'r'], 1, 'http://127.0.0.1:1 does not'],
  ] as const) {
    const finished = await run(args);
    assert.equal(finished.code, code, args.join(' '));
    assert.ok(finished.err.startsWith(`gridkeep: ${problem}`), finished.err);
    assert.equal(finished.err.split('\n').length, 2, 'one sentence');
  }
  const { code, err } = await run(['check', '--data', join('model', 'gridkeep.db')]);
  assert.equal(code, 1);
  assert.match(
    err,
    /model\/gridkeep\.db cannot be used: it is no directory; `gridkeep restore` checks/,
  );
});
