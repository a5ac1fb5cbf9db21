// S14: logins that may write, query, or read a single key, with every kind of request beyond the
// specification. No request reveals an entry that the login may not read: no value, no version, no
// count, and no answer that depends on it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer } from '../http-client.ts';
import { LiveClient } from '../live-client.ts';
import { ADMIN, API, Service } from '../service.ts';
import { apiKey, authenticatorOf, bearer } from './logins.ts';

const logins = {
  admin: apiKey('admin', ['*']),
  writer: apiKey('writer', ['DATA:WRITE:orders']),
  one: apiKey('one', ['DATA:READ:orders:7']),
  query: apiKey('query', ['QUERY:RUN']),
  elsewhere: apiKey('elsewhere', ['QUERY:RUN', 'QUERY:MANAGE', 'DATA:READ:items']),
  operator: apiKey('operator', ['CLUSTER:READ', 'CLUSTER:MANAGE']),
};

type Login = keyof typeof logins;

/** Texts that only the hidden entries have: their values, and the name of a member. */
const HIDDEN = /treasure|hoard/;

let service: Service;

before(async () => {
  const authenticator = await authenticatorOf({
    apiKeys: Object.values(logins).map(({ setting }) => setting),
  });
  service = await Service.start({ http: { authenticator } });
  for (const name of ['orders', 'items']) await create(name);
  // Two versions of each, so that there is a history to hide.
  for (const n of [1, 2]) {
    await service.put('orders', { 7: `{"n":${n}}`, 8: `{"n":${n},"hoard":"treasure"}` });
  }
  await service.put('items', { 1: '{"n":1}' });
  const query = await send('admin', `POST ${API}/queries?id=q1&q=SELECT%20*%20FROM%20/orders`);
  assert.equal(query.status, 201, query.text);
});

after(() => service.stop());

async function create(name: string): Promise<void> {
  const body = JSON.stringify({ name, history: { count: 100 } });
  assert.equal((await send('admin', `POST ${ADMIN}/regions`, { body })).status, 201);
}

/** `POST /path`, with a body as JSON unless a header says otherwise. */
function send(
  login: Login,
  request: string,
  { body, ...headers }: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const [method = '', path = ''] = request.split(' ');
  const all = { ...bearer(logins[login].key), 'Content-Type': 'application/json', ...headers };
  return service.sendTo(method, path, { headers: all, ...(body === undefined ? {} : { body }) });
}

const oql = (text: string): string => encodeURIComponent(text);
const ORDERS = oql('SELECT * FROM /orders');
const THROUGH_ITEMS = oql('n IN (SELECT o.n FROM /orders o)');
const EVENTS = { Accept: 'text/event-stream' };
const ANY_VERSION = { 'If-None-Match': '*' };
const EXACT = { Prefer: 'count=exact' };

/** Login, request and headers. */
const REFUSED: readonly (readonly [Login, string, Readonly<Record<string, string>>?])[] = [
  ['writer', `GET ${API}/orders/8`],
  ['writer', `GET ${API}/orders/8?at=5`],
  ['writer', `GET ${API}/orders/8`, ANY_VERSION],
  ['writer', `GET ${API}/orders/_history/8`],
  ['writer', `POST ${API}/orders/_history/8?restore=4`],
  ['writer', `GET ${API}/orders/_changes?since=0`],
  ['writer', `GET ${API}/_changes?since=0`],
  ['writer', `GET ${ADMIN}/regions/orders/schema`],
  ['writer', `HEAD ${API}/orders`, EXACT],
  ['writer', `POST ${API}/_tx`, { body: '{"do":[{"op":"get","region":"orders","key":"8"}]}' }],
  [
    'writer',
    `PATCH ${API}/orders/8`,
    { body: '{}', 'Content-Type': 'application/merge-patch+json', Prefer: 'return=representation' },
  ],
  ['one', `GET ${API}/orders/7,8`],
  ['one', `GET ${API}/orders?keys=8`],
  ['one', `GET ${API}/orders/8?at=5`],
  ['one', `GET ${API}/orders/_history/8`],
  ['one', `GET ${API}/orders/_changes?since=0&keys=8`],
  ['one', `GET ${API}/orders?limit=1`, EXACT],
  ['one', `GET ${API}/orders?prefix=8&entries=true`],
  ['one', `GET ${API}/orders?where=${oql("hoard = 'treasure'")}`],
  ['one', `GET ${API}/orders/keys?prefix=8`],
  ['one', `GET ${ADMIN}/regions/orders/schema`],
  [
    'one',
    `POST ${API}/_tx`,
    { body: '{"if":[{"region":"orders","key":"8","present":true}],"do":[]}' },
  ],
  ...(['query', 'elsewhere'] as const).flatMap((login) =>
    (
      [
        [`GET ${API}/queries/adhoc?q=${ORDERS}`],
        [`GET ${API}/queries/adhoc?q=${ORDERS}&at=5`],
        [`GET ${API}/queries/adhoc?q=${ORDERS}&explain=true`],
        [`GET ${API}/queries/adhoc?q=${oql('SELECT o.hoar FROM /orders o')}&strict=true`],
        [`POST ${API}/queries/q1`, { body: '[]' }],
        [`QUERY ${API}/queries/q1`, { ...ANY_VERSION, body: '[]' }],
        [
          `QUERY ${API}/queries`,
          { ...ANY_VERSION, body: 'SELECT * FROM /orders', 'Content-Type': 'application/oql' },
        ],
        [`GET ${API}/queries/q1/_live`, EVENTS],
        [`GET ${API}/queries/adhoc/_live?q=${ORDERS}`, EVENTS],
      ] as const
    ).map(([request, headers = {}]) => [login, request, headers] as const),
  ),
  ['elsewhere', `GET ${API}/items?where=${THROUGH_ITEMS}`],
  ['elsewhere', `POST ${API}/queries?id=q2&q=${oql('SELECT o.hoar FROM /orders o')}&check=true`],
  ['elsewhere', `GET ${ADMIN}/regions/orders/schema`],
  ['operator', `GET ${ADMIN}/regions/orders/schema`],
  ['operator', `GET ${ADMIN}/queries/statistics`],
  ['operator', `GET ${API}/orders/_changes?since=0`],
];

