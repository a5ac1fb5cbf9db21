import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type ConfigSources, type LoadedConfig, loadConfig } from './load-config.ts';

let directory: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gridkeep-config-'));
});

after(async () => {
  await rm(directory, { recursive: true });
});

/** Loads in a new directory, with `yaml` as its gridkeep.yaml. */
async function load(
  sources: Omit<ConfigSources, 'workingDirectory'> & { yaml?: string } = {},
): Promise<Awaited<ReturnType<typeof loadConfig>>> {
  const workingDirectory = await mkdtemp(join(directory, 'case-'));
  const { yaml, ...rest } = sources;
  if (yaml !== undefined) await writeFile(join(workingDirectory, 'gridkeep.yaml'), yaml);
  return loadConfig({ environment: {}, workingDirectory, ...rest });
}

async function loaded(sources: Parameters<typeof load>[0]): Promise<LoadedConfig> {
  const outcome = await load(sources);
  assert.equal(outcome.kind, 'loaded', JSON.stringify(outcome));
  return outcome as LoadedConfig;
}

async function refusals(sources: Parameters<typeof load>[0]): Promise<readonly string[]> {
  const outcome = await load(sources);
  assert.equal(outcome.kind, 'refused');
  return outcome.kind === 'refused' ? outcome.problems : [];
}

const originOf = (config: LoadedConfig, path: string): unknown =>
  config.effective.find((setting) => setting.path === path)?.origin;

test('without any source every setting has its default', async () => {
  const result = await loaded({});
  assert.deepEqual(result.config.http, {
    host: '127.0.0.1',
    port: 7070,
    insecure: false,
    advertise: [],
    allowedHosts: [],
    corsOrigins: [],
    directReader: true,
    publicUrl: '',
    trustedProxies: [],
    compression: true,
    unknownParameters: 'refuse',
    dialects: ['geode', 'gemfire-api'],
    drainTimeoutMs: 8000,
    drainLingerMs: 100,
  });
  assert.deepEqual(result.config.store, {
    engine: 'sqlite',
    directory: './data',
    url: '',
    password: '',
    passwordFile: '',
    maxSnapshots: 12,
    durability: 'always',
  });
  assert.equal(result.config.query.maxRowsKept, 5_000_000);
  assert.equal(result.config.limits.bodyBytes, 8 * 1024 * 1024);
  assert.equal(result.config.log.requests, true);
  assert.deepEqual(result.declarations, { regions: [], queries: [] });
  assert.deepEqual(originOf(result, 'http.port'), { source: 'default', name: 'default' });
});

test('the address of a database chooses the engine, and never holds a password', async () => {
  const store = async (raw: string, environment = {}) =>
    (await loaded({ environment, flags: [{ path: 'store.url', raw, name: '--store' }] })).config
      .store;
  const chosen = await store('postgres://db/grid', { GRIDKEEP_STORE_PASSWORD: 'geheim' });
  assert.deepEqual([chosen.engine, chosen.password], ['postgres', 'geheim']);
  const problems = async (yaml: string) => (await refusals({ yaml })).join();
  const password = await problems('store:\n  url: postgres://me:geheim@db/grid\n');
  assert.match(password, /must not hold a password/);
  assert.doesNotMatch(password, /geheim/);
  assert.match(await problems('store:\n  engine: postgres\n'), /store.url is missing/);
  assert.match(
    await problems('store:\n  engine: memory\n  url: postgres://db\n'),
    /for store.engine postgres, not memory/,
  );
  assert.doesNotMatch(
    await problems('store:\n  engine: memroy\n  url: postgres://db\n'),
    /undefined/,
  );
  assert.match(
    await problems('store:\n  url: postgres://db\n  password: a\n  password-file: b\n'),
    /exclude each other/,
  );
});

test('a flag beats the environment, which beats the file, which beats the default', async () => {
  const yaml = 'http:\n  port: 1\n  host: a\nlog:\n  level: warn\n';
  const result = await loaded({
    yaml,
    environment: { GRIDKEEP_HTTP_PORT: '2', GRIDKEEP_HTTP_HOST: 'b', HOME: '/x' },
    flags: [{ path: 'http.port', raw: '3', name: '--port' }],
  });
  assert.equal(result.config.http.port, 3);
  assert.equal(result.config.http.host, 'b');
  assert.equal(result.config.log.level, 'warn');
  assert.deepEqual(originOf(result, 'http.port'), { source: 'flag', name: '--port' });
  assert.deepEqual(originOf(result, 'http.host'), {
    source: 'environment',
    name: 'GRIDKEEP_HTTP_HOST',
  });
  assert.deepEqual(originOf(result, 'log.level'), { source: 'file', name: 'gridkeep.yaml:5' });
});

