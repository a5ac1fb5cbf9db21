import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import pg from 'pg';
import { plainRegion } from '../testing/plain-region.ts';
import { PostgresServer } from '../testing/postgres-server.ts';
import { openPostgresEngine } from './postgres-engine.ts';

const server = await PostgresServer.start();
after(() => server[Symbol.asyncDispose]());

it('brings a store of format 1 up to date, with all that it holds', async () => {
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

  const engine = await openPostgresEngine({ url });
  try {
    await engine.createRegion(plainRegion('items'));
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
  }
});
