// Export and import, with data directories and running services.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib';
import { CommandSandbox, toLines } from './command.ts';

const ENTRIES = {
  a: '{"@type":"x","price":20.0,"id":9007199254740993}',
  'b/,😀': '[{"n":1e400},{"__proto__":{}}]',
  c: '{"text":"\\u00e9\\n"}',
};

const sandbox = CommandSandbox.open(async (place) => {
  const { code, err } = await place.runProcess(
    ['import', '--data', 'model', '--region', 'things', '--create'],
    { input: [toLines(ENTRIES)] },
  );
  assert.equal(code, 0, err);
});

test('a region is exported with every value as it was sent, also to standard output', async () => {
  const { code, err, out } = await sandbox.runProcess([
    'export',
    '--data',
    'model',
    '--region',
    'things',
  ]);
  assert.deepEqual({ code, err }, { code: 0, err: '' });
  assert.equal(out, toLines(ENTRIES));
});

test('the extension of the file determines the compression, both ways', async () => {
  for (const [ending, unpack] of [
    ['', (bytes: Buffer) => bytes],
    ['.gz', gunzipSync],
    ['.zst', zstdDecompressSync],
  ] as const) {
    const file = `things.ndjson${ending}`;
    const args = ['--region', 'things', '--data'];
    const exported = await sandbox.run(['export', ...args, 'model', '--to', file]);
    assert.equal(exported.out, `${file}: 3 entries of region things\n`);
    assert.equal(unpack(readFileSync(sandbox.path(file))).toString(), toLines(ENTRIES));
    const into = `into${ending}`;
    const imported = await sandbox.run(['import', ...args, into, '--from', file, '--create']);
    assert.equal(imported.out, `things: 3 entries from ${file}\n`);
    const again = await sandbox.run(['export', ...args, into]);
    assert.equal(again.out, toLines(ENTRIES));
  }
  const kept = await sandbox.run([
    ...['export', '--data', 'model', '--region', 'things', '--to', 'things.ndjson'],
  ]);
  assert.equal(kept.code, 1);
  assert.equal(kept.err, 'gridkeep: things.ndjson exists; --force replaces it\n');
});

test('a whole grid is moved from one service to another, with indexes and named queries', async () => {
  const config = [
    'regions:',
    '  - name: orders',
    '    type: PARTITION',
    '    key-constraint: java.lang.Long',
    '    indexes: [{ name: by-n, expression: o.n, from: /orders o }]',
    '  - name: silent',
    '    type: EMPTY',
    'queries:',
    '  all: SELECT * FROM /orders',
  ];
  writeFileSync(sandbox.path('grid.yaml'), config.join('\n'));
  const first = await sandbox.start(['--memory', '--config', 'grid.yaml']);
  const entries = Object.fromEntries(
    Array.from({ length: 1200 }, (_, i) => [`${i}`, `{"n":${i}}`]),
  );
  const filled = await sandbox.run(['import', '--url', first.url, '--region', 'orders'], {
    input: [toLines(entries)],
  });
  assert.deepEqual(filled, {
    code: 0,
    err: '',
    out: 'orders: 1200 entries from standard input\n',
  });
  const exported = await sandbox.run([
    ...['export', '--url', first.url, '--all', '--to', 'all', '--compress', 'zstd'],
  ]);
  assert.equal(exported.out, 'all: 1200 entries of 2 regions, 1 named query\n');
  assert.deepEqual(readdirSync(sandbox.path('all')).sort(), [
    'manifest.json',
    'orders.ndjson.zst',
    'silent.ndjson.zst',
  ]);

  const second = await sandbox.start(['--memory']);
  const args = ['import', '--url', second.url, '--all', '--from', 'all'];
  const refused = await sandbox.run(args);
  assert.equal(refused.err, 'gridkeep: there is no region orders; --create makes it\n');
  assert.equal((await sandbox.run([...args, '--create'])).code, 0);
  for (const path of ['/grid-admin/v1/regions', '/grid-api/v1/queries']) {
    const answers = [first, second].map(async ({ url }) => (await fetch(url + path)).json());
    const [before, after] = await Promise.all(answers);
    assert.deepEqual(after, before);
  }
  const again = await sandbox.run([...args, '--create']);
  assert.match(again.out, /left as they were: index by-n of region orders, query all\n$/);
  await Promise.all([first.stop(), second.stop()]);
});