test('every kind of value is read from text and from YAML', async () => {
  const result = await loaded({
    yaml: [
      'http:',
      '  insecure: on',
      '  advertise: [http://a:1, http://b:2]',
      'limits:',
      '  body-bytes: 2 MiB',
      '  header-bytes: 4096',
      'log:',
      '  requests: false',
      'errors:',
      '',
    ].join('\n'),
    environment: {
      GRIDKEEP_HTTP_CORS_ORIGINS: 'http://c, http://d',
      GRIDKEEP_HTTP_ALLOWED_HOSTS: '',
      GRIDKEEP_QUERY_MAX_ROWS_KEPT: '1_000',
      GRIDKEEP_LIMITS_KEY_BYTES: '1KiB',
    },
  });
  assert.equal(result.config.http.insecure, true);
  assert.deepEqual(result.config.http.advertise, ['http://a:1', 'http://b:2']);
  assert.deepEqual(result.config.http.corsOrigins, ['http://c', 'http://d']);
  assert.deepEqual(result.config.http.allowedHosts, []);
  assert.equal(result.config.limits.bodyBytes, 2 * 1024 * 1024);
  assert.equal(result.config.limits.headerBytes, 4096);
  assert.equal(result.config.limits.keyBytes, 1024);
  assert.equal(result.config.query.maxRowsKept, 1000);
  assert.equal(result.config.log.requests, false);
});

test('all problems are reported at once, each with its position and the nearest valid name', async () => {
  const problems = await refusals({
    yaml: 'http:\n  prot: 1\n  host: ""\nquerry:\n  x: 1\nlog: 5\nhttp.port: 9\nzzzzzzzz: 1\nport: 1\n',
    environment: {
      GRIDKEEP_HTTP_PROT: '1',
      GRIDKEEP_LOG_LEVEL: 'loud',
      GRIDKEEP_HTTP_INSECURE: 'maybe',
    },
    flags: [{ path: 'http.port', raw: '70000', name: '--port' }],
  });
  assert.deepEqual(problems, [
    'gridkeep.yaml:2: unknown setting http.prot; did you mean http.port?',
    'gridkeep.yaml:4: unknown setting querry; did you mean query?',
    'gridkeep.yaml:6: log must be a map of settings',
    'gridkeep.yaml:7: unknown setting http.port; did you mean port under http?',
    'gridkeep.yaml:8: unknown setting zzzzzzzz',
    'gridkeep.yaml:9: unknown setting port; did you mean port under http?',
    'unknown setting GRIDKEEP_HTTP_PROT in the environment; did you mean GRIDKEEP_HTTP_PORT?',
    'gridkeep.yaml:3: http.host must be a text that is not empty, not ""',
    '--port must be a whole number from 0 to 65535, not "70000"',
    'GRIDKEEP_HTTP_INSECURE must be on or off, not "maybe"',
    'GRIDKEEP_LOG_LEVEL must be one of error, warn, info, debug, not "loud"',
  ]);
});

test('malformed numbers, byte counts and lists are refused', async () => {
  const cases: readonly [string, string][] = [
    ['http: {port: 1.5}', 'a whole number'],
    ['http: {port: 1e400}', 'a whole number'],
    ['http: {port: 99999999999999999999}', 'a whole number'],
    ['http: {port: "99999999999999999999"}', 'a whole number'],
    ['http: {port: [1]}', 'a whole number'],
    ['limits: {body-bytes: 8 parsecs}', 'a number of bytes (such as 8 MiB) from 1 to'],
    ['limits: {body-bytes: -1}', 'a number of bytes'],
    ['changes: {max-count: -1}', 'a whole number of at least 0'],
    ['http: {advertise: {a: 1}}', 'a list of texts'],
    ['http: {advertise: [1]}', 'a list of texts'],
    ['http: {advertise: "a,,b"}', 'a list of texts'],
  ];
  for (const [yaml, expected] of cases) {
    const [problem, ...more] = await refusals({ yaml });
    assert.deepEqual(more, []);
    assert.ok(problem?.includes(`must be ${expected}`), `${yaml}: ${problem}`);
  }
});

test('a file named explicitly must exist and be readable; the default one need not', async () => {
  assert.deepEqual(await refusals({ configFile: 'absent.yaml' }), ['absent.yaml does not exist']);
  assert.deepEqual(await refusals({ environment: { GRIDKEEP_CONFIG: 'absent.yaml' } }), [
    'absent.yaml does not exist',
  ]);
  const folder = join(directory, 'folder.yaml');
  await mkdir(folder);
  assert.deepEqual(await refusals({ configFile: folder }), [
    `${folder} cannot be read: it is a directory`,
  ]);
  assert.deepEqual(await refusals({ configFile: '' }), [
    '--config must be a text that is not empty, not ""',
  ]);
  assert.deepEqual(await refusals({ environment: { GRIDKEEP_CONFIG: '' } }), [
    'GRIDKEEP_CONFIG must be a text that is not empty, not ""',
  ]);
});

