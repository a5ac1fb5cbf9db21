// The commands that work on data, on a PostgreSQL store; and the move from a directory into a
// database and back, which no client may notice.

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

it('imports into, exports from and checks a database, and says how it is backed up', async () => {
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

  const sound = await run(['check', '--store', store]);
  assert.equal(sound.code, 0, sound.out);
  assert.match(sound.out, /r +REPLICATE +3 entries/);
  await server.query("DELETE FROM commands.entries WHERE key = 'b'");
  const damaged = await run(['check', '--store', store]);
  assert.equal(damaged.code, 1);
  assert.match(damaged.out, /region \(r\) holds 2 entries/);

  const backup = await run(['backup', '--store', store, '--to', 'file']);
  assert.equal(backup.code, 1);
  assert.match(backup.err, /pg_basebackup/);
  const both = await run(['export', '--store', store, '--data', 'x', '--region', 'r']);
  assert.equal(both.code, 2);
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

async function describe(engine: Engine): Promise<{ readonly sequence: number }> {
  const snapshot = await engine.openSnapshot();
  const regions = await engine.describeRegions();
  const entries: unknown[] = [];
  for (const { name } of regions) {
    const keys: string[] = [];
    for await (const batch of snapshot.scan(name, {}))
      keys.push(...toTexts(batch).map(([key]) => key));
    entries.push(name, keys, await snapshot.read(name, keys));
  }
  snapshot.close();
  return Object.assign({ sequence: engine.stats().sequence }, { regions, entries });
}