test('a bad line ends an import, which correctly reports what was written before', async () => {
  const good = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`k${i}`, '{}']));
  const args = ['import', '--data', 'partly', '--region', 'r', '--create'];
  const { code, err } = await sandbox.run(args, { input: [toLines(good), '{"key":"x"}\n'] });
  assert.equal(code, 1);
  assert.equal(
    err,
    'gridkeep: standard input, line 601: the line must have exactly the members "key" and "value", with or without "expires"; the 500 entries before were written\n',
  );
  const { out } = await sandbox.run(['export', '--data', 'partly', '--region', 'r']);
  assert.equal(out.split('\n').length - 1, 500);
});

test('an import that fails before its first entry leaves no store that it created', async () => {
  writeFileSync(sandbox.path('bad.ndjson'), 'no entry\n');
  const into = (...args: readonly string[]) =>
    sandbox.run(['import', '--data', 'new/store', '--create', ...args]);
  const before = readdirSync(sandbox.directory);
  for (const args of [
    ['--region', 'r', '--from', 'bad.ndjson'],
    ['--region', 'r', '--from', 'nowhere.ndjson'],
    ['--region', '_r', '--from', 'bad.ndjson'],
    ['--all', '--from', 'nowhere'],
  ]) {
    assert.equal((await into(...args)).code, 1);
    assert.deepEqual(readdirSync(sandbox.directory), before);
  }
  // A store that was there stays.
  await sandbox.run(['import', '--data', 'kept', '--region', 'r', '--create'], { input: [''] });
  await sandbox.run(['import', '--data', 'kept', '--region', 'r', '--from', 'bad.ndjson']);
  assert.equal((await sandbox.run(['export', '--data', 'kept', '--region', 'r'])).code, 0);
});

test('a refused batch writes nothing, and its lines are named', async () => {
  const args = ['import', '--data', 'refused', '--region', 'r', '--create'];
  const input = toLines({ a: '{}', b: '7' });
  const { code, err } = await sandbox.run(args, { input: [input] });
  assert.equal(code, 1);
  assert.match(err, /^gridkeep: standard input, lines 1 to 2: .*; nothing was written\n$/);
  const { out } = await sandbox.run(['export', '--data', 'refused', '--region', 'r']);
  assert.equal(out, '');
});

test('the last of several lines with one key wins', async () => {
  const args = ['import', '--data', 'repeated', '--region', 'r', '--create'];
  const input = ['{"n":1}', '{"n":2}', '{"n":3}'].map((value) => toLines({ same: value }));
  assert.equal((await sandbox.run(args, { input })).code, 0);
  const { out } = await sandbox.run(['export', '--data', 'repeated', '--region', 'r']);
  assert.equal(out, toLines({ same: '{"n":3}' }));
});

test('a truncated compressed file is an error', async () => {
  const bytes = gzipSync(toLines(ENTRIES));
  writeFileSync(sandbox.path('cut.ndjson.gz'), bytes.subarray(0, bytes.length - 12));
  const args = ['import', '--data', 'cut', '--region', 'r', '--create', '--from', 'cut.ndjson.gz'];
  const { code, err } = await sandbox.run(args);
  assert.equal(code, 1);
  assert.match(err, /^gridkeep: cut\.ndjson\.gz, .*unexpected end of file.*written\n$/);
});

