// Starts servers over a database that requires a password: from a file, with the sample grid, and with
// files to load.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { it } from 'node:test';
import { PostgresServer } from '../../src/engine/testing/postgres-server.ts';
import { Client } from '../faults/client.ts';
import { TemporaryDirectory } from '../faults/directory.ts';
import { GridkeepProcess } from '../faults/gridkeep-process.ts';

it('reads the password from a file, fills the store, and serves it through every server', async () => {
  await using database = await PostgresServer.start();
  using directory = new TemporaryDirectory();
  await database.query("ALTER ROLE gridkeep PASSWORD 'open sesame'");
  await database.kill('SIGINT');
  writeFileSync(`${database.directory}/pg_hba.conf`, 'host all all 127.0.0.1/32 scram-sha-256\n');
  await database.boot();
  const store = database.url();

  for (const [environment, message] of [
    [{}, /it asks for a password, and none is given/],
    [{ GRIDKEEP_STORE_PASSWORD: 'open barley' }, /password authentication failed/],
  ] as const) {
    const refused = await GridkeepProcess.refuse({ store, environment });
    assert.equal(refused.code, 1);
    assert.match(refused.err, message);
    assert.doesNotMatch(refused.err, /barley/);
  }

  const passwordFile = directory.join('password');
  writeFileSync(passwordFile, 'open sesame\n', { mode: 0o600 });
  const environment = { GRIDKEEP_STORE_PASSWORD_FILE: passwordFile };
  await using first = await GridkeepProcess.start({ store, environment, flags: ['--sample'] });
  using one = new Client(first.port);
  assert.match((await one.get('/orders?limit=1')).text, /^\{"orders":\[\{/);

  const extra = directory.join('extra.ndjson');
  writeFileSync(extra, '{"id":"x1","n":1}\n{"id":"x2","n":2}\n');
  const flags = ['--sample', '--load', `extra=${extra}`, '--load-key', 'id'];
  await using second = await GridkeepProcess.start({ store, environment, flags });
  using two = new Client(second.port);
  for (const client of [one, two]) {
    assert.equal(
      (await client.get('/extra')).text,
      '{"extra":[{"id":"x1","n":1},{"id":"x2","n":2}]}',
    );
    assert.equal((await client.query('SELECT COUNT(*) FROM /orders'))?.text, '[3000]');
    assert.equal(JSON.parse((await client.get('/servers')).text).length, 2);
  }
  for (const each of [first, second]) assert.doesNotMatch(each.log, /open sesame/);
});
