// S1: requests every route of the router with every kind of login. A route that is not in the table
// fails the test.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DIALECT_NAMES, routesOfDialects } from '../../src/http/dialects/dialects.ts';
import { routes } from '../../src/http/routes.ts';
import type { Answer } from '../http-client.ts';
import { ADMIN, API, Service } from '../service.ts';
import {
  apiKey,
  authenticatorOf,
  basic,
  bearer,
  createSigningKey,
  type Headers,
  hsToken,
  JWT,
  jwksOf,
  noneToken,
  rightClaims,
  rsToken,
  user,
} from './logins.ts';

const STRANGERS = [
  'anonymous',
  'unknown user',
  'wrong password',
  'unreadable login',
  'unknown API key',
  'expired API key',
  'expired token',
  'token not yet valid',
  'token without expiry',
  'token for another audience',
  'token of another issuer',
  'token with alg none',
  'token with HS for RS',
  'token with unknown kid',
  'token signed by another key',
  'token changed after signing',
] as const;

const KNOWN = [
  'nobody',
  'reader of another region',
  'reader of one key',
  'reader',
  'writer',
  'analyst',
  'query admin',
  'operator',
  'admin',
] as const;

type Stranger = (typeof STRANGERS)[number];
type Known = (typeof KNOWN)[number];

const PERMISSIONS: Readonly<Record<Known, readonly string[]>> = {
  nobody: [],
  'reader of another region': ['DATA:READ:customers'],
  'reader of one key': ['DATA:READ:orders:7'],
  reader: ['DATA:READ:orders', 'QUERY:RUN:q1'],
  writer: ['DATA:WRITE:orders'],
  analyst: ['DATA:READ', 'QUERY:RUN'],
  'query admin': ['QUERY:MANAGE'],
  operator: ['CLUSTER:READ'],
  admin: ['*'],
};

interface Row {
  readonly path: string;
  /** Who is permitted: everybody, every login, or these logins. */
  readonly open: 'everybody' | 'login' | readonly Known[];
  readonly status?: number;
  readonly body?: string;
  /** `application/json` unless given. */
  readonly type?: string;
  /** Errors have the format of a dialect. */
  readonly isDialect?: true;
}

const MERGE_PATCH = 'application/merge-patch+json';

const READERS: readonly Known[] = ['reader', 'analyst', 'admin'];
const WRITERS: readonly Known[] = ['writer', 'admin'];
const QUERY_ADMINS: readonly Known[] = ['query admin', 'admin'];
const OPERATORS: readonly Known[] = ['operator', 'admin'];
const ADMINS: readonly Known[] = ['admin'];
const REGION_VIEWERS: readonly Known[] = [
  'reader of another region',
  'reader of one key',
  'reader',
  'writer',
  'analyst',
  'operator',
  'admin',
];

const ADHOC = `${API}/queries/adhoc`;
const INDEXES = `${ADMIN}/regions/orders/indexes`;

