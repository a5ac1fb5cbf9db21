// Live queries over HTTP: events in both formats, resuming, parameters in the URL, and how they end.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { json } from '../http-client.ts';
import { LiveClient } from '../live-client.ts';
import { onEveryEngine, Service } from '../service.ts';
import { until } from '../until.ts';

const EVENTS = { Accept: 'text/event-stream' };
const LINES = { Accept: 'application/x-ndjson' };

function named(
  service: Service,
  id: string,
  query = '',
  headers: Readonly<Record<string, string>> = EVENTS,
): Promise<LiveClient> {
  return LiveClient.open(`${service.api}/queries/${id}/_live${query}`, { headers });
}

function adhoc(
  service: Service,
  oql: string,
  { headers = {}, params }: { headers?: Record<string, string>; params?: unknown } = {},
): Promise<LiveClient> {
  return LiveClient.open(`${service.api}/queries/adhoc/_live`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...EVENTS, ...headers },
    body: JSON.stringify({ oql, params }),
  });
}

function sequenceOf(service: Service): number {
  return service.engine.stats().sequence;
}

onEveryEngine('Live queries', (service) => {
  it('begin with a snapshot and continue with deltas', async () => {
    const region = await service().region({ a: '{"n":1}', b: '{"n":5.0}' });
    const id = `live-${region}`;
    await service().grid.createQuery({ id, oql: `SELECT o.n FROM /${region} o WHERE o.n > 1` });
    using client = await named(service(), id);
    assert.equal(client.answer.status, 200);
    assert.equal(client.answer.headers.get('content-type'), 'text/event-stream');
    const [snapshot, ready] = await client.begin();
    assert.deepEqual(snapshot?.data, { rows: [{ id: 'b', row: 5 }] });
    assert.match(client.text, /"row":5\.0/);
    assert.deepEqual(ready?.data, { sequence: sequenceOf(service()) });
    assert.equal(ready?.id, String(sequenceOf(service())));
    await service().put(region, { a: '{"n":2}' });
    const entered = await client.next();
    const sequence = sequenceOf(service());
    assert.deepEqual(entered, {
      event: 'enter',
      id: String(sequence),
      data: { id: 'a', row: 2, sequence },
    });
    await service().put(region, { a: '{"n":3}' });
    assert.equal((await client.next())?.event, 'update');
    await service().send('DELETE', `/${region}/a`);
    const left = await client.next();
    assert.deepEqual(
      [left?.event, left?.data],
      ['leave', { id: 'a', sequence: sequenceOf(service()) }],
    );
  });

  it('have the name of the event as a member in NDJSON', async () => {
    const region = await service().region({ a: '{"n":1}' });
    using client = await adhoc(service(), `SELECT * FROM /${region}`, { headers: LINES });
    assert.equal(client.answer.headers.get('content-type'), 'application/x-ndjson');
    await client.begin();
    await service().put(region, { b: '{"n":2}' });
    await client.next();
    const lines = client.text.split('\n').filter(Boolean);
    const sequence = sequenceOf(service());
    assert.deepEqual(lines, [
      '{"event":"snapshot","rows":[{"id":"a","row":{"n":1}}]}',
      `{"event":"ready","sequence":${sequence - 1}}`,
      `{"event":"enter","id":"b","row":{"n":2},"sequence":${sequence}}`,
    ]);
  });

  it('follow groups and joins too', async () => {
    const region = await service().region({ a: '{"c":1,"n":1}', b: '{"c":1,"n":2}' });
    const other = await service().region({ x: '{"c":1}' });
    using groups = await adhoc(
      service(),
      `SELECT o.c AS c, SUM(o.n) AS s FROM /${region} o GROUP BY o.c`,
    );
    using joined = await adhoc(
      service(),
      `SELECT o.n FROM /${region} o, /${other} p WHERE o.c = p.c`,
    );
    await groups.begin();
    await joined.begin();
    assert.deepEqual([...joined.rows.keys()], ['["a","x"]', '["b","x"]']);
    await service().put(region, { c: '{"c":2,"n":7}', b: '{"c":1,"n":4}' });
    await groups.until(sequenceOf(service()));
    await joined.until(sequenceOf(service()));
    assert.deepEqual(Object.fromEntries(groups.rows), {
      '[1]': { c: 1, s: 5 },
      '[2]': { c: 2, s: 7 },
    });
    assert.deepEqual(Object.fromEntries(joined.rows), { '["a","x"]': 1, '["b","x"]': 4 });
  });

  it('have an id only on the last delta of a commit', async () => {
    const region = await service().region({});
    using client = await adhoc(service(), `SELECT * FROM /${region}`);
    await client.begin();
    await service().put(region, { a: '{}', b: '{}', c: '{}' });
    const ids = [await client.next(), await client.next(), await client.next()].map((e) => e?.id);
    assert.deepEqual(ids, [undefined, undefined, String(sequenceOf(service()))]);
  });

  it('send only the difference to a client that reconnects', async () => {
    const region = await service().region({ a: '{"n":1}', b: '{"n":2}' });
    const oql = `SELECT o.n FROM /${region} o`;
    let lastId: string | undefined;
    {
      using client = await adhoc(service(), oql);
      await client.begin();
      lastId = client.lastId;
    }
    await service().put(region, { a: '{"n":3}' });
    await service().send('DELETE', `/${region}/b`);
    using client = await adhoc(service(), oql, { headers: { 'Last-Event-ID': lastId ?? '' } });
    const events = await client.begin();
    assert.deepEqual(
      events.map(({ event, data }) => [event, data.id, data.row]),
      [
        ['update', 'a', 3],
        ['leave', 'b', undefined],
        ['ready', undefined, undefined],
      ],
    );
    using late = await adhoc(service(), oql, { headers: { 'Last-Event-ID': '1' } });
    const [snapshot] = await late.begin();
    assert.deepEqual(snapshot?.data, { reset: true, rows: [{ id: 'a', row: 3 }] });
  });

  it('tell a client that lost its connection during the snapshot to start over', async () => {
    const entries = Array.from({ length: 600 }, (_, key) => [`${key}`, '{"n":1}']);
    const region = await service().region(Object.fromEntries(entries));
    const oql = `SELECT * FROM /${region}`;
    let lastId: string | undefined;
    {
      using client = await adhoc(service(), oql);
      await client.next();
      assert.equal(client.seen[0]?.id, '0');
      lastId = client.seen[0]?.id;
    }
    using client = await adhoc(service(), oql, { headers: { 'Last-Event-ID': lastId ?? '' } });
    const events = await client.begin();
    assert.deepEqual(
      events.map(({ data }) => data.reset),
      [true, undefined, undefined, undefined],
    );
    assert.equal(client.rows.size, 600);
  });

  it('accept bind parameters in the URL', async () => {
    const region = await service().region({
      a: '{"c":"C5","n":1}',
      b: '{"c":"C5","n":2}',
      c: '{"c":"7","n":3}',
    });
    const id = `of-${region}`;
    const oql = `SELECT o.n FROM /${region} o WHERE o.c = $1 AND o.n > $2`;
    await service().grid.createQuery({ id, oql });
    const rowsOf = async (query: string): Promise<unknown> => {
      using client = await named(service(), id, query);
      assert.equal(client.answer.status, 200, query);
      await client.begin();
      return [...client.rows.values()];
    };
    assert.deepEqual(await rowsOf('?$1=C5&$2=1'), [2]);
    assert.deepEqual(await rowsOf('?%242=0&%241=C5&heartbeat=1'), [1, 2]);
    assert.deepEqual(await rowsOf('?$1=%227%22&$2=0'), [3]);
    assert.deepEqual(await rowsOf(`?params=${encodeURIComponent('["C5",0]')}`), [1, 2]);
    const byName = `SELECT o.n FROM /${region} o WHERE o.c = :customer AND o.n >= :least`;
    await service().grid.updateQuery({ id, oql: byName });
    assert.deepEqual(await rowsOf('?customer=C5&least=2'), [2]);
    assert.deepEqual(await rowsOf('?:customer=C5&:least=2'), [2]);
    using text = await LiveClient.open(
      `${service().api}/queries/adhoc/_live?q=${encodeURIComponent(oql)}&$1=C5&$2=1`,
      { headers: EVENTS },
    );
    await text.begin();
    assert.deepEqual([...text.rows.values()], [2]);
  });

  it('refuse invalid queries with the right 4xx status', async () => {
    const region = await service().region({ a: '{"n":"text"}' });
    await service().grid.createQuery({
      id: `q-${region}`,
      oql: `SELECT * FROM /${region} WHERE n = $1`,
    });
    const refused = async (method: string, path: string, body?: string): Promise<unknown> => {
      const answer = await service().send(method, path, {
        headers: EVENTS,
        ...(body === undefined ? {} : { body }),
      });
      return [answer.status, (json(answer) as { code: string }).code]; // errors have a code
    };
    const live = '/queries/adhoc/_live';
    const post = (oql: string): Promise<unknown> => refused('POST', live, JSON.stringify({ oql }));
    assert.deepEqual(await post('SELECT FROM'), [400, 'oql/syntax-error']);
    assert.deepEqual(await post('SELECT * FROM /nowhere'), [400, 'oql/region-not-found']);
    assert.deepEqual(await post(`SELECT * FROM /${region} o WHERE o.n > 1`), [
      422,
      'oql/type-mismatch',
    ]);
    assert.deepEqual(await refused('POST', live, '[]'), [400, 'request/bad-body']);
    assert.deepEqual(await refused('GET', live), [400, 'request/bad-parameter']);
    assert.deepEqual(await refused('GET', '/queries/none/_live'), [404, 'grid/query-not-found']);
    const path = `/queries/q-${region}/_live`;
    assert.deepEqual(await refused('GET', path), [400, 'oql/parameter-count']);
    assert.deepEqual(await refused('GET', `${path}?$1=1&hartbeat=2`), [400, 'oql/parameter-count']);
    assert.deepEqual(await refused('GET', `${path}?$1=1&heartbeat=x`), [
      400,
      'request/bad-parameter',
    ]);
    assert.deepEqual(await refused('GET', `${path}?$2=1`), [400, 'request/bad-parameter']);
    assert.deepEqual(await refused('GET', `${path}?params=[1`), [400, 'request/bad-parameter']);
    assert.deepEqual(await refused('GET', `${path}?params=[1]&$1=2`), [
      400,
      'request/bad-parameter',
    ]);
    const bad = await service().send('GET', `${path}?$1=1`, {
      headers: { ...EVENTS, 'Last-Event-ID': 'x' },
    });
    assert.equal(bad.status, 400);
    const asJson = { headers: { Accept: 'application/json' } };
    assert.equal((await service().send('GET', `${path}?$1=1`, asJson)).status, 406);
    assert.equal((await service().send('PUT', path)).headers['allow'], 'GET');
  });

  it('end with an event that says why', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const oql = `SELECT o.n FROM /${region} o WHERE o.n > 0`;
    using events = await adhoc(service(), oql);
    using lines = await adhoc(service(), oql, { headers: LINES });
    await events.begin();
    await lines.begin();
    await service().put(region, { b: '{"n":"text"}' });
    const failed = await events.next();
    assert.equal(failed?.event, 'failed');
    assert.equal(failed?.data.code, 'oql/type-mismatch');
    assert.equal(await events.next(), undefined);
    await lines.next();
    assert.match(lines.text, /\n\{"@error":\{.*"code":"oql\/type-mismatch".*\}\}\n$/);
  });

  it('report that a region was destroyed', async () => {
    const region = await service().region({ a: '{"n":1}' });
    using client = await adhoc(service(), `SELECT * FROM /${region}`);
    await client.begin();
    await service().grid.destroyRegion(region);
    assert.equal((await client.next())?.data.code, 'oql/region-not-found');
  });

  it('send heartbeats, and are closed when their clients disconnect', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const open = (): number => service().grid.liveFigures().followed;
    const untilNone = (): Promise<void> => until(() => open() === 0);
    // The clients of earlier tests have disconnected, which the service detects later.
    await untilNone();
    {
      using client = await LiveClient.open(
        `${service().api}/queries/adhoc/_live?heartbeat=0.1&q=SELECT%20*%20FROM%20/${region}`,
      );
      await client.begin();
      assert.equal(open(), 1);
      const waiting = client.next();
      await until(() => client.text.includes(': heartbeat'));
      waiting.catch(() => undefined);
    }
    await untilNone();
  });
});

