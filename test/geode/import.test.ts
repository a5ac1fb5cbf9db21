// `gridkeep import --from-geode`: from a service with Geode's API, and from recorded answers of a real
// Geode to the requests of the command.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { CommandSandbox, toLines } from '../operations/command.ts';
import { Service } from '../service.ts';
import { readLines } from './recording.ts';

const sandbox = CommandSandbox.open();

const ENTRIES = {
  a: '{"@type":"x","price":20.0,"id":9007199254740993,"d":0.12345678901234567890123}',
  'b/,😀 %2C+&': '[{"n":1e400},{"__proto__":{}}]',
  c: '{"text":"\\u00e9\\n"}',
};

async function startGeode(): Promise<Service> {
  const service = await Service.start();
  await service.grid.createRegion({ name: 'things', type: 'PARTITION' });
  await service.put('things', ENTRIES);
  await service.grid.createRegion({ name: 'many', keyConstraint: 'java.lang.Long' });
  const many = Array.from({ length: 1234 }, (_, i) => [String(i), `{"n":${i}}`] as const);
  await service.put('many', Object.fromEntries(many));
  await service.grid.createRegion({ name: 'silent', type: 'EMPTY' });
  await service.grid.createQuery({ id: 'all things', oql: 'SELECT * FROM /things' });
  return service;
}

test('regions, entries and named queries are imported digit for digit', async () => {
  await using geode = await startGeode();
  const from = ['--all', '--from-geode', `${geode.origin}/gemfire-api/v1/`, '--create'];
  const { code, err, out } = await sandbox.run(['import', '--data', 'all', ...from]);
  assert.deepEqual({ code, err }, { code: 0, err: '' });
  const base = `${geode.origin}/gemfire-api/v1`;
  assert.deepEqual(out.trim().split('\n'), [
    `many: 1234 entries from ${base}`,
    `silent: 0 entries from ${base}`,
    `things: 3 entries from ${base}`,
    `1 named query from ${base}`,
  ]);
  const exported = await sandbox.run(['export', '--data', 'all', '--region', 'things']);
  assert.equal(exported.out, toLines(ENTRIES));
  const copy = await sandbox.run(['export', '--data', 'all', '--all', '--to', 'copy']);
  assert.equal(copy.code, 0, copy.err);
  const manifest = JSON.parse(readFileSync(sandbox.path('copy', 'manifest.json'), 'utf8'));
  assert.deepEqual(manifest.queries, [{ id: 'all things', oql: 'SELECT * FROM /things' }]);
  assert.deepEqual(
    manifest.regions.map((region: Record<string, unknown>) => [
      region['name'],
      region['type'],
      region['key-constraint'],
      region['entries'],
    ]),
    [
      ['many', 'REPLICATE', 'java.lang.Long', 1234],
      ['silent', 'EMPTY', null, 0],
      ['things', 'PARTITION', null, 3],
    ],
  );
});

test('an interrupted import continues where it stopped', async () => {
  await using geode = await startGeode();
  let requests = 0;
  // Fails after the list of regions, the keys and three portions of entries.
  await using broken = await startProxy(geode, () => {
    requests += 1;
    return requests <= 5;
  });
  const args = (url: string): readonly string[] => [
    ...['import', '--data', 'resumed', '--region', 'many', '--create'],
    ...['--from-geode', url, '--state', 'state.json'],
  ];
  const first = await sandbox.run(args(broken.url));
  assert.equal(first.code, 1);
  assert.match(first.err, /many, .*; the 500 entries before were written; run the command again/);
  assert.ok(existsSync(sandbox.path('state.json')));
  requests = Number.NEGATIVE_INFINITY;
  const second = await sandbox.run(args(broken.url));
  assert.equal(second.out, `many: 734 entries from ${broken.url}/geode/v1, and 500 before\n`);
  const third = await sandbox.run(args(broken.url));
  assert.equal(third.out, 'many: done before\n');
  const exported = await sandbox.run(['export', '--data', 'resumed', '--region', 'many']);
  assert.equal(exported.out.trim().split('\n').length, 1234);
  const other = await sandbox.run(args(geode.origin));
  assert.equal(other.code, 1);
  assert.match(other.err, /state\.json is not the state of an import from/);
  // The state says nothing about another store, or about one that was removed.
  const elsewhere = await sandbox.run(
    args(broken.url).map((word) => (word === 'resumed' ? 'elsewhere' : word)),
  );
  assert.match(elsewhere.err, /state\.json is not the state of an import from .* into .*elsewhere/);
  rmSync(sandbox.path('resumed'), { recursive: true });
  const again = await sandbox.run(args(broken.url));
  assert.equal(again.out, `many: 1234 entries from ${broken.url}/geode/v1\n`);
});