const MATRIX: Readonly<Record<string, Row>> = {
  listRegions: { path: API, open: REGION_VIEWERS },
  readRegion: { path: `${API}/orders`, open: READERS },
  countRegion: { path: `${API}/orders`, open: READERS },
  listKeys: { path: `${API}/orders/keys`, open: READERS },
  readChanges: {
    path: `${API}/_changes?since=0`,
    open: ['reader of another region', 'reader of one key', ...READERS],
  },
  readRegionChanges: {
    path: `${API}/orders/_changes?since=0`,
    open: ['reader of one key', ...READERS],
  },
  readEntries: { path: `${API}/orders/7`, open: ['reader of one key', ...READERS] },
  putEntries: { path: `${API}/orders/7`, open: WRITERS, body: '{"n":1}' },
  postEntry: { path: `${API}/orders?key=new`, open: WRITERS, status: 201, body: '{"n":1}' },
  putEntriesByQuery: { path: `${API}/orders?keys=7`, open: WRITERS, body: '{"n":1}' },
  patchEntry: { path: `${API}/orders/7`, open: ADMINS, body: '{"n":1}', type: MERGE_PATCH },
  patchEntryByQuery: {
    path: `${API}/orders?keys=7`,
    open: ADMINS,
    body: '{"n":1}',
    type: MERGE_PATCH,
  },
  bulk: {
    path: `${API}/orders/_bulk`,
    open: WRITERS,
    body: '[{"key":"7","value":{"n":1}}]',
  },
  transact: {
    path: `${API}/_tx`,
    open: WRITERS,
    body: '{"if":[{"region":"orders","key":"9","absent":true}],"do":[{"op":"put","region":"orders","key":"7","value":{"n":1}}]}',
  },
  clearRegion: { path: `${API}/orders`, open: WRITERS },
  deleteEntries: { path: `${API}/orders/8`, open: WRITERS },
  listVersions: { path: `${API}/orders/_history/7`, open: ['reader of one key', ...READERS] },
  // A permitted login gets 404, because the version does not exist.
  restoreEntry: { path: `${API}/orders/_history/7?restore=999`, open: ADMINS, status: 404 },
  listQueries: { path: `${API}/queries`, open: [...READERS, 'query admin'] },
  runNamedQuery: { path: `${API}/queries/q1`, open: READERS, body: '[]' },
  updateQuery: { path: `${API}/queries/q1?q=SELECT%20*%20FROM%20/orders`, open: QUERY_ADMINS },
  deleteQuery: { path: `${API}/queries/q1`, open: QUERY_ADMINS },
  createQuery: {
    path: `${API}/queries?id=q2&q=SELECT%20*%20FROM%20/orders`,
    open: QUERY_ADMINS,
    status: 201,
  },
  readQuery: { path: `${API}/queries/q1`, open: [...READERS, 'query admin'] },
  runAdhocQuery: { path: `${ADHOC}?q=SELECT%20*%20FROM%20/orders`, open: ['analyst', 'admin'] },
  postAdhocQuery: {
    path: ADHOC,
    open: ['analyst', 'admin'],
    body: '{"oql":"SELECT * FROM /orders","params":[]}',
  },
  queryNamed: { path: `${API}/queries/q1`, open: READERS, body: '[]' },
  queryAdhoc: {
    path: `${API}/queries`,
    open: ['analyst', 'admin'],
    type: 'application/oql',
    body: 'SELECT * FROM /orders',
  },
  // Streams do not end, so these requests have a bad parameter, which only permitted logins see.
  followNamedQuery: { path: `${API}/queries/q1/_live?$1=1`, open: READERS, status: 400 },
  followAdhocQuery: {
    path: `${ADHOC}/_live?q=SELECT%20*%20FROM%20/orders&$1=1`,
    open: ['analyst', 'admin'],
    status: 400,
  },
  postLiveQuery: {
    path: `${ADHOC}/_live`,
    open: ['analyst', 'admin'],
    status: 400,
    body: '{"oql":"SELECT * FROM /orders","params":[1]}',
  },
  listServers: { path: `${API}/servers`, open: 'login' },
  ping: { path: `${API}/ping`, open: 'login' },
  createRegion: { path: `${ADMIN}/regions`, open: ADMINS, status: 201, body: '{"name":"made"}' },
  describeRegions: { path: `${ADMIN}/regions`, open: OPERATORS },
  describeRegion: { path: `${ADMIN}/regions/orders`, open: OPERATORS },
  readSchema: { path: `${ADMIN}/regions/orders/schema`, open: READERS },
  alterRegion: {
    path: `${ADMIN}/regions/orders`,
    open: ADMINS,
    body: '{"history":{"count":10}}',
  },
  destroyRegion: { path: `${ADMIN}/regions/orders`, open: ADMINS },
  createIndex: {
    path: INDEXES,
    open: ADMINS,
    status: 201,
    body: '{"name":"by-status","expression":"status"}',
  },
  listIndexes: { path: INDEXES, open: OPERATORS },
  describeIndex: { path: `${INDEXES}/by-n`, open: OPERATORS },
  dropIndex: { path: `${INDEXES}/by-n`, open: ADMINS },
  readQueryStatistics: { path: `${ADMIN}/queries/statistics`, open: QUERY_ADMINS },
  listRunningQueries: { path: `${ADMIN}/queries/running`, open: QUERY_ADMINS },
  // No query runs, which only logins that may cancel it see.
  cancelQuery: { path: `${ADMIN}/queries/running/999`, open: QUERY_ADMINS, status: 404 },
  readConfig: { path: `${ADMIN}/config`, open: OPERATORS },
  readStats: { path: `${ADMIN}/stats`, open: OPERATORS },
  livez: { path: '/livez', open: 'everybody' },
  readyz: { path: '/readyz', open: 'everybody' },
  metrics: { path: '/metrics', open: OPERATORS },
  readOpenApi: { path: `${API}/openapi.json`, open: 'everybody' },
  readLogin: { path: `${ADMIN}/login`, open: 'login' },
  redirectToConsole: { path: '/', open: 'everybody', status: 302 },
  readConsolePage: { path: '/console/', open: 'everybody' },
  readConsoleAsset: { path: '/console/assets/icon.svg', open: 'everybody' },
  readDocsPage: { path: '/docs', open: 'everybody' },
  readDocsFile: { path: '/docs/page.js', open: 'everybody' },
};

