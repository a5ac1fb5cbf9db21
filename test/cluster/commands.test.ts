// The commands that work on data, on a PostgreSQL store, and moving a grid from a directory into a
// database and back without visible differences.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, it } from 'node:test';
import { runCli } from '../../src/cli/cli.ts';
import { FakeTerminal } from '../../src/cli/testing/fake-terminal.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { toTexts } from '../../src/engine/joined-texts.ts';
import { openPostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { openSqliteEngine } from '../../src/engine/sqlite/sqlite-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { PostgresServer } from '../../src/engine/testing/postgres-server.ts';
import { UNUSUAL_KEYS } from '../../src/engine/testing/unusual-keys.ts';
import { Client } from '../faults/client.ts';
import { InProcessGridkeep } from '../faults/in-process-gridkeep.ts';
import { ADMIN } from '../service.ts';

const server = await PostgresServer.start();
const directory = mkdtempSync(join(tmpdir(), 'gridkeep-commands-'));
after(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

async function run(
  args: readonly string[],
  piped = '',
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const terminal = new FakeTerminal(directory, { piped });
  const code = await runCli(args, terminal);
  terminal.pipes.output.end();
  const out = `${terminal.out.join('\n')}${await text(terminal.pipes.output)}`;
  return { code, out, err: terminal.err.join('\n') };
}

it('imports into, exports from and checks a database, and explains how to back it up', async () => {
  const store = server.url('commands');
  const lines = ['a', 'b', 'c'].map((key) => `{"key":"${key}","value":{"n":1.0}}\n`).join('');
  const made = await run(['import', '--store', store, '--region', 'r', '--create'], lines);
  assert.equal(made.code, 0, made.err);
  const exported = await run(['export', '--store', store, '--region', 'r']);
  assert.equal(exported.out, lines);
  const all = await run(['export', '--store', store, '--all', '--to', 'whole']);
  assert.equal(all.code, 0, all.err);
  const again = ['import', '--store', server.url('again'), '--all', '--from', 'whole', '--create'];
  assert.equal((await run(again)).code, 0);

  const late = new Date(Date.now() + 86_400_000).toISOString();
  const expiring = [
    `{"key":"again","value":{},"expires":"${late}"}\n`,
    '{"key":"due","value":{},"expires":"2001-01-01T00:00:00Z"}\n',
    `{"key":"late","value":{},"expires":"${late}"}\n`,
  ].join('');
  const short = ['--store', server.url('again'), '--region', 'short'];
  const left = await run(['import', ...short, '--create'], expiring);
  assert.match(left.out, /^short: 2 entries .*; 1 that had expired were left out$/);
  await run(['import', ...short], '{"key":"again","value":{}}\n');
  const living = (await run(['export', ...short])).out;
  assert.match(living, /^{"key":"again","value":{}}\n{"key":"late","value":{},"expires":".*Z"}\n$/);

  const sound = await run(['check', '--store', store]);
  assert.equal(sound.code, 0, sound.out);
  assert.match(sound.out, /r +REPLICATE +3 entries/);
  await server.query("DELETE FROM commands.entries WHERE key = 'b'");
  const damaged = await run(['check', '--store', store]);
  assert.equal(damaged.code, 1);
  assert.match(damaged.out, /region \(r\) has 2 entries/);

  const backup = await run(['backup', '--store', store, '--to', 'file']);
  assert.equal(backup.code, 1);
  assert.match(backup.err, /pg_basebackup/);
  const both = await run(['export', '--store', store, '--data', 'x', '--region', 'r']);
  assert.equal(both.code, 2);
});

it('reports that there is no store in a schema, and creates none', async () => {
  const store = server.url('absent');
  const commands = [
    ['check', '--store', store],
    ['export', '--store', store, '--all', '--to', 'nothing'],
    ['move', '--from', store, '--to', 'nothing'],
  ];
  for (const command of commands) {
    const { code, err } = await run(command);
    assert.match(err, /There is no store at .*, schema absent$/);
    assert.equal(code, 1);
  }
  assert.deepEqual(await server.query("SELECT FROM pg_namespace WHERE nspname = 'absent'"), []);
});

it('moves a grid into a database and back, with versions, indexes and queries', async () => {
  const old = join(directory, 'old');
  const engine = await openSqliteEngine({ directory: old });
  await engine.createRegion({ ...plainRegion('orders'), valueConstraint: 'Order' });
  await engine.createRegion({ ...plainRegion('events'), type: 'EMPTY' });
  await engine.createRegion(plainRegion('_queries'));
  const index = { name: 'i', kind: 'range', expression: 'o.n', from: '/orders o' } as const;
  await engine.addIndex('orders', index);
  const region = await engine.openRegion('orders');
  for (const [i, key] of UNUSUAL_KEYS.entries()) {
    await region?.write([{ kind: 'put', key, value: `{"n":${i}.0,"é":"\u{1f600}"}` }]);
  }
  await region?.write([{ kind: 'remove', key: UNUSUAL_KEYS[3] ?? '' }]);
  const before = await describe(engine);
  await engine.close();

  const url = server.url('moved');
  const there = await run(['move', '--from', 'old', '--to', url]);
  assert.equal(there.code, 0, there.err);
  const shared = await openPostgresEngine({ url });
  assert.deepEqual(await describe(shared), before);
  await shared.close();
  assert.equal((await run(['check', '--store', url])).code, 0);
  assert.match((await run(['move', '--from', 'old', '--to', url])).err, /holds a store already/);

  const back = await run(['move', '--from', url, '--to', 'new']);
  assert.equal(back.code, 0, back.err);
  const local = await openSqliteEngine({ directory: join(directory, 'new') });
  assert.deepEqual(await describe(local), before);
  const written = await (await local.openRegion('orders'))?.write([
    { kind: 'put', key: 'next', value: '{}' },
  ]);
  assert.deepEqual(written, { kind: 'committed', version: before.sequence + 1 });
  await local.close();
  const sound = await run(['check', '--data', 'new']);
  assert.equal(sound.code, 0, sound.out);
});

it('moves expiry, history and stored answers with a grid', async () => {
  const settings = { name: 'kept', history: { count: 1000 } };
  let moment = 0;
  let before: unknown;
  await serve({ data: join(directory, 'lived') }, async (client) => {
    const body = JSON.stringify(settings);
    assert.equal((await client.sendTo('POST', `${ADMIN}/regions`, { body }))?.status, 201);
    for (const n of [1, 2, 3]) {
      const { headers } = await client.require('PUT', '/kept/a', { body: `{"n":${n}.0}` });
      if (n === 2) moment = Number(JSON.parse(headers['etag'] ?? ''));
    }
    await client.require('PUT', '/kept/b?ttl=PT48H', { body: '{}' });
    await client.require('PUT', '/kept/c?ttl=PT48H', { body: '{}' });
    await client.require('DELETE', '/kept/c');
    const added = await client.require('POST', '/kept', ADD);
    assert.equal(added.status, 201);
    before = await readHistory(client, moment);
  });
  const url = server.url('lived');
  const there = await run(['move', '--from', 'lived', '--to', url]);
  assert.equal(there.code, 0, there.err);
  await serve({ store: url }, async (client) => {
    assert.deepEqual(await readHistory(client, moment), before);
    // New history is appended to the moved one.
    await client.require('PUT', '/kept/a', { body: '{"n":4.0}' });
    const { text: versions } = await client.get('/kept/_history/a');
    assert.deepEqual(
      versions.match(/"n":\d\.0/g),
      ['4', '3', '2', '1'].map((n) => `"n":${n}.0`),
    );
    before = await readHistory(client, moment);
  });
  const back = await run(['move', '--from', url, '--to', 'lived-on']);
  assert.equal(back.code, 0, back.err);
  assert.equal((await run(['check', '--data', 'lived-on'])).code, 0);
  await serve({ data: join(directory, 'lived-on') }, async (client) => {
    assert.deepEqual(await readHistory(client, moment), before);
  });
});

const ADD = { body: '{"n":9}', headers: { 'Idempotency-Key': 'add once' } };

async function serve(
  place: { readonly data: string } | { readonly store: string },
  use: (client: Client) => Promise<void>,
): Promise<void> {
  await using service = await InProcessGridkeep.start(place);
  using client = new Client(service.port);
  await use(client);
  assert.equal((await service.stop()).code, 0);
}

/** Requests whose answers depend on records beside the entries, including a repeated write. */
async function readHistory(client: Client, moment: number): Promise<unknown> {
  const asked = ['/kept?limit=ALL&entries=true', `/kept/a?at=${moment}`, '/kept/_history/a'];
  const answers = await Promise.all(asked.map((path) => client.get(path)));
  for (const { status, text: answer } of answers) assert.equal(status, 200, answer);
  assert.match(answers[0]?.text ?? '', /"key":"b".*"expires":/);
  assert.match(answers[1]?.text ?? '', /"n":2\.0/);
  const repeat = await client.require('POST', '/kept', ADD);
  assert.equal(repeat.headers['idempotent-replayed'], 'true', repeat.text);
  // A repeat names the address that it was sent to, and each server has another port.
  const { pathname } = new URL(repeat.headers['location'] ?? '');
  return [answers.map((answer) => answer.text), pathname];
}

async function describe(engine: Engine): Promise<{ readonly sequence: number }> {
  const snapshot = await engine.openSnapshot();
  const regions = await engine.describeRegions();
  const entries: unknown[] = [];
  for (const { name } of regions) {
    const keys: string[] = [];
    for await (const batch of snapshot.scan(name, {}, 'entries'))
      keys.push(...toTexts(batch).map(([key]) => key));
    entries.push(name, keys, await snapshot.read(name, keys));
  }
  snapshot.close();
  return Object.assign({ sequence: engine.stats().sequence }, { regions, entries });
}