it('live queries beyond the limits are refused with 503 and 413', async () => {
  await using service = await Service.start({
    grid: { maxLiveQueries: 1, maxLiveRows: 2, liveIntervalMs: 1 },
  });
  const region = await service.region({ a: '{}', b: '{}', c: '{}' });
  const live = '/queries/adhoc/_live';
  const large = await service.send('POST', live, {
    headers: EVENTS,
    body: JSON.stringify({ oql: `SELECT * FROM /${region}` }),
  });
  assert.deepEqual([large.status, JSON.parse(large.text).code], [413, 'grid/live-query-too-large']);
  using client = await adhoc(service, `SELECT COUNT(*) FROM /${region}`);
  await client.begin();
  const more = await service.send('POST', live, {
    headers: EVENTS,
    body: JSON.stringify({ oql: `SELECT COUNT(*) FROM /${region}` }),
  });
  assert.deepEqual([more.status, JSON.parse(more.text).code], [503, 'grid/too-many-live-queries']);
  assert.ok(Number(more.headers['retry-after']) > 0);
});

it('a stream that is not admitted leaves no live query open', async () => {
  await using service = await Service.start({ server: { maxOpenStreams: 1 } });
  const region = await service.region({ a: '{}' });
  using client = await adhoc(service, `SELECT * FROM /${region}`);
  await client.begin();
  const body = JSON.stringify({ oql: `SELECT * FROM /${region}` });
  const refused = await service.send('POST', '/queries/adhoc/_live', { headers: EVENTS, body });
  assert.equal(refused.status, 503);
  assert.equal(service.grid.liveFigures().followed, 1);
});

it('draining ends live queries with a retry time and the position to resume from', async () => {
  await using service = await Service.start();
  const region = await service.region({ a: '{"n":1}' });
  const client = await adhoc(service, `SELECT * FROM /${region}`);
  await client.begin();
  const next = client.next();
  await service.server.drain();
  assert.equal(await next, undefined);
  assert.match(client.text, /retry: 2000\nid: \d+\n\n$/);
});