test('an empty file is accepted, and invalid YAML is refused with its line', async () => {
  await loaded({ yaml: '# nothing\n' });
  const [broken] = await refusals({ yaml: 'http:\n  port: [1\n' });
  assert.match(broken ?? '', /^gridkeep\.yaml:\d: not valid YAML: /);
  const [twice] = await refusals({ yaml: 'log: {}\nlog: {}\n' });
  assert.match(twice ?? '', /^gridkeep\.yaml:2: not valid YAML: /);
  for (const yaml of [
    'http: &a\n  port: *a\n',
    'http:\n  port: *none\n',
    'http:\n  port: !secret 5\n',
    `a: &a [1, 2, 3]\nb: &b [${'*a, '.repeat(40)}]\nregions: [${'*b, '.repeat(40)}]\n`,
  ]) {
    const problems = await refusals({ yaml });
    assert.equal(problems.length, 1, yaml);
    assert.match(problems[0] ?? '', /^gridkeep\.yaml(:\d)?: not valid YAML: [^\n]+$/);
  }
  const file = join(directory, 'latin1.yaml');
  await writeFile(file, Buffer.from('http:\n  host: "Z\u00fcrich"\n', 'latin1'));
  assert.deepEqual(await refusals({ configFile: file }), [`${file} is not text in UTF-8`]);
  assert.deepEqual(await refusals({ yaml: '- a\n' }), [
    'gridkeep.yaml must be a map of setting groups',
  ]);
});

test('variables that a container platform sets for a service of this name are ignored', async () => {
  await loaded({
    environment: {
      GRIDKEEP_SERVICE_HOST: '10.0.0.1',
      GRIDKEEP_SERVICE_PORT_HTTP: '7070',
      GRIDKEEP_PORT: 'tcp://10.0.0.1:7070',
      GRIDKEEP_PORT_7070_TCP_ADDR: '10.0.0.1',
    },
  });
  assert.deepEqual(await refusals({ environment: { GRIDKEEP_PORT: '7070' } }), [
    'unknown setting GRIDKEEP_PORT in the environment; did you mean GRIDKEEP_HTTP_PORT?',
  ]);
});

test('regions, indexes and queries are declared in the file', async () => {
  const { declarations } = await loaded({
    yaml: `
regions:
  - name: orders
    type: PARTITION
    key-constraint: java.lang.String
    indexes:
      - { name: by-status, expression: o.status, from: /orders o }
      - { name: by-id, expression: id, kind: key }
  - name: log
queries:
  all-orders: SELECT * FROM /orders
`,
  });
  assert.deepEqual(declarations, {
    regions: [
      {
        name: 'orders',
        type: 'PARTITION',
        keyConstraint: 'java.lang.String',
        valueConstraint: null,
        indexes: [
          { name: 'by-status', expression: 'o.status', from: '/orders o', kind: 'range' },
          { name: 'by-id', expression: 'id', kind: 'key' },
        ],
      },
      { name: 'log', type: 'REPLICATE', keyConstraint: null, valueConstraint: null, indexes: [] },
    ],
    queries: [{ id: 'all-orders', oql: 'SELECT * FROM /orders' }],
  });
  const empty = await loaded({ yaml: 'regions:\nqueries:\n' });
  assert.deepEqual(empty.declarations, { regions: [], queries: [] });
});

test('declarations of the wrong shape are refused, each with a reason', async () => {
  assert.deepEqual(
    await refusals({
      yaml: `regions:
  - name: a
    typ: EMPTY
    type: LOCAL
  - 5
  - { name: a, value-constraint: 7, indexes: {} }
  - { indexes: [{ name: i, kind: tree }, { name: 1, expression: x }] }
queries: { a: "", b: 5 }
`,
    }),
    [
      'gridkeep.yaml:3: unknown setting regions[0].typ; did you mean type?',
      'gridkeep.yaml:4: regions[0].type must be one of REPLICATE, PARTITION, EMPTY',
      'gridkeep.yaml:5: regions[1] must be a map',
      'gridkeep.yaml:6: regions[2].value-constraint must be a text',
      'gridkeep.yaml:6: regions[2].indexes must be a list',
      'gridkeep.yaml:7: regions[3].name is missing',
      'gridkeep.yaml:7: regions[3].indexes[0].expression is missing',
      'gridkeep.yaml:7: regions[3].indexes[0].kind must be one of range, hash, key',
      'gridkeep.yaml:7: regions[3].indexes[1].name must be a text',
      'gridkeep.yaml:1: region a is declared twice',
      'gridkeep.yaml:8: queries.a must be an OQL text',
      'gridkeep.yaml:8: queries.b must be an OQL text',
    ],
  );
  assert.deepEqual(await refusals({ yaml: 'queries: [x]\nregions: {}\n' }), [
    'gridkeep.yaml:1: queries must be a map from query id to OQL text',
    'gridkeep.yaml:2: regions must be a list',
  ]);
});
