import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import pg from 'pg';
import { plainRegion } from '../testing/plain-region.ts';
import { PostgresServer } from '../testing/postgres-server.ts';
import { ANSWER } from './commit-answer.ts';
import { openPostgresEngine } from './postgres-engine.ts';
import { FUNCTIONS } from './store-format.ts';

const server = await PostgresServer.start();
after(() => server[Symbol.asyncDispose]());

async function inSchema(url: string, schema: string, statements: readonly string[]) {
  const client = new pg.Client({ connectionString: url.split('?')[0] });
  await client.connect();
  try {
    await client.query(`SET search_path TO ${schema}`);
    const answers = [];
    for (const statement of statements) answers.push((await client.query(statement)).rows);
    return answers;
  } finally {
    await client.end();
  }
}

it('migrates a store of format 1 with all its data, when two servers start at once', async () => {
  const url = server.url('old_format');
  const first = await openPostgresEngine({ url });
  await first.createRegion(plainRegion('orders'));
  await (await first.openRegion('orders'))?.write([{ kind: 'put', key: 'a', value: '{}' }]);
  await first.close();
  // Undoes the migrations after format 1.
  await inSchema(url, 'old_format', [
    'ALTER TABLE changes RENAME COLUMN request_in_batch TO request',
    `DROP FUNCTION ${Object.values(FUNCTIONS).join(', ')}`,
    'ALTER TABLE lock DROP COLUMN altered',
    'UPDATE store SET format = 1',
  ]);

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

it('drops its caches when a dump is restored while it runs', async () => {
  const url = server.url('restored');
  const engine = await openPostgresEngine({ url });
  try {
    await engine.createRegion(plainRegion('orders'));
    const orders = await engine.openRegion('orders');
    const put = (key: string) => orders?.write([{ kind: 'put', key, value: '{}' }]);
    await put('a');
    const tables = ['regions', 'entries', 'changes'];
    await inSchema(url, 'restored', [
      'CREATE SCHEMA dump',
      ...tables.map((table) => `CREATE TABLE dump.${table} AS TABLE ${table}`),
    ]);
    await put('b');
    await put('c');
    assert.equal(await orders?.count(), 3);
    const isReset = new Promise<number>((resolve) => {
      engine.subscribe({ onCommit: () => undefined, onReset: resolve });
    });
    await inSchema(url, 'restored', [
      'BEGIN',
      `TRUNCATE ${tables.join(', ')}`,
      ...tables.map((table) => `INSERT INTO ${table} SELECT * FROM dump.${table}`),
      'COMMIT',
    ]);
    assert.equal(await isReset, 2);
    assert.equal(await orders?.count(), 1);
    assert.deepEqual(await put('d'), { kind: 'committed', version: 3 });
    assert.equal(await orders?.count(), 2);
  } finally {
    await engine.close();
  }
});

it('commits batches with guards for earlier servers of its format', async () => {
  const url = server.url('earlier');
  const engine = await openPostgresEngine({ url });
  try {
    await engine.createRegion(plainRegion('orders'));
    const parameters = (key: string): string =>
      `id, incarnation, 1, 1, '{1}', '{1,2}', '{0}', '{${key}}', '{"{}"}', '{1,1,0}', '{""}'`;
    const commit = (key: string): string =>
      `SELECT c.what FROM servers, ${FUNCTIONS.batch}(${parameters(key)}) c`;
    const [added, refused] = await inSchema(url, 'earlier', [commit('a'), commit('a')]);
    const { done, failed } = ANSWER;
    assert.ok(added?.some(({ what }) => what === done));
    assert.ok(refused?.some(({ what }) => what === failed));
  } finally {
    await engine.close();
  }
});

it('needs no right on the database for a schema that its role owns', async () => {
  const url = server.url('owned');
  await inSchema(url, 'public', [
    'CREATE ROLE owner LOGIN',
    'CREATE SCHEMA owned AUTHORIZATION owner',
  ]);
  const engine = await openPostgresEngine({ url: url.replace('//gridkeep@', '//owner@') });
  await engine.close();
});

it('refuses a schema with tables of another program, and leaves them as they are', async () => {
  const url = server.url('foreign_tables');
  for (const table of ['store(name text)', 'entries(n int)']) {
    await inSchema(url, 'public', [
      'DROP SCHEMA IF EXISTS foreign_tables CASCADE',
      'CREATE SCHEMA foreign_tables',
      `CREATE TABLE foreign_tables.${table}`,
    ]);
    await assert.rejects(openPostgresEngine({ url }), {
      code: 'engine/store-inaccessible',
      message:
        /^Schema foreign_tables cannot be used: its table (store|entries) is not of gridkeep$/,
    });
    const tables =
      "SELECT relname FROM pg_class WHERE relnamespace = 'foreign_tables'::regnamespace AND relkind = 'r'";
    assert.equal((await inSchema(url, 'public', [tables]))[0]?.length, 1);
  }
});

it('refuses to open a store of a newer format, while running servers continue', async () => {
  const url = server.url('new_format');
  const running = await openPostgresEngine({ url });
  try {
    await running.createRegion(plainRegion('orders'));
    await inSchema(url, 'new_format', ['UPDATE store SET format = 99']);
    await assert.rejects(openPostgresEngine({ url }), { code: 'engine/store-newer' });
    const region = await running.openRegion('orders');
    const outcome = await region?.write([{ kind: 'put', key: 'a', value: '{}' }]);
    assert.equal(outcome?.kind, 'committed');
  } finally {
    await running.close();
  }
});

it('drops the functions with which servers of an older format commit', async () => {
  const url = server.url('former');
  await (await openPostgresEngine({ url })).close();
  const former = [2, 3].flatMap((format) =>
    Object.values(FUNCTIONS).map((name) => name.replace(/[0-9]+$/, String(format))),
  );
  await inSchema(url, 'former', [
    'ALTER TABLE changes RENAME COLUMN request_in_batch TO request_number',
    'UPDATE store SET format = 3',
    ...former.map(
      (name) => `CREATE FUNCTION ${name}(p_one bigint) RETURNS int LANGUAGE sql AS 'SELECT 1'`,
    ),
  ]);
  await (await openPostgresEngine({ url })).close();
  const [rows] = await inSchema(url, 'former', [
    "SELECT proname FROM pg_proc WHERE pronamespace = 'former'::regnamespace AND proname LIKE '%commit%' ORDER BY 1",
  ]);
  assert.deepEqual(
    rows?.map(({ proname }) => proname),
    Object.values(FUNCTIONS).sort(),
  );
});

it('reports that a newer server has changed the format', async () => {
  const url = server.url('outgrown');
  const running = await openPostgresEngine({ url });
  try {
    await running.createRegion(plainRegion('orders'));
    const region = await running.openRegion('orders');
    await inSchema(url, 'outgrown', [
      'ALTER TABLE changes RENAME COLUMN request_in_batch TO request_of_another_format',
      `DROP FUNCTION ${Object.values(FUNCTIONS).join(', ')}`,
      'UPDATE store SET format = 99',
    ]);
    const newer = { code: 'engine/store-newer', message: /newer format/ };
    await assert.rejects(
      async () => region?.write([{ kind: 'put', key: 'a', value: '{}' }]),
      newer,
    );
    await assert.rejects(async () => running.catchUp(), newer);
    assert.match(running.health().unreadable ?? '', /newer format/);
    await assert.rejects(async () => running.createRegion(plainRegion('items')), newer);
  } finally {
    await running.close();
  }
});