const QUERY = 'q=SELECT%20*%20FROM%20/orders';

/** Geode's routes by method and path below their root; `path` is below it too. */
const GEODE: Readonly<Record<string, Row>> = {
  'GET ': { path: '', open: REGION_VIEWERS },
  'GET /ping': { path: '/ping', open: 'login' },
  'GET /servers': { path: '/servers', open: 'login' },
  'GET /{region}': { path: '/orders', open: READERS },
  'HEAD /{region}': { path: '/orders', open: READERS },
  'POST /{region}': { path: '/orders?key=new', open: WRITERS, status: 201, body: '{"n":1}' },
  'PUT /{region}': { path: '/orders?keys=7', open: WRITERS, body: '{"n":1}' },
  'DELETE /{region}': { path: '/orders', open: WRITERS },
  'GET /{region}/keys': { path: '/orders/keys', open: READERS },
  'PUT /{region}/keys': { path: '/orders/keys', open: WRITERS, body: '{"n":1}' },
  'DELETE /{region}/keys': { path: '/orders/keys', open: WRITERS, status: 404 },
  'GET /{region}/{keys}': { path: '/orders/7', open: ['reader of one key', ...READERS] },
  'PUT /{region}/{keys}': { path: '/orders/7', open: WRITERS, body: '{"n":1}' },
  'DELETE /{region}/{keys}': { path: '/orders/8', open: WRITERS },
  'GET /queries': { path: '/queries', open: [...READERS, 'query admin'] },
  'POST /queries': { path: `/queries?id=q2&${QUERY}`, open: QUERY_ADMINS, status: 201 },
  'GET /queries/adhoc': { path: `/queries/adhoc?${QUERY}`, open: ['analyst', 'admin'] },
  // No query can have this id.
  'POST /queries/adhoc': {
    path: '/queries/adhoc',
    open: ['analyst', 'admin'],
    status: 404,
    body: '[]',
  },
  'PUT /queries/adhoc': { path: `/queries/adhoc?${QUERY}`, open: QUERY_ADMINS, status: 404 },
  'DELETE /queries/adhoc': { path: '/queries/adhoc', open: QUERY_ADMINS, status: 404 },
  'POST /queries/{queryId}': { path: '/queries/q1', open: READERS, body: '[]' },
  'PUT /queries/{queryId}': { path: `/queries/q1?${QUERY}`, open: QUERY_ADMINS },
  'DELETE /queries/{queryId}': { path: '/queries/q1', open: QUERY_ADMINS },
  'GET /functions': { path: '/functions', open: 'login' },
  // There are no functions, which every login sees.
  'POST /functions/{id}': { path: '/functions/f', open: 'login', status: 404 },
};

let service: Service;
let strangers: Readonly<Record<Stranger, Headers>>;
let known: Readonly<Record<Known, Headers>>;