for (const [login, request, headers] of REFUSED) {
  test(`${login} is refused ${decodeURIComponent(request)}`, async () => {
    const answer = await send(login, request, headers);
    assert.equal(answer.status, 403, answer.text);
    assert.doesNotMatch(answer.text, HIDDEN);
    assert.equal(answer.headers['etag'], undefined);
    assert.equal(answer.headers['resource-count'], undefined);
  });
}

test('a feed shows a login only its keys, with their history', async () => {
  for (const parameters of ['', '&include=value,old', `&where=${oql('n > 0')}`]) {
    const { status, text } = await send('one', `GET ${API}/orders/_changes?since=0${parameters}`);
    assert.equal(status, 200, text);
    assert.doesNotMatch(text, HIDDEN);
    const keys = JSON.parse(text).changes.flatMap(({ key }: { key?: string }) => key ?? []);
    assert.deepEqual(keys, ['7', '7']);
  }
});

test('the answer to a condition of a feed does not depend on hidden entries', async () => {
  const ask = async (where: string): Promise<string> => {
    const path = `${API}/orders/_changes?since=0&ops=put&where=${oql(where)}`;
    return (await send('one', `GET ${path}`)).text;
  };
  const nothing = await ask("nowhere = 'nothing'");
  assert.equal(await ask("hoard = 'treasure'"), nothing);
  assert.equal(await ask("hoar = 'treasure'"), nothing, 'a near name gets no hint');
  const other = await send('one', `GET ${API}/orders/_changes?since=0&where=${THROUGH_ITEMS}`);
  assert.equal(other.status, 400, 'a condition reads no region');
});

test('a failed write reveals nothing about stored entries', async () => {
  const create = { op: 'create', key: '8', value: {} };
  const failing = [
    ['/orders/_bulk', [create, { key: '8', value: {}, 'if-match': '"1"' }]],
    ['/orders/_bulk?results=stream', [create]],
    ['/orders/_bulk?atomic=true', [create]],
    ['/_tx', { do: [{ ...create, region: 'orders' }] }],
    ['/_tx', { if: [{ region: 'orders', key: '8', version: 1 }], do: [] }],
    ['/orders?key=8', {}],
  ] as const;
  for (const [path, body] of failing) {
    const answer = await send('writer', `POST ${API}${path}`, { body: JSON.stringify(body) });
    assert.ok([207, 409].includes(answer.status), answer.text);
    assert.doesNotMatch(answer.text, HIDDEN);
    assert.equal(answer.headers['etag'], undefined);
  }
});

test('a live query ends when its new text reads a region without permission', async () => {
  const path = `${API}/queries?id=q3&q=${oql('SELECT * FROM /items')}`;
  assert.equal((await send('admin', `POST ${path}`)).status, 201);
  const address = `http://127.0.0.1:${service.port}${API}/queries/q3/_live`;
  using live = await LiveClient.open(address, {
    headers: { ...bearer(logins.elsewhere.key), ...EVENTS },
  });
  await live.begin();
  assert.equal((await send('admin', `PUT ${API}/queries/q3?q=${ORDERS}`)).status, 200);
  const last = await live.next();
  assert.deepEqual([last?.event, last?.data.code], ['failed', 'grid/region-forbidden']);
  assert.equal(await live.next(), undefined);
  assert.doesNotMatch(live.text, HIDDEN);
});
