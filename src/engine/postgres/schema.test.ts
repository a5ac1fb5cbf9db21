import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import pg from 'pg';
import { plainRegion } from '../testing/plain-region.ts';
import { PostgresServer } from '../testing/postgres-server.ts';
import { openPostgresEngine } from './postgres-engine.ts';

const server = await PostgresServer.start();
after(() => server[Symbol.asyncDispose]());

it('brings a store of format 1 up to date, with all that it holds, by two servers at once', async () => {
  const url = server.url('old_format');
  const first = await openPostgresEngine({ url });
  await first.createRegion(plainRegion('orders'));
  await (await first.openRegion('orders'))?.write([{ kind: 'put', key: 'a', value: '{}' }]);
  await first.close();
  // What the formats since changed, taken back.
  const client = new pg.Client({ connectionString: url.split('?')[0] });
  await client.connect();
  await client.query('SET search_path TO old_format');
  await client.query('ALTER TABLE changes RENAME COLUMN request_number TO request');
  await client.query('DROP FUNCTION begin_commit_3, commit_batch_3, commit_regions_3');
  await client.query('ALTER TABLE lock DROP COLUMN altered');
  await client.query('UPDATE store SET format = 1');
  await client.end();

  const [engine, other] = await Promise.all([
    openPostgresEngine({ url }),
    openPostgresEngine({ url }),
  ]);
  try {
    await other.createRegion(plainRegion('items'));
    const outcome = await engine.commit([
      { region: 'orders', changes: [], reads: ['a'] },
      { region: 'items', changes: [{ kind: 'put', key: 'b', value: '{}' }] },
    ]);
    const reads = [[{ value: '{}', version: 2 }], []];
    assert.deepEqual(outcome, { kind: 'committed', version: 4, reads });
    const changes = await engine.readChanges(0, 10);
    assert.equal(changes.kind === 'changes' && changes.changes.length, 4);
  } finally {
    await engine.close();
    await other.close();
  }
});

it('lets servers that run finish, and refuses to open a store of a newer format', async () => {
  const url = server.url('new_format');
  const running = await openPostgresEngine({ url });
  try {
    await running.createRegion(plainRegion('orders'));
    const client = new pg.Client({ connectionString: url.split('?')[0] });
    await client.connect();
    await client.query('UPDATE new_format.store SET format = 99');
    await client.end();
    await assert.rejects(openPostgresEngine({ url }), { code: 'engine/store-newer' });
    const region = await running.openRegion('orders');
    const outcome = await region?.write([{ kind: 'put', key: 'a', value: '{}' }]);
    assert.equal(outcome?.kind, 'committed');
  } finally {
    await running.close();
  }
});