before(async () => {
  const key = createSigningKey('k1');
  const other = createSigningKey('k2');
  const token = (claims: object): Headers => bearer(rsToken(key, rightClaims({ ...claims })));
  const old = apiKey('old', ['*'], '2001-01-01');
  const fresh = apiKey('fresh', PERMISSIONS['reader of another region'], '2999-01-01');
  const all = { permissions: ['*'] };
  const right = rsToken(key, rightClaims(all));
  const [header, , signature] = right.split('.');
  const [, forged] = noneToken(rightClaims({ permissions: ['*'], sub: 'root' })).split('.');
  strangers = {
    anonymous: {},
    'unknown user': basic('eve', 'open sesame'),
    'wrong password': basic('admin', 'open sesame'),
    'unreadable login': { Authorization: 'Negotiate abc' },
    'unknown API key': bearer(apiKey('x', ['*']).key),
    'expired API key': bearer(old.key),
    'expired token': token({ ...all, exp: Math.floor(Date.now() / 1000) - 60 }),
    'token not yet valid': token({ ...all, nbf: Math.floor(Date.now() / 1000) + 600 }),
    'token without expiry': token({ ...all, exp: undefined }),
    'token for another audience': token({ ...all, aud: 'another' }),
    'token of another issuer': token({ ...all, iss: 'https://evil.example/' }),
    'token with alg none': bearer(noneToken(rightClaims(all))),
    'token with HS for RS': bearer(hsToken(key, rightClaims(all))),
    'token with unknown kid': bearer(rsToken(other, rightClaims(all))),
    'token signed by another key': bearer(rsToken(other, rightClaims(all), { kid: 'k1' })),
    'token changed after signing': bearer(`${header}.${forged}.${signature}`),
  };
  known = {
    nobody: basic('nobody', 'password of nobody'),
    'reader of another region': bearer(fresh.key),
    'reader of one key': token({ permissions: PERMISSIONS['reader of one key'] }),
    reader: basic('reader', 'password: with colons: ä'),
    writer: token({ roles: ['clerk', 'of another service'] }),
    analyst: token({ permissions: 'DATA:READ QUERY:RUN not-a-permission' }),
    'query admin': { 'X-Api-Key': '' },
    operator: basic('operator', 'password of operator'),
    admin: basic('admin', 'password of admin'),
  };
  const queryAdmin = apiKey('query-admin', PERMISSIONS['query admin']);
  known = { ...known, 'query admin': { 'X-Api-Key': queryAdmin.key } };
  // Every reading of the clock advances it by a minute, so that failures do not add up (see S9).
  let minutes = 0;
  const authenticator = await authenticatorOf(
    {
      users: [
        await user('nobody', 'password of nobody', PERMISSIONS.nobody),
        await user('reader', 'password: with colons: ä', PERMISSIONS.reader),
        await user('operator', 'password of operator', PERMISSIONS.operator),
        await user('admin', 'password of admin', PERMISSIONS.admin),
      ],
      roles: [{ name: 'clerk', permissions: PERMISSIONS.writer }],
      apiKeys: [old.setting, fresh.setting, queryAdmin.setting],
      jwt: JWT,
    },
    { 'jwks.json': jwksOf(key) },
    {
      now: () => {
        minutes += 1;
        return minutes * 61_000;
      },
    },
  );
  service = await Service.start({ http: { authenticator } });
});

after(() => service.stop());

/** Creates what the table requests, after earlier requests may have changed it. */
async function prepare(): Promise<void> {
  const { grid } = service;
  for (const { name } of await grid.describeRegions()) await grid.destroyRegion(name);
  for (const text of await grid.listQueries()) {
    const { id }: { id: string } = JSON.parse(text);
    await grid.deleteQuery(id);
  }
  await grid.createRegion({ name: 'orders', settings: { history: { count: 100 } } });
  await grid.createRegion({ name: 'customers' });
  await grid.createIndex('orders', { name: 'by-n', expression: 'n' });
  await grid.createQuery({ id: 'q1', oql: 'SELECT * FROM /orders' });
  await service.put('orders', { 7: '{"n":7}', 8: '{"n":8}' });
}

function ask(row: Row, method: string, headers: Headers): Promise<Answer> {
  return service.sendTo(method, row.path, {
    headers: row.type === undefined ? headers : { ...headers, 'Content-Type': row.type },
    ...(row.body === undefined ? {} : { body: row.body }),
  });
}

function methodsOf(route: (typeof routes)[number]): readonly string[] {
  const hasHead = route.method === 'GET' && route.head !== 'never';
  return hasHead && route.operation !== 'readRegion' ? ['GET', 'HEAD'] : [route.method];
}

