// A store without access: each cause has its own message, and wrong file modes are corrected where
// possible.

import assert from 'node:assert/strict';
import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { hashPassword } from '../../src/http/auth/password-hash.ts';
import { MAIN } from '../program.ts';
import { CommandSandbox, toLines } from './command.ts';

/** A user other than root and the one that runs the tests. */
const NOBODY = 65_534;

const sandbox = CommandSandbox.open(async (place) => {
  // Other users must be able to enter the directory.
  chmodSync(place.directory, 0o755);
  const args = ['import', '--data', 'model', '--region', 'r', '--create'];
  const { code, err } = await place.run(args, { input: [toLines({ a: '{}' })] });
  assert.equal(code, 0, err);
});

/** A copy of the model for one test. */
function copyStore(name: string): string {
  const path = sandbox.path(name);
  rmSync(path, { recursive: true, force: true });
  cpSync(sandbox.path('model'), path, { recursive: true });
  return path;
}

/** Options to run as another user, because root may do anything; undefined if not possible. */
function asNobody(t: TestContext, directory: string): SpawnSyncOptions | undefined {
  if (process.getuid?.() !== 0) {
    t.skip('only root can run the command as another user');
    return undefined;
  }
  chownSync(directory, NOBODY, NOBODY);
  for (const name of readdirSync(directory)) chownSync(join(directory, name), NOBODY, NOBODY);
  return { uid: NOBODY, gid: NOBODY };
}

/** The error output of a command that must fail. */
async function fail(args: readonly string[]): Promise<string> {
  const { code, err } = await sandbox.run(args);
  assert.equal(code, 1, err);
  return err;
}

/** `fail` in a process of another user. */
function failAs(args: readonly string[], options: SpawnSyncOptions): string {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    cwd: '/',
    ...options,
    encoding: 'utf8',
  });
  assert.equal(status, 1, String(stderr));
  return String(stderr);
}

function start(directory: string): readonly string[] {
  return ['start', '--port', '0', '--data', directory];
}

test('a directory in place of the data file is reported', async () => {
  const directory = copyStore('directory');
  const file = join(directory, 'gridkeep.db');
  renameSync(file, join(directory, 'aside'));
  mkdirSync(file);
  for (const args of [start(directory), ['export', '--data', directory, '--region', 'r']]) {
    assert.equal(await fail(args), `gridkeep: ${file} cannot be used: it is not a file\n`);
  }
});

test('a store of a newer format is reported', async () => {
  const directory = copyStore('newer');
  const file = join(directory, 'gridkeep.db');
  const database = new DatabaseSync(file);
  database.exec('PRAGMA user_version = 99');
  database.close();
  for (const args of [start(directory), ['export', '--data', directory, '--region', 'r']]) {
    assert.match(await fail(args), /^gridkeep: .*gridkeep\.db has format 99; this gridkeep knows/);
  }
});

test('files without permission are named, with the missing permission', (t) => {
  const directory = copyStore('modes');
  const options = asNobody(t, directory);
  if (options === undefined) return;
  const file = join(directory, 'gridkeep.db');
  chmodSync(file, 0o400);
  assert.equal(
    failAs(start(directory), options),
    `gridkeep: ${file} cannot be used: it cannot be written: permission denied\n`,
  );
  chmodSync(file, 0);
  assert.equal(
    failAs(start(directory), options),
    `gridkeep: ${file} cannot be used: it cannot be read: permission denied\n`,
  );
});

test('wrong modes of files beside the data file are corrected', async (t) => {
  const directory = copyStore('sidecars');
  for (const name of ['gridkeep.lock', 'gridkeep.db-wal', 'gridkeep.db-shm']) {
    writeFileSync(join(directory, name), '');
    chmodSync(join(directory, name), 0o400);
  }
  const options = asNobody(t, directory);
  if (options === undefined) return;
  const args = ['import', '--data', directory, '--region', 'r'];
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    cwd: '/',
    ...options,
    input: toLines({ b: '{}' }),
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});

test('a directory and files that others can read lose that permission', async () => {
  const directory = copyStore('open');
  chmodSync(directory, 0o755);
  chmodSync(join(directory, 'gridkeep.db'), 0o644);
  const server = await sandbox.start(['--data', directory]);
  const modes = [directory, ...readdirSync(directory).map((name) => join(directory, name))].map(
    (path) => statSync(path).mode & 0o077,
  );
  const { err } = await server.stop();
  const warning = `${directory} was open to other users: now its owner alone can use it`;
  assert.equal(err.split(JSON.stringify(warning)).length, 2, err);
  assert.match(err, /"level":"warn","event":"open-to-others"/);
  const again = await sandbox.start(['--data', directory]);
  assert.doesNotMatch((await again.stop()).err, /open-to-others/);
  assert.ok(modes.length > 3);
  assert.deepEqual(new Set(modes), new Set([0]));
});

test('a config file with secrets that others can read causes a warning', async () => {
  const file = sandbox.path('secrets.yaml');
  const hash = hashPassword('correct horse battery staple');
  const warning = 'secrets.yaml holds secrets, and others can read it: chmod o-rwx secrets.yaml';
  const user = { name: 'ada', permissions: ['*'] };
  for (const { mode, settings, environment = {}, isWarned } of [
    {
      mode: 0o644,
      settings: { auth: { users: [{ ...user, 'password-hash': await hash }] } },
      isWarned: true,
    },
    {
      mode: 0o640,
      settings: { auth: { users: [{ ...user, 'password-hash': await hash }] } },
      isWarned: false,
    },
    { mode: 0o604, settings: { tls: { 'key-passphrase': 'secret' } }, isWarned: true },
    { mode: 0o644, settings: { regions: [{ name: 'orders' }] }, isWarned: false },
    {
      mode: 0o644,
      settings: { auth: { users: [{ ...user, 'password-hash-env': 'GRIDKEEP_SECRET_ADA' }] } },
      environment: { GRIDKEEP_SECRET_ADA: await hash },
      isWarned: false,
    },
  ]) {
    writeFileSync(file, JSON.stringify(settings));
    chmodSync(file, mode);
    const options = { environment };
    const { code, err } = await sandbox.run(['config', '--config', 'secrets.yaml'], options);
    assert.deepEqual({ code, err }, { code: 0, err: isWarned ? `gridkeep: ${warning}\n` : '' });
  }
  writeFileSync(
    file,
    JSON.stringify({ auth: { users: [{ ...user, 'password-hash': await hash }] } }),
  );
  chmodSync(file, 0o644);
  const server = await sandbox.start(['--memory', '--config', 'secrets.yaml']);
  const { err } = await server.stop();
  assert.match(err, /"level":"warn","event":"open-to-others","note":"secrets\.yaml holds secrets/);
});

test('too few file descriptors are reported', () => {
  const directory = copyStore('descriptors');
  // The exact limit depends on Node, which needs some itself.
  const refusals = new Set<string>();
  for (let limit = 24; limit <= 36; limit += 4) {
    const args = [process.execPath, MAIN, 'import', '--data', directory, '--region', 'r'];
    const { stderr } = spawnSync('sh', ['-c', `ulimit -n ${limit}; exec "$0" "$@"`, ...args], {
      input: toLines({ b: '{}' }),
      encoding: 'utf8',
    });
    for (const line of stderr.split('\n')) if (line.startsWith('gridkeep:')) refusals.add(line);
  }
  assert.ok(refusals.size > 0, 'some start had too few');
  for (const line of refusals) assert.match(line, /cannot be used: too many files are open/);
});