test('an import into a service continues after refused entries, and names their lines', async () => {
  writeFileSync(sandbox.path('numbers.yaml'), 'regions: [{ name: n, key-constraint: Integer }]');
  const server = await sandbox.start(['--memory', '--config', 'numbers.yaml']);
  const input = ['x', '1', 'y', '2'].map((key) => toLines({ [key]: '{}' }));
  const args = ['--url', server.url, '--region', 'n'];
  const imported = await sandbox.run(['import', ...args], { input });
  assert.equal(imported.code, 1);
  assert.equal(imported.out, 'n: 2 entries from standard input\n');
  assert.match(
    imported.err,
    /standard input, 2 entries were refused: line 1: Key \(x\).*; line 3: Key \(y\)/,
  );
  assert.equal((await sandbox.run(['export', ...args])).out, toLines({ '1': '{}', '2': '{}' }));
  await server.stop();
});

test('a login comes only from the environment', async () => {
  const { out: hash } = await sandbox.run(['hash-password'], { input: ['open sesame\n'] });
  const config = [
    'regions: [{ name: r }]',
    'auth:',
    '  roles: { writer: ["DATA:READ:r", "DATA:WRITE:r"] }',
    `  users: [{ name: zoe, password-hash: '${hash.trim()}', roles: [writer] }]`,
  ];
  writeFileSync(sandbox.path('auth.yaml'), config.join('\n'));
  const server = await sandbox.start(['--memory', '--config', 'auth.yaml']);
  const args = ['--url', server.url, '--region', 'r'];
  const environment = {
    GRIDKEEP_CLIENT_USER: 'zoe',
    GRIDKEEP_CLIENT_PASSWORD: 'open sesame',
  };
  const anonymous = await sandbox.run(['export', ...args]);
  assert.equal(anonymous.code, 1);
  const input = [toLines(ENTRIES)];
  assert.equal((await sandbox.run(['import', ...args], { environment, input })).code, 0);
  const { out } = await sandbox.run(['export', ...args], { environment });
  assert.equal(out, toLines(ENTRIES));
  const half = await sandbox.run(['export', ...args], {
    environment: { GRIDKEEP_CLIENT_USER: 'zoe' },
  });
  assert.deepEqual(
    [half.code, half.err],
    [2, 'gridkeep: GRIDKEEP_CLIENT_USER and GRIDKEEP_CLIENT_PASSWORD need each other\n'],
  );
  await server.stop();
});

test('a JSON array and comma-separated values become entries, by the key that is named', async () => {
  writeFileSync(sandbox.path('items.json'), '[{"sku":"a","price":20.0},{"sku":"b"}]');
  writeFileSync(sandbox.path('items.csv'), 'sku,price\nc,1.50\n');
  for (const file of ['items.json', 'items.csv']) {
    const args = ['--data', 'formats', '--region', 'items', '--key', 'sku', '--create'];
    const { code, err } = await sandbox.run(['import', ...args, '--from', file]);
    assert.deepEqual({ code, err }, { code: 0, err: '' });
  }
  const { out } = await sandbox.run(['export', '--data', 'formats', '--region', 'items']);
  const entries = {
    a: '{"sku":"a","price":20.0}',
    b: '{"sku":"b"}',
    c: '{"sku":"c","price":1.50}',
  };
  assert.equal(out, toLines(entries));
  const bad = await sandbox.run(
    ['import', '--data', 'formats', '--region', 'items', '--format', 'csv'],
    { input: ['sku\na\n'] },
  );
  assert.equal(bad.code, 1);
  assert.match(bad.err, /standard input, row 2: it has no member id; --key says/);
  const unknown = await sandbox.run(
    ['import', '--data', 'formats', '--region', 'items', '--format', 'xml'],
    { input: [] },
  );
  assert.deepEqual(
    { code: unknown.code, err: unknown.err },
    { code: 2, err: 'gridkeep: --format must be one of ndjson, json, csv, tsv\n' },
  );
});