test('S1: the table has every route of the router', () => {
  assert.ok(routes.length > 30);
  assert.deepEqual(
    routes.map(({ operation }) => operation).toSorted(),
    Object.keys(MATRIX).toSorted(),
  );
});

describe('S1: permissions of every route', () => {
  for (const route of routes) {
    const row = MATRIX[route.operation];
    for (const method of methodsOf(route)) {
      test(`${method} ${route.path}`, async () => {
        assert.ok(row, 'the table has the route');
        await prepare();
        await checkStrangers(row, method);
        await checkKnown(row, method);
      });
    }
  }
});

describe('S1: permissions of every route in the dialects', () => {
  for (const route of routesOfDialects(DIALECT_NAMES)) {
    const [, root = '', below = ''] = /^(\/[^/]+\/v1)(.*)$/.exec(route.path) ?? [];
    const geodeRow = GEODE[`${route.method} ${below}`];
    test(`${route.method} ${route.path}`, async () => {
      assert.ok(geodeRow, 'the table has the route');
      const row = { ...geodeRow, path: root + geodeRow.path, isDialect: true as const };
      await prepare();
      await checkStrangers(row, route.method);
      await checkKnown(row, route.method);
    });
  }
});

async function checkStrangers(row: Row, method: string): Promise<void> {
  for (const name of STRANGERS) {
    const answer = await ask(row, method, strangers[name]);
    if (row.open === 'everybody') {
      assert.equal(answer.status, row.status ?? 200, name);
      continue;
    }
    assert.equal(answer.status, 401, name);
    const challenge = answer.headers['www-authenticate'];
    assert.equal(challenge, 'Basic realm="gridkeep", charset="UTF-8", Bearer realm="gridkeep"');
    const code = name === 'anonymous' ? 'auth/login-required' : 'auth/login-failed';
    if (method === 'HEAD') continue;
    const shown = row.isDialect === true ? '{"cause":"' : `"code":"${code}"`;
    assert.ok(answer.text.includes(shown), answer.text);
  }
}

async function checkKnown(row: Row, method: string): Promise<void> {
  for (const name of KNOWN) {
    const isIn = typeof row.open === 'string' || row.open.includes(name);
    if (isIn) await prepare();
    const answer = await ask(row, method, known[name]);
    assert.equal(answer.status, isIn ? (row.status ?? 200) : 403, `${name}: ${answer.text}`);
  }
}

test('S1: an answer without permission does not reveal whether a region, key or query exists', async () => {
  await prepare();
  const cases: readonly (readonly [string, string, string])[] = [
    ['GET', '/orders', '/absent'],
    ['HEAD', '/orders', '/absent'],
    ['GET', '/orders/keys', '/absent/keys'],
    ['GET', '/orders?after=a&where=n%3E1', '/absent?after=a&where=n%3E1'],
    ['GET', '/orders/keys?limit=1', '/absent/keys?limit=1'],
    ['GET', '/orders/7', '/orders/none'],
    ['GET', '/queries/q1', '/queries/q9'],
    ['POST', '/queries/q1', '/queries/q9'],
    ['DELETE', '/orders/7', '/absent/7'],
  ];
  for (const [method, there, notThere] of cases) {
    const [first, second] = await Promise.all(
      [there, notThere].map((path) =>
        service.send(method, path, { headers: known['reader of another region'] }),
      ),
    );
    assert.equal(first?.status, 403);
    assert.equal(second?.status, 403);
    const name = (path: string): RegExp => new RegExp(/^\/(\w+)/.exec(path)?.[1] ?? '', 'g');
    const masked = (text: string | undefined, path: string): string =>
      (text ?? '').replaceAll(name(path), '?').replaceAll(/q\d|:7|:none/g, '?');
    assert.equal(masked(first?.text, there), masked(second?.text, notThere));
  }
});