test('a state that cannot be written, or read, ends the import before it begins', async () => {
  await using geode = await startGeode();
  const run = (state: string) =>
    sandbox.run([
      ...['import', '--data', 'stateless', '--region', 'many', '--create'],
      ...['--from-geode', geode.origin, '--state', state],
    ]);
  const path = sandbox.path('nowhere', 'state.json');
  assert.equal((await run(path)).err, `gridkeep: ${path}: no such file or directory\n`);
  const text = '{"format":"gridkeep-import","version":1,"from":"","to":"","regions":null}';
  writeFileSync(sandbox.path('null.json'), text);
  assert.match((await run('null.json')).err, /null\.json is not the state of an import/);
  assert.equal(existsSync(sandbox.path('stateless')), false);
});

test('a number and a text that would become one key are refused', async () => {
  const answers = new Map([
    ['/geode/v1', '{"regions":[{"name":"r","type":"REPLICATE"}]}'],
    ['/geode/v1/r/keys', '{"keys":[7,"8","7"]}'],
  ]);
  await using geode = await listen(
    createServer((request, response) => response.end(answers.get(request.url ?? ''))),
  );
  const { err } = await sandbox.run([
    ...['import', '--data', 'collision', '--all', '--create', '--from-geode', geode.url],
  ]);
  const sentence = 'has the number 7 and the text "7" as keys, which would become one entry';
  assert.equal(err, `gridkeep: region r ${sentence}\n`);
});

interface RecordedRead {
  readonly target: string;
  readonly status: number;
  readonly body: string;
}

test('answers of a real Geode are understood: numbers as keys, arrays, unusual names', async () => {
  const answers = new Map(
    readLines<RecordedRead>('import.jsonl').map((answer) => [answer.target, answer]),
  );
  await using geode = await listen(
    createServer((request, response) => {
      const answer = answers.get(request.url ?? '');
      response.writeHead(answer?.status ?? 404, { 'content-type': 'application/json' });
      response.end(answer?.body ?? '{"cause":"not recorded"}');
    }),
  );
  const { code, err, out } = await sandbox.run([
    ...['import', '--data', 'recorded', '--all', '--from-geode', geode.url, '--create'],
  ]);
  assert.deepEqual({ code, err }, { code: 0, err: '' });
  assert.match(out, /nk: 3 entries/);
  const read = async (region: string): Promise<string> =>
    (await sandbox.run(['export', '--data', 'recorded', '--region', region])).out;
  assert.deepEqual((await read('nk')).trim().split('\n'), [
    '{"key":"30000000000","value":{"id":30000000000,"s":"x"}}',
    '{"key":"7","value":{"id":7,"d":20.0}}',
    '{"key":"t","value":{"id":"t"}}',
  ]);
  const odd = await read('x1');
  assert.ok(
    odd.includes('"price":20.0,"id":9007199254740993,"big":123456789012345678901234567890'),
  );
  assert.ok(odd.includes('{"key":"b/,;%&+=?#","value":[{"n":1},{"n":2.5}]}'));
  assert.ok(odd.includes('{"key":"名 é","value":{"text":"é\\n\\"","nested":'));
});

test('every failure is reported in one sentence', async () => {
  await using geode = await startGeode();
  const into = (...args: readonly string[]): Promise<{ code: number | null; err: string }> =>
    sandbox.run(['import', '--data', 'wrong', ...args]);
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--all', '--from-geode', 'nowhere'], /--from-geode must be an address such as http/],
    [['--all', '--from-geode', 'http://u:p@127.0.0.1'], /such as http.*, without a login/],
    [
      ['--all', '--from-geode', 'http://127.0.0.1:1'],
      /127\.0\.0\.1:1\/geode\/v1 cannot be reached/,
    ],
    [['--all', '--from-geode', geode.origin], /there is no region many; --create makes it/],
    [['--region', 'none', '--from-geode', geode.origin], /has no region none/],
    [['--region', 'many', '--from', 'x', '--from-geode', geode.origin], /exclude each other/],
    [['--region', 'many', '--state', 'x'], /--state goes with --from-geode/],
    [['--all', '--from-geode', `${geode.origin}/grid-api`], /was answered with 404/],
  ];
  for (const [args, sentence] of cases) {
    const { code, err } = await into(...args);
    assert.notEqual(code, 0);
    assert.match(err, sentence);
  }
  const { err } = await sandbox.run(
    ['import', '--data', 'wrong', '--all', '--from-geode', geode.origin],
    { environment: { GRIDKEEP_SECRET_GEODE_LOGIN: 'secret' } },
  );
  assert.equal(err, 'gridkeep: GRIDKEEP_SECRET_GEODE_LOGIN must be user:password\n');
});

interface Listening extends AsyncDisposable {
  readonly url: string;
}

async function listen(server: Server): Promise<Listening> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Forwards requests while `isUp`, and cuts connections otherwise. */
function startProxy(geode: Service, isUp: () => boolean): Promise<Listening> {
  return listen(
    createServer((request, response) => {
      if (!isUp()) {
        request.socket.destroy();
        return;
      }
      void geode.sendTo('GET', request.url ?? '/').then(({ status, text }) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(text);
      });
    }),
  );
}