test('files are loaded and served with --load, and a bad one ends the start', async () => {
  writeFileSync(sandbox.path('orders.json'), '[{"id":1,"total":20.0},{"id":2}]');
  writeFileSync(sandbox.path('people.csv'), 'id,name\n7,Ada\n');
  const server = await sandbox.start([
    ...['--memory', '--load', 'orders=orders.json', '--load', 'people=people.csv'],
  ]);
  const answer = await fetch(`${server.url}/grid-api/v1/orders/1`);
  assert.equal(await answer.text(), '{"orders":[{"id":1,"total":20.0}]}');
  const people = await fetch(`${server.url}/grid-api/v1/people`);
  assert.equal(await people.text(), '{"people":[{"id":7,"name":"Ada"}]}');
  await server.stop();

  writeFileSync(sandbox.path('bad.json'), '[{"id":1},{"id":2}');
  const start = ['start', '--memory', '--port', '0', '--load'];
  const bad = await sandbox.run([...start, 'orders=bad.json']);
  assert.equal(bad.code, 1);
  assert.match(bad.err, /^gridkeep: bad\.json, element 2: .*; nothing was written$/m);
  const missing = await sandbox.run([...start, 'orders=nowhere.json']);
  assert.equal(missing.code, 1);
  assert.match(missing.err, /--load orders=nowhere\.json: .*nowhere\.json: no such file/);
  const misused = await sandbox.run([...start, 'orders.json']);
  assert.equal(misused.code, 2);
  assert.match(misused.err, /--load needs REGION=FILE/);
});

test('--load refuses a value that is too large with one sentence', async () => {
  const file = sandbox.path('large.jsonl');
  writeFileSync(file, toLines({ a: '{}', b: `{"s":"${'x'.repeat(100)}"}` }));
  const args = ['start', '--memory', '--port', '0', '--limits-value-bytes', '100'];
  const { code, err } = await sandbox.run([...args, '--load', 'orders=large.jsonl']);
  assert.equal(code, 1);
  assert.match(
    err,
    /^gridkeep: large\.jsonl, lines 1 to 2: .* has 108 bytes, more than the 100 of/m,
  );
});

test('a value that is too large is refused with its line, and the region stays readable', async () => {
  const large = `{"s":"${'x'.repeat(8 * 2 ** 20)}"}`;
  const input = [toLines({ a: '{}' }), '{"key":"b","value":', large, '}\n', toLines({ c: '{}' })];
  const server = await sandbox.start(['--memory']);
  for (const { store, message, entries } of [
    {
      store: ['--data', 'large'],
      message: /^gridkeep: standard input, line 2: .*value-bytes; the entry before was written\n$/,
      entries: { a: '{}' },
    },
    {
      store: ['--url', server.url],
      message: /^gridkeep: standard input, 1 entry was refused: line 2: .*value-bytes\n$/,
      entries: { a: '{}', c: '{}' },
    },
  ]) {
    const { code, err } = await sandbox.run(['import', ...store, '--region', 'r', '--create'], {
      input,
    });
    assert.equal(code, 1);
    assert.match(err, message);
    const { out } = await sandbox.run(['export', ...store, '--region', 'r']);
    assert.equal(out, toLines(entries));
  }
  await server.stop();
});

test('a line that is too long is refused with bounded memory', async () => {
  function* endless(): Generator<string> {
    yield '{"key":"a","value":{"s":"';
    for (let i = 0; i < 40; i += 1) yield 'x'.repeat(2 ** 20);
  }
  const { code, err } = await sandbox.run(
    ['import', '--data', 'line', '--region', 'r', '--create'],
    { input: endless() },
  );
  assert.equal(code, 1);
  assert.match(err, /line 1: the line has more than 33554432 bytes/);
});

test('declared queries and the sample are subject to the limit of a value', async () => {
  writeFileSync(sandbox.path('long.yaml'), JSON.stringify({ queries: { q: 'x'.repeat(300) } }));
  const args = ['start', '--memory', '--port', '0', '--limits-value-bytes', '200'];
  const declared = await sandbox.run([...args, '--config', 'long.yaml']);
  assert.equal(declared.code, 1);
  assert.match(
    declared.err,
    /^gridkeep: long\.yaml:1: cannot create query q: The value of query \(q\) has 319 bytes/,
  );
  const sample = await sandbox.run([...args, '--sample']);
  assert.equal(sample.code, 1);
  assert.match(sample.err, /gridkeep: cannot create the sample: The value of .* bytes, more than/);
});
