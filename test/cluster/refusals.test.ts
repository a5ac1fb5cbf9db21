// A database that answers and refuses: its role may not write, has no rights, or has too few
// connections. Requests fail at once and say why, `/readyz` too, and everything recovers by itself.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { PostgresServer } from '../../src/engine/testing/postgres-server.ts';
import { Client, codeOf } from '../faults/client.ts';
import { GridkeepProcess } from '../faults/gridkeep-process.ts';

const yaml = 'regions: [{ name: orders }, { name: prices, history: { count: 10 } }]\n';
const CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'keeper'";

describe('a server over a database that refuses', () => {
  let database: PostgresServer;
  let server: GridkeepProcess;
  let client: Client;

  before(async () => {
    database = await PostgresServer.start();
    await database.query('CREATE ROLE keeper LOGIN; GRANT CREATE ON DATABASE postgres TO keeper');
    server = await GridkeepProcess.start({ store: storeOf('keeper'), yaml });
    client = new Client(server.port);
    assert.equal((await client.put('/orders/a', '{"n":1}'))?.status, 200);
  });

  after(async () => {
    client?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });

  function storeOf(role: string): string {
    return database.url().replace('gridkeep@', `${role}@`);
  }

  async function readiness(): Promise<{ readonly status: number; readonly text: string }> {
    const reply = await client.sendTo('GET', '/readyz');
    return { status: reply?.status ?? 0, text: reply?.text ?? '' };
  }

  /** Sends no other request: a balancer sends none to a server that is not ready. */
  async function awaitReady(): Promise<void> {
    const deadline = performance.now() + 20_000;
    while ((await readiness()).status !== 200 && performance.now() < deadline) await delay(100);
    assert.equal((await readiness()).status, 200);
  }

  it('refuses writes to a read-only database at once, and reads on', async () => {
    await database.query('ALTER ROLE keeper SET default_transaction_read_only = on');
    await database.query(CUT);
    for (let time = 0; time < 3; time += 1) {
      const startedMs = performance.now();
      const first = await client.put('/orders/a', '{"n":2}');
      // The first may be sent on a connection that is just being cut.
      const isCut = time === 0 && codeOf(first) === 'engine/outcome-unknown';
      const reply = isCut ? await client.put('/orders/a', '{"n":2}') : first;
      assert.equal(reply?.status, 503);
      assert.equal(codeOf(reply), 'engine/unreachable');
      assert.match(reply?.text ?? '', /read-only/);
      assert.ok(performance.now() - startedMs < 5000, 'the write waited');
    }
    assert.equal((await client.get('/orders/a')).text, '{"orders":[{"n":1}]}');
    const { status, text } = await readiness();
    assert.equal(status, 503);
    assert.match(text, /cannot be written.*read-only/);
    await database.query('ALTER ROLE keeper RESET default_transaction_read_only');
    await awaitReady();
    assert.equal((await client.put('/orders/a', '{"n":2}'))?.status, 200);
  });

  it('names a right that its role has lost', async () => {
    await database.query('ALTER TABLE gridkeep.entries OWNER TO gridkeep');
    const reply = await client.put('/orders/a', '{"n":3}');
    assert.equal(reply?.status, 500);
    assert.equal(codeOf(reply), 'engine/store-inaccessible');
    assert.match(reply?.text ?? '', /permission denied for table entries/);
    assert.match((await readiness()).text, /permission denied for table entries/);
    await database.query('ALTER TABLE gridkeep.entries OWNER TO keeper');
    // Any commit shows that it can be written again, also one that writes history.
    assert.equal((await client.put('/prices/a', '{}'))?.status, 200);
    assert.equal((await readiness()).status, 200);
    assert.equal((await client.put('/orders/a', '{"n":3}'))?.status, 200);
  });

  it('is ready again when it may open connections again', async () => {
    await database.query('ALTER ROLE keeper CONNECTION LIMIT 3');
    await database.query(CUT);
    // The connections that write, follow the log and send heartbeats are open, the one that reads is not.
    await delay(2500);
    assert.equal((await client.put('/orders/b', '{}'))?.status, 200);
    const deadline = performance.now() + 20_000;
    while ((await readiness()).status === 200 && performance.now() < deadline) {
      await client.send('GET', '/orders/a');
      await delay(20);
    }
    assert.match((await readiness()).text, /too many connections/);
    await database.query('ALTER ROLE keeper CONNECTION LIMIT -1');
    await awaitReady();
    assert.equal((await client.get('/orders/a')).text, '{"orders":[{"n":3}]}');
  });

  it('does not start behind a pooler that hands out connections by transaction, and says so', async () => {
    // Such a pooler gives a new connection the session of an earlier one, with its settings.
    await database.query(
      "CREATE ROLE pooled LOGIN; ALTER ROLE pooled SET gridkeep.session TO 'used'",
    );
    const startedMs = performance.now();
    const { code, err } = await GridkeepProcess.refuse({ store: storeOf('pooled') });
    assert.equal(code, 1);
    assert.match(
      err,
      /cannot be reached: 127\.0\.0\.1:\d+: a pooler hands out its connections by tr/,
    );
    assert.ok(performance.now() - startedMs < 10_000, 'the start waited');
  });

  it('does not start without the right to make its schema, and says so', async () => {
    await database.query('CREATE ROLE guest LOGIN; REVOKE CREATE ON DATABASE postgres FROM PUBLIC');
    const store = storeOf('guest').replace('schema=gridkeep', 'schema=another');
    const { code, err } = await GridkeepProcess.refuse({ store });
    assert.equal(code, 1);
    assert.match(err, /cannot be used: permission denied for database postgres/);
  });
});
