// check, backup and restore, beside a server and without one.

import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { entriesTable } from '../../src/engine/sqlite/schema.ts';
import { CommandSandbox, type RunningServer, toLines } from './command.ts';

const sandbox = CommandSandbox.open(async (place) => {
  const lines = toLines(
    Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`k${i}`, `{"i":${i},"price":1.50}`])),
  );
  const args = ['import', '--data', 'model', '--region', 'orders', '--create'];
  const { code, err } = await place.run(args, { input: [lines] });
  assert.equal(code, 0, err);
});

/** A store of 700 orders. */
function makeStore(name: string): string {
  const data = sandbox.path(name);
  cpSync(sandbox.path('model'), data, { recursive: true });
  return data;
}

async function put(server: RunningServer, keys: string, body: string): Promise<void> {
  const answer = await fetch(`${server.url}/grid-api/v1/orders?keys=${keys}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body,
  });
  assert.equal(answer.status, 200);
}

function tableOf(database: DatabaseSync): string {
  const row = database.prepare("SELECT id FROM regions WHERE name = 'orders'").get();
  return entriesTable(Number(row?.['id']));
}

/** Names and contents of everything in a directory. */
function contentsOf(directory: string): ReadonlyMap<string, string> {
  return new Map(
    readdirSync(directory).map((name) => [name, readFileSync(`${directory}/${name}`, 'latin1')]),
  );
}

test('a sound store is reported region by region, with ok and exit code 0, and not changed', async () => {
  const data = makeStore('sound');
  const before = contentsOf(data);
  const { code, err, out } = await sandbox.run(['check', '--data', data]);
  assert.equal(err, '', 'a bar is for terminals');
  assert.equal(code, 0);
  assert.match(out, /^ {2}orders +REPLICATE +700 entries +\d+ bytes +ok$/m);
  assert.match(out, /\nok\n$/);
  assert.deepEqual(contentsOf(data), before);
});

test('check finds the data directory as start does', async () => {
  makeStore('configured');
  writeFileSync(sandbox.path('some.yaml'), 'store:\n  directory: configured\n');
  const { code, out } = await sandbox.run(['check', '--config', 'some.yaml']);
  assert.equal(code, 0);
  assert.match(out, /configured\/gridkeep\.db/);
});

test('a store in use is checked and backed up without disturbing the server', async () => {
  const data = makeStore('in-use');
  const server = await sandbox.startProcess(['--data', data]);
  await put(server, 'k1', '{"late":true}');
  const checked = await sandbox.run(['check', '--data', data]);
  assert.deepEqual([checked.code, checked.err], [0, '']);
  const { code, out } = await sandbox.run(['backup', '--data', data, '--to', 'in-use.backup']);
  assert.equal(code, 0);
  assert.match(out, /^in-use\.backup: 700 entries in 2 regions as of commit \d+, \d+ bytes\n$/);
  await put(server, 'k1', '{"later":true}');
  assert.equal((await server.stop()).code, 0);
});

test('a backup during writes is a snapshot with all commits acknowledged before it', async () => {
  const data = makeStore('busy');
  const server = await sandbox.startProcess(['--data', data]);
  let generation = 0;
  let isDone = false;
  const writer = (async () => {
    while (!isDone) {
      generation += 1;
      await put(server, 'left,right', `[{"g":${generation}},{"g":${generation}}]`);
    }
  })();
  while (generation < 3) await fetch(`${server.url}/livez`);
  const acknowledged = generation - 1;
  const { code, err } = await sandbox.run(['backup', '--data', data, '--to', 'busy.backup']);
  isDone = true;
  await writer;
  assert.equal(code, 0, err);
  assert.equal((await server.stop()).code, 0);

  const restored = sandbox.path('busy-restored');
  const args = ['restore', '--from', 'busy.backup', '--data', restored];
  assert.equal((await sandbox.run(args)).code, 0);
  const { out } = await sandbox.run(['export', '--data', restored, '--region', 'orders']);
  const [left, right] = ['left', 'right'].map((key) => {
    const line = out.split('\n').find((each) => each.includes(`"key":"${key}"`)) ?? '';
    return Number(/"g":(\d+)/.exec(line)?.[1]);
  });
  assert.equal(left, right, 'half of a write is in the backup');
  assert.ok((left ?? 0) >= acknowledged, `${left} is before ${acknowledged}`);
  assert.ok(generation > acknowledged);
});

test('a backup does not overwrite without --force, and leaves no incomplete file', async () => {
  const data = makeStore('twice');
  const args = ['backup', '--data', data, '--to', 'twice.backup'];
  writeFileSync(sandbox.path('twice.backup'), 'mine');
  const refused = await sandbox.run(args);
  assert.equal(refused.code, 1);
  assert.equal(refused.err, 'gridkeep: twice.backup exists; --force replaces it\n');
  assert.equal(readFileSync(sandbox.path('twice.backup'), 'utf8'), 'mine');
  assert.equal((await sandbox.run([...args, '--force'])).code, 0);
  const names = readdirSync(sandbox.directory).filter((name) => name.startsWith('twice.backup'));
  assert.deepEqual(names, ['twice.backup']);
});

test('a restored store serves the backup, and its versions continue far beyond', async () => {
  const data = makeStore('origin');
  const before = await sandbox.startProcess(['--data', data]);
  const known = await fetch(`${before.url}/grid-api/v1/orders/k1`);
  await sandbox.run(['backup', '--data', data, '--to', 'origin.backup']);
  // A version that only clients will know.
  await put(before, 'k1', '{"lost":true}');
  const lost = (await fetch(`${before.url}/grid-api/v1/orders/k1`)).headers.get('etag');
  await before.stop();

  const restored = sandbox.path('again');
  const args = ['restore', '--from', 'origin.backup', '--data', restored];
  assert.deepEqual((await sandbox.run(args)).code, 0);
  const after = await sandbox.startProcess(['--data', restored]);
  const read = await fetch(`${after.url}/grid-api/v1/orders/k1`);
  assert.equal(await read.text(), await known.text());
  assert.equal(read.headers.get('etag'), known.headers.get('etag'));
  await put(after, 'k1', '{"new":true}');
  const etag = (await fetch(`${after.url}/grid-api/v1/orders/k1`)).headers.get('etag');
  assert.notEqual(etag, lost, 'a version was used twice');
  assert.ok(Number(etag?.replaceAll('"', '')) > 2 ** 32);
  assert.equal((await after.stop()).code, 0);
});

test('restore refuses a directory with contents, and one that a server uses', async () => {
  const data = makeStore('target');
  await sandbox.run(['backup', '--data', data, '--to', 'target.backup']);
  const args = ['restore', '--from', 'target.backup', '--data', data];
  const full = await sandbox.run(args);
  assert.equal(full.code, 1);
  assert.match(full.err, /^gridkeep: .* is not empty; --force replaces the store in it\n$/);

  const server = await sandbox.startProcess(['--data', data]);
  await put(server, 'k1', '{"after":"backup"}');
  const open = await sandbox.run([...args, '--force']);
  assert.equal(open.code, 1);
  assert.equal(open.err, `gridkeep: Another server is using ${data}\n`);
  server.child.kill('SIGKILL');
  await server.stop();

  // The log that a killed server left must not be applied to the restored store.
  assert.ok(readdirSync(data).includes('gridkeep.db-wal'));
  assert.equal((await sandbox.run([...args, '--force'])).code, 0);
  const { out } = await sandbox.run(['export', '--data', data, '--region', 'orders']);
  assert.match(out, /\{"key":"k1","value":\{"i":1,"price":1\.50\}\}/);
  assert.equal((await sandbox.run(['check', '--data', data])).code, 0);
});

test('a damaged store gives exit code 1 and a list; it is neither backed up nor restored', async () => {
  const data = makeStore('broken');
  await sandbox.run(['backup', '--data', data, '--to', 'broken.backup']);
  for (const file of [sandbox.path('broken', 'gridkeep.db'), sandbox.path('broken.backup')]) {
    const database = new DatabaseSync(file);
    database.exec(`UPDATE ${tableOf(database)} SET value = '{"i":8}' WHERE "key" = 'k7'`);
    database.close();
  }
  const checked = await sandbox.run(['check', '--data', data]);
  assert.equal(checked.code, 1);
  assert.match(
    checked.out,
    /\ndamaged: 2 problems\n- region orders: key "k7": fails its checksum\n/,
  );

  const copied = await sandbox.run(['backup', '--data', data, '--to', 'never.backup']);
  assert.equal(copied.code, 1);
  assert.match(copied.err, /is damaged; no backup was made\n- region orders/);
  assert.ok(!readdirSync(sandbox.directory).some((name) => name.startsWith('never')));

  const args = ['restore', '--from', 'broken.backup', '--data', sandbox.path('never')];
  const restored = await sandbox.run(args);
  assert.equal(restored.code, 1);
  assert.match(restored.err, /^gridkeep: broken\.backup is damaged; nothing was restored\n- /);
  assert.ok(!readdirSync(sandbox.directory).includes('never'));
});

test('a forced restore of a damaged backup does not change the existing store', async () => {
  const data = makeStore('kept');
  const before = contentsOf(data);
  writeFileSync(sandbox.path('junk.backup'), Buffer.alloc(8192, 1));
  const args = ['restore', '--from', 'junk.backup', '--data', data, '--force'];
  const { code, err } = await sandbox.run(args);
  assert.equal(code, 1);
  assert.match(err, /its header is not that of a store/);
  assert.deepEqual(contentsOf(data), before);
});

test('a truncated store, and a file that is not a store, are reported as damage', async () => {
  const data = makeStore('cut');
  truncateSync(sandbox.path('cut', 'gridkeep.db'), 5000);
  const cut = await sandbox.run(['check', '--data', data]);
  assert.equal(cut.code, 1);
  assert.match(cut.out, /damaged: 1 problem\n- it has 5000 bytes instead of \d+\n$/);
  mkdirSync(sandbox.path('other'));
  writeFileSync(sandbox.path('other', 'gridkeep.db'), 'x'.repeat(5000));
  const other = await sandbox.run(['check', '--data', sandbox.path('other')]);
  assert.equal(other.code, 1);
  assert.match(other.out, /its header is not that of a store/);
});

test('a store in use is not accepted as a backup', async () => {
  const data = makeStore('live');
  const server = await sandbox.startProcess(['--data', data]);
  const args = ['restore', '--from', 'live/gridkeep.db', '--data', sandbox.path('from-live')];
  const { code, err } = await sandbox.run(args);
  assert.equal(code, 1);
  assert.match(err, /^gridkeep: live\/gridkeep\.db is not a backup but a store in use/);
  await server.stop();
});

test('missing files are reported in one sentence with exit code 1, wrong flags with 2', async () => {
  const absent = await sandbox.run(['check', '--data', 'nowhere']);
  assert.equal(absent.code, 1);
  assert.match(absent.err, /^gridkeep: There is no store at .*nowhere\/gridkeep\.db\n$/);
  assert.ok(!readdirSync(sandbox.directory).includes('nowhere'));
  const misused = await sandbox.run(['backup', '--data', 'nowhere']);
  assert.deepEqual(misused, { code: 2, err: 'gridkeep: backup needs --to FILE\n', out: '' });
});

test('a crashed store is checked together with its log', async () => {
  const data = makeStore('crashed');
  const server = await sandbox.startProcess(['--data', data]);
  await put(server, 'only-in-the-log', '{"x":1}');
  server.child.kill('SIGKILL');
  await server.stop();
  cpSync(data, sandbox.path('crashed-copy'), { recursive: true });
  const { code, out } = await sandbox.run(['check', '--data', sandbox.path('crashed-copy')]);
  assert.equal(code, 0);
  assert.match(out, /orders +REPLICATE +701 entries/);
});

test('a restore is not confused by what a killed one left', async () => {
  const data = makeStore('killed');
  assert.equal((await sandbox.run(['backup', '--data', data, '--to', 'killed.backup'])).code, 0);
  const target = sandbox.path('killed-restored');
  mkdirSync(target);
  for (const name of ['gridkeep.db.new', 'gridkeep.db.new-journal']) {
    writeFileSync(`${target}/${name}`, 'left by a killed process');
  }
  const args = ['restore', '--from', 'killed.backup', '--data', target];
  const { code, err } = await sandbox.run(args);
  assert.deepEqual([code, err], [0, '']);
  assert.equal((await sandbox.run(['check', '--data', target])).code, 0);
  assert.deepEqual(readdirSync(target), ['gridkeep.db', 'gridkeep.lock']);
});

test('a restore refuses what is no backup: a directory, the file of a store that was not stopped', async () => {
  const data = makeStore('running');
  const server = await sandbox.startProcess(['--data', data]);
  await put(server, 'k1', '{"late":true}');
  cpSync(`${data}/gridkeep.db`, sandbox.path('copied.db'));
  await server.stop();
  const restore = async (from: string) =>
    (await sandbox.run(['restore', '--from', from, '--data', 'from-no-backup'])).err;
  assert.equal(
    await restore('copied.db'),
    'gridkeep: copied.db is not a backup but the file of a store that was not stopped, without its log; commits may be missing\n',
  );
  assert.equal(await restore(data), `gridkeep: ${data} cannot be used: it is not a file\n`);
  assert.equal(existsSync(sandbox.path('from-no-backup')), false);
});