test('S1: every key of a request is checked, in every spelling', async () => {
  await prepare();
  const headers = known['reader of one key'];
  for (const [path, status] of [
    ['/orders/7', 200],
    ['/orders/%37', 200],
    ['/%6Frders/7', 200],
    ['/orders/7,7', 200],
    ['/orders?keys=7', 200],
    ['/orders/8', 403],
    ['/orders/7,8', 403],
    ['/orders/8,7', 403],
    ['/orders?keys=7&keys=8', 403],
    ['/orders?keys=7,8', 403],
    ['/orders/8?keys=7', 400],
    ['/orders/keys?keys=7', 400],
    ['/orders/%6Beys?keys=7', 400],
    ['/orders', 403],
    ['/orders?limit=1', 403],
    ['/orders/7%2C8', 403],
    ['/orders/,', 400],
  ] as const) {
    const answer = await service.send('GET', path, { headers });
    assert.equal(answer.status, status, path);
  }
  for (const [path, status] of [
    ['/orders?keys=7', 200],
    ['/orders?keys=7,8', 403],
    ['/orders', 403],
  ] as const) {
    const answer = await service.send('HEAD', path, { headers });
    assert.equal(answer.status, status, path);
    assert.equal(answer.headers['resource-count'], undefined);
  }
});

test('S1: lists show only what their reader may see', async () => {
  await prepare();
  await service.grid.createQuery({ id: 'q2', oql: 'SELECT * FROM /customers' });
  const names = async (who: Known): Promise<readonly string[]> => {
    const answer = await service.send('GET', '', { headers: known[who] });
    const { regions }: { regions: { name: string }[] } = JSON.parse(answer.text);
    return regions.map(({ name }) => name);
  };
  assert.deepEqual(await names('reader'), ['orders']);
  assert.deepEqual(await names('reader of one key'), ['orders']);
  assert.deepEqual(await names('writer'), ['orders']);
  assert.deepEqual(await names('reader of another region'), ['customers']);
  assert.deepEqual(await names('operator'), ['customers', 'orders']);
  const queries = async (who: Known): Promise<readonly string[]> => {
    const answer = await service.send('GET', '/queries', { headers: known[who] });
    const list: { queries: { id: string }[] } = JSON.parse(answer.text);
    return list.queries.map(({ id }) => id);
  };
  assert.deepEqual(await queries('reader'), ['q1']);
  assert.deepEqual(await queries('query admin'), ['q1', 'q2']);
});

test('S1: errors show similar names and current values only to logins that may see them', async () => {
  await prepare();
  const send = (who: Known, method: string, path: string, body?: string): Promise<Answer> =>
    service.send(method, path, {
      headers: known[who],
      ...(body === undefined ? {} : { body }),
    });
  assert.match((await send('admin', 'GET', '/order')).text, /did you mean orders/);
  const analyst = await send('analyst', 'GET', '/order');
  assert.match(analyst.text, /did you mean orders/);
  const taken = await send('writer', 'POST', '/orders?key=7', '{"n":1}');
  assert.equal(taken.status, 409);
  assert.ok(!taken.text.includes('"n":7'), taken.text);
  const differs = await send('writer', 'PUT', '/orders/7?op=CAS', '{"@old":{"n":0},"@new":{}}');
  assert.equal(differs.status, 409);
  assert.ok(!differs.text.includes('"n":7'), differs.text);
  assert.equal((await send('admin', 'POST', '/orders?key=7', '{"n":1}')).text, '{"n":7}');
});

test('S1: two logins in one request are refused, whichever is valid', async () => {
  const { Authorization = '' } = known.admin;
  const answer = await service.send('GET', '/ping', {
    headers: { Authorization, 'X-Api-Key': 'gridkeep_x' },
  });
  assert.equal(answer.status, 400);
});

test('S1: a condition reads no region that its sender may not read', async () => {
  await prepare();
  const send = (who: Known, method: string, path: string): Promise<Answer> =>
    service.send(method, path, { headers: known[who] });
  const where = (region: string): string =>
    encodeURIComponent(`EXISTS(SELECT * FROM /${region} o WHERE o.n IS NOT NULL)`);
  for (const path of ['/orders?', '/orders/keys?limit=1&']) {
    for (const region of ['customers', 'absent']) {
      const answer = await send('reader', 'GET', `${path}where=${where(region)}`);
      assert.equal(answer.status, 403, answer.text);
      assert.equal(JSON.parse(answer.text).code, 'grid/region-forbidden');
    }
    assert.equal((await send('reader', 'GET', `${path}where=${where('orders')}`)).status, 200);
    assert.equal((await send('admin', 'GET', `${path}where=${where('customers')}`)).status, 200);
  }
});
