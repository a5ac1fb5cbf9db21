// The change feed: pages, streams, filters, resuming, and how it ends.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { it } from 'node:test';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { FeedClient, type SeenChange } from '../feed-client.ts';
import { json } from '../http-client.ts';
import { API, onEveryEngine, Service } from '../service.ts';
import { until } from '../until.ts';

const EVENTS = 'text/event-stream';
const LINES = 'application/x-ndjson';

interface Page {
  readonly changes: readonly SeenChange[];
  readonly next: number;
}

async function page(service: Service, path: string): Promise<Page> {
  const answer = await service.get(path);
  assert.equal(answer.status, 200, answer.text);
  return json(answer) as Page; // as the page is described
}

function follow(service: Service, accept: string, path: string, headers = {}): Promise<FeedClient> {
  return FeedClient.open(accept, { port: service.port, path: API + path, headers });
}

const short = ({ key, op, value }: SeenChange): string =>
  `${op} ${key ?? ''} ${Object(value).n ?? ''}`.trim();

onEveryEngine('Change feed', (service) => {
  it('returns a page of changes, in whole commits and in order', async () => {
    const region = await service().region({ a: '{"n":1}', b: '{"m":2.50}' });
    await service().send('DELETE', `/${region}/a`);
    await service().send('DELETE', `/${region}`);
    const { changes, next } = await page(service(), `/${region}/_changes?since=0`);
    assert.deepEqual(
      changes.map(({ key, op }) => `${op} ${key ?? ''}`.trim()),
      ['create-region', 'put a', 'put b', 'remove a', 'clear'],
    );
    assert.deepEqual(
      changes.map(({ sequence, version }) => [version === sequence, sequence - next]),
      [-3, -2, -2, -1, 0].map((place) => [true, place]),
    );
    assert.ok(changes.every(({ time }) => Math.abs(Date.parse(time) - Date.now()) < 600_000));
    assert.ok(changes.every((change) => change.region === region));
    assert.deepEqual(
      changes.map((change) => 'key' in change),
      [false, true, true, true, false],
    );
    // Overwritten values are included if the engine stores values in its log.
    for (const { op, superseded, value } of changes) {
      assert.equal(superseded, op === 'put' && value === undefined ? true : undefined);
    }
  });

  it('continues from page to page without splitting a commit', async () => {
    const region = await service().region({ a: '{"n":1}', b: '{"n":2}', c: '{"n":3}' });
    await service().put(region, { d: '{"n":4}' });
    await service().put(region, { e: '{"n":5}', f: '{"n":6}' });
    const seen: string[][] = [];
    let path = `/${region}/_changes?since=0&limit=2&ops=put`;
    for (;;) {
      const answer = await service().get(path);
      const { changes, next } = json(answer) as Page; // as the page is described
      if (changes.length === 0) break;
      seen.push(changes.map(({ key }) => key ?? ''));
      const link = /^<([^>]+)>; rel="next"$/.exec(answer.headers['link'] ?? '')?.[1] ?? '';
      const { pathname, search, searchParams } = new URL(link);
      assert.equal(searchParams.get('since'), String(next));
      assert.equal(searchParams.get('limit'), '2');
      path = `${pathname.slice(API.length)}${search}`;
    }
    assert.deepEqual(seen, [['a', 'b', 'c'], ['d'], ['e', 'f']]);
  });

  it('links to the next page of a request whose characters are not encoded', async () => {
    const region = await service().region({ a: '{"n":1}', b: '{"n":"<{|}^`>"}' });
    const path = `/${region}/_changes?since=0&limit=1&where=n="<{|}^\`>"+OR+n>0`;
    const { headers, status, text } = await service().get(path.replaceAll('"', "'"));
    assert.equal(status, 200, text);
    const link = /^<([^<>]+)>; rel="next"$/.exec(headers['link'] ?? '')?.[1];
    assert.match(link ?? '', /where=n='%3C%7B%7C%7D%5E%60%3E'\+OR\+n%3E0&since=/);
  });

  it('returns values digit for digit', async () => {
    const region = await service().region({ a: '{"n":20.0,"big":12345678901234567890.10}' });
    const { text } = await service().get(`/${region}/_changes?since=0`);
    assert.match(text, /"value":\{"n":20\.0,"big":12345678901234567890\.10\}\}/);
  });

  it('marks a put whose value was overwritten as superseded', async () => {
    const region = await service().region({ a: '{"n":1}' });
    await service().put(region, { a: '{"n":2}' });
    const { changes } = await page(service(), `/${region}/_changes?since=0&ops=put`);
    const [first, second] = changes;
    assert.deepEqual(second?.value, { n: 2 });
    assert.ok(
      first?.superseded === true ? !('value' in first) : short(first ?? fail()) === 'put a 1',
    );
    const bare = await page(service(), `/${region}/_changes?since=0&ops=put&include=none`);
    assert.ok(bare.changes.every((change) => !('value' in change || 'superseded' in change)));
  });

  it('begins after a sequence, with future changes, or at a time', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const { next } = await page(service(), `/${region}/_changes`);
    assert.deepEqual(await page(service(), `/${region}/_changes?since=now`), { changes: [], next });
    await service().put(region, { b: '{"n":2}' });
    const following = await page(service(), `/${region}/_changes?since=${next}`);
    assert.deepEqual(following.changes.map(short), ['put b 2']);
    const [change] = following.changes;
    const since = encodeURIComponent(change?.time ?? '');
    const atTime = await page(service(), `/${region}/_changes?since=${since}`);
    assert.equal(short(atTime.changes.at(-1) ?? fail()), 'put b 2');
    const later = await page(service(), `/${region}/_changes?since=2999-01-01T00:00:00%2B02:00`);
    assert.deepEqual(later.changes, []);
  });

  it('shows several regions in one order, and never a reserved one', async () => {
    const [one, two, three] = [
      await service().region(),
      await service().region(),
      await service().region(),
    ];
    const { next } = await page(service(), '/_changes');
    await service().put(one, { a: '{"n":1}' });
    await service().put(two, { b: '{"n":2}' });
    await service().put(three, { c: '{"n":3}' });
    await service().grid.createQuery({ id: `q-${one}`, oql: 'SELECT * FROM /x' });
    await service().put(one, { d: '{"n":4}' });
    const all = await page(service(), `/_changes?since=${next}`);
    assert.deepEqual(all.changes.map(short), ['put a 1', 'put b 2', 'put c 3', 'put d 4']);
    const some = await page(service(), `/_changes?since=${next}&regions=${one},${three}`);
    assert.deepEqual(some.changes.map(short), ['put a 1', 'put c 3', 'put d 4']);
    assert.equal((await service().get('/_queries/_changes')).status, 404);
    const everything = await page(service(), '/_changes?since=0&limit=100000');
    assert.ok(everything.changes.every((change) => !change.region.startsWith('_')));
  });

  it('filters by keys, prefix and operation; changes of the region match every key', async () => {
    const region = await service().region({ 'a/1': '{"n":1}', 'a/2': '{"n":2}', b: '{"n":3}' });
    await service().send('DELETE', `/${region}?keys=a%2F1`);
    await service().send('DELETE', `/${region}`);
    const feed = `/${region}/_changes?since=0`;
    const shown = async (filter: string): Promise<readonly string[]> =>
      (await page(service(), feed + filter)).changes.map(({ key, op }) =>
        `${op} ${key ?? ''}`.trim(),
      );
    assert.deepEqual(await shown('&keys=b'), ['create-region', 'put b', 'clear']);
    assert.deepEqual(await shown('&keys=a%2F2,b&ops=put'), ['put a/2', 'put b']);
    assert.deepEqual(await shown('&prefix=a/&ops=put,remove'), [
      'put a/1',
      'put a/2',
      'remove a/1',
    ]);
    assert.deepEqual(await shown('&ops=expire'), []);
  });

  it('filters by a condition on the new value, and includes removals', async () => {
    const region = await service().region();
    const { next } = await page(service(), `/${region}/_changes`);
    for (const total of [50, 150, 250]) {
      await service().put(region, { [`k${total}`]: `{"total":${total},"c":{"id":"x"}}` });
    }
    await service().put(region, { odd: '{"total":"text"}', none: '{}' });
    await service().send('DELETE', `/${region}/k50`);
    const shown = async (where: string): Promise<readonly string[]> => {
      const path = `/${region}/_changes?since=${next}&where=${encodeURIComponent(where)}`;
      return (await page(service(), path)).changes.map(({ key, op }) => `${op} ${key}`);
    };
    const large = ['put k150', 'put k250', 'remove k50'];
    assert.deepEqual(await shown('value.total > 100'), large);
    assert.deepEqual(await shown('total > 100'), large);
    assert.deepEqual(await shown("value.c.id = 'x' AND total IN (250, 1)"), [
      'put k250',
      'remove k50',
    ]);
  });

  it('accepts a condition on an EMPTY region', async () => {
    const { next } = await page(service(), '/_changes');
    const empty = await service().region({ a: '{"n":5}' }, { type: 'EMPTY' });
    const region = await service().region({ b: '{"n":5}' });
    for (const regions of ['', `&regions=${empty},${region}`]) {
      const path = `/_changes?since=${next}&ops=put${regions}&where=${encodeURIComponent('n > 3')}`;
      const shown = (await page(service(), path)).changes.map(short);
      assert.equal(shown.at(-1), 'put b 5');
    }
  });

  it('refuses an invalid condition, with its position and a hint', async () => {
    const region = await service().region({ a: '{"n":1}' });
    for (const [where, column] of [
      ['value.total >', 14],
      ['total > 1 ORDER BY total', 11],
      ['1 = 1) OR (1 = 1', 6],
      ['SELECT * FROM /x', undefined],
      [`total > (SELECT max(x.n) FROM /${region} x)`, undefined],
      ['total > $1', 9],
      ['lenght(total) > 1', 1],
      [`/${region}.size > 0`, 1],
      [`total IN /${region}.keySet`, 1],
      ['total IN (SELECT * FROM /no-such)', 1],
      ['EXISTS (SELECT * FROM value.list l)', 1],
      ['', undefined],
    ] as const) {
      for (const accept of ['application/json', EVENTS]) {
        const path = `/${region}/_changes?where=${encodeURIComponent(where)}`;
        const answer = await service().get(path, { Accept: accept });
        assert.equal(answer.status, 400, `${where}: ${answer.text}`);
        const error = JSON.parse(answer.text);
        assert.match(error.code, /^oql\//, where);
        if (column !== undefined) assert.equal(error.position.column, column, where);
      }
    }
  });

  it('names a region in a condition as the reason, whether or not it exists', async () => {
    const region = await service().region();
    for (const where of [`/${region}.size > 0`, '/no-such.size > 0', 'n IN (SELECT * FROM n)']) {
      const path = `/${region}/_changes?where=${encodeURIComponent(where)}`;
      const { text } = await service().get(path);
      assert.match(text, /"A region or a subquery in the condition of a change feed is not/, where);
      assert.match(text, /"code":"oql\/not-supported"/);
    }
  });

  it('refuses unknown regions, invalid parameters and positions beyond the log', async () => {
    const region = await service().region();
    for (const [path, status, code] of [
      ['/no-such/_changes', 404, 'grid/region-not-found'],
      ['/no-such/_changes?since=0', 404, 'grid/region-not-found'],
      [`/_changes?regions=${region},no-such`, 404, 'grid/region-not-found'],
      ['/_changes?regions=', 400, 'request/bad-parameter'],
      [`/${region}/_changes?since=yesterday`, 400, 'request/bad-parameter'],
      [`/${region}/_changes?since=-1`, 400, 'request/bad-parameter'],
      [`/${region}/_changes?since=2026-01-01`, 400, 'request/bad-parameter'],
      [`/${region}/_changes?since=2026-02-31T00:00:00Z`, 400, 'request/bad-parameter'],
      [`/${region}/_changes?since=2026-02-28T00:00:00-99:00`, 400, 'request/bad-parameter'],
      [`/${region}/_changes?limit=0`, 400, 'request/bad-parameter'],
      [`/${region}/_changes?wait=61`, 400, 'request/bad-parameter'],
      [`/${region}/_changes?heartbeat=0`, 400, 'request/bad-parameter'],
      [`/${region}/_changes?include=old`, 400, 'grid/no-history'],
      [`/_changes?regions=${region}&include=value,old`, 400, 'grid/no-history'],
      [`/${region}/_changes?include=none,old`, 400, 'request/bad-parameter'],
      [`/${region}/_changes?include=old,`, 400, 'request/bad-parameter'],
      [`/${region}/_changes?include=all`, 400, 'request/bad-parameter'],
      [`/${region}/_changes?ops=puts`, 400, 'request/bad-operation'],
      [`/${region}/_changes?sinse=0`, 400, 'request/unknown-parameter'],
      [`/${region}/_changes?since=999999999999`, 410, 'grid/changes-gone'],
    ] as const) {
      for (const accept of ['application/json', EVENTS, LINES]) {
        const answer = await service().get(path, { Accept: accept });
        assert.deepEqual([answer.status, JSON.parse(answer.text).code], [status, code], path);
      }
    }
    const accepted = await service().get(`/${region}/_changes`, { Accept: 'text/html' });
    assert.equal(accepted.status, 406);
    const bad = await service().get(`/${region}/_changes`, { 'Last-Event-ID': 'x' });
    assert.equal(bad.status, 400);
  });

  it('leaves a key named _changes reachable, and answers HEAD and OPTIONS', async () => {
    const region = await service().region({ _changes: '{"is":"mine"}' });
    const kept = await service().get(`/${region}?keys=_changes`);
    assert.match(kept.text, /"mine"/);
    assert.equal(
      (await service().send('PUT', `/${region}/_changes`, { body: '{"n":1}' })).status,
      405,
    );
    for (const accept of ['application/json', EVENTS, LINES]) {
      const head = await service().send('HEAD', `/${region}/_changes`, { headers: { accept } });
      assert.equal(head.status, 200);
      assert.equal(head.headers['content-type'], accept);
      assert.equal(head.text, '');
    }
    const options = await service().send('OPTIONS', `/${region}/_changes`);
    assert.equal(options.headers['allow'], 'GET, HEAD, OPTIONS');
  });

  it('streams events with the id on the last change of each commit', async () => {
    const region = await service().region({ a: '{"n":1}', b: '{"n":2}' });
    using feed = await follow(service(), EVENTS, `/${region}/_changes?since=0&heartbeat=0.1`);
    assert.equal(feed.response.headers['content-type'], EVENTS);
    assert.equal(feed.response.headers['cache-control'], 'no-store');
    assert.match((await feed.next())?.text ?? '', /^retry: 2000\nid: \d+$/);
    const events = [await feed.event(), await feed.event(), await feed.event()];
    assert.deepEqual(
      events.map((event) => event?.event),
      ['create-region', 'put', 'put'],
    );
    const [created, first, second] = events.map(
      (event) => JSON.parse(event?.data ?? '') as SeenChange,
    );
    assert.equal(events[0]?.id, String(created?.sequence));
    assert.equal(events[1]?.id, undefined);
    assert.equal(events[2]?.id, String(second?.sequence));
    assert.equal(first?.sequence, second?.sequence);
    assert.equal((await feed.next())?.text, ': heartbeat');
    await service().put(region, { c: '{"n":3}' });
    assert.equal(short(await feed.change()), 'put c 3');
  });

  it('reports its position with a heartbeat when the filter matches nothing', async () => {
    const region = await service().region();
    const other = await service().region();
    using feed = await follow(service(), EVENTS, `/${region}/_changes?heartbeat=0.1`);
    await feed.next();
    await service().put(other, { a: '{"n":1}' });
    const { next } = await page(service(), '/_changes');
    for (;;) {
      const { id } = (await feed.next()) ?? assert.fail('the feed ended');
      if (id !== undefined && Number(id) >= next) break;
    }
    await service().put(region, { b: '{"n":2}' });
    assert.equal(short(await feed.change()), 'put b 2');
  });

  it('streams lines, with an empty line as heartbeat', async () => {
    const region = await service().region({ a: '{"n":1}' });
    using feed = await follow(service(), LINES, `/${region}/_changes?since=0&heartbeat=0.1`);
    assert.equal(feed.response.headers['content-type'], LINES);
    assert.deepEqual((await feed.changes(2)).map(short), ['create-region', 'put a 1']);
    assert.equal((await feed.next())?.text, '');
    await service().put(region, { b: '{"n":2}', c: '{"n":3}' });
    assert.deepEqual((await feed.changes(2)).map(short), ['put b 2', 'put c 3']);
  });

  it('resumes after Last-Event-ID, which takes precedence over since', async () => {
    const region = await service().region({ a: '{"n":1}' });
    using feed = await follow(service(), EVENTS, `/${region}/_changes?since=0`);
    await feed.change();
    const { id } = (await feed.event()) ?? {};
    feed[Symbol.dispose]();
    await service().put(region, { b: '{"n":2}' });
    await service().put(region, { c: '{"n":3}' });
    using again = await follow(service(), EVENTS, `/${region}/_changes?since=0`, {
      'Last-Event-ID': id,
    });
    assert.deepEqual((await again.changes(2)).map(short), ['put b 2', 'put c 3']);
  });

  it('stays open while its region is destroyed and created again', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const where = encodeURIComponent('value.n > 0');
    using feed = await follow(service(), LINES, `/${region}/_changes`);
    using filtered = await follow(service(), LINES, `/${region}/_changes?where=${where}`);
    const { next } = await page(service(), `/${region}/_changes`);
    await service().grid.destroyRegion(region);
    // Consumers that reconnect later receive the destruction of the region too.
    const { changes } = await page(service(), `/${region}/_changes?since=${next}`);
    assert.deepEqual(changes.map(short), ['destroy-region']);
    assert.equal((await service().get(`/${region}/_changes`)).status, 404);
    await service().grid.createRegion({ name: region });
    await service().put(region, { b: '{"n":2}' });
    for (const each of [feed, filtered]) {
      assert.deepEqual((await each.changes(3)).map(short), [
        'destroy-region',
        'create-region',
        'put b 2',
      ]);
    }
  });

  it('waits for a change on request, and no longer', async () => {
    const region = await service().region();
    const { next } = await page(service(), `/${region}/_changes`);
    const waiting = page(service(), `/${region}/_changes?since=${next}&wait=60&ops=remove`);
    const { server } = service();
    const polls = (): number =>
      server.openStreams.find(({ kind }) => kind === 'changes')?.open ?? 0;
    await until(() => polls() === 1);
    assert.equal(server.requestsWaiting, 1);
    await service().put(region, { a: '{"n":1}' });
    await service().send('DELETE', `/${region}/a`);
    assert.deepEqual((await waiting).changes.map(short), ['remove a']);
    assert.deepEqual([polls(), server.requestsWaiting], [0, 0]);
    const idle = await page(service(), `/${region}/_changes?wait=0.05`);
    assert.deepEqual(idle.changes, []);
  });

  it('sends the same to fast and slow consumers at once', async () => {
    const region = await service().region();
    const path = `/${region}/_changes?since=now`;
    const feeds = await Promise.all(
      Array.from({ length: 12 }, (_, i) => follow(service(), i % 2 === 0 ? EVENTS : LINES, path)),
    );
    for (let i = 0; i < 300; i++) await service().put(region, { [`k${i}`]: `{"n":${i}}` });
    const expected = Array.from({ length: 300 }, (_, i) => `put k${i} ${i}`);
    for (const feed of feeds) {
      assert.deepEqual((await feed.changes(300)).map(short), expected);
      feed[Symbol.dispose]();
    }
    await until(() => (service().server.openStreams[0]?.open ?? 0) === 0);
  });
});

function fail(): never {
  return assert.fail('there is none');
}

it('does not count as a request in flight, and tells clients to reconnect when the service drains', async () => {
  await using service = await Service.start();
  const region = await service.region();
  using events = await follow(service, EVENTS, `/${region}/_changes`);
  using lines = await follow(service, LINES, `/${region}/_changes`);
  const poll = service.get(`/${region}/_changes?wait=60`);
  await until(() => service.server.openStreams[0]?.open === 3);
  assert.equal(service.server.requestsInFlight, 1);
  await service.server.drain();
  assert.equal((await poll).status, 200);
  await events.next();
  assert.match((await events.next())?.text ?? '', /^retry: 2000\nid: \d+$/);
  assert.equal(await events.next(), undefined);
  assert.match(
    (await lines.next())?.text ?? '',
    /^\{"@retry":\{"after-ms":2000,"since":"\d+"\}\}$/,
  );
  assert.equal(await lines.next(), undefined);
  const ends = service.observations.filter(({ kind }) => kind === 'stream-ended');
  assert.deepEqual(
    ends.map((ended) => 'cause' in ended && ended.cause),
    ['draining', 'draining'],
  );
});

it('closes no connection while a long poll waits', async () => {
  await using service = await Service.start({ server: { idleSocketMs: 20 } });
  const region = await service.region();
  const { status, text } = await service.get(`/${region}/_changes?wait=0.2`);
  assert.deepEqual([status, JSON.parse(text).changes], [200, []]);
});

it('refuses feeds beyond the limit, and closes no idle feed', async () => {
  await using service = await Service.start({ server: { maxOpenStreams: 2, idleSocketMs: 40 } });
  const region = await service.region();
  using first = await follow(service, EVENTS, `/${region}/_changes`);
  using second = await follow(service, LINES, `/${region}/_changes`);
  for (const path of ['?wait=1', '']) {
    const refused = await service.get(`/${region}/_changes${path}`, {
      Accept: path === '' ? EVENTS : 'application/json',
    });
    assert.equal(refused.status, 503);
    assert.equal(JSON.parse(refused.text).code, 'request/too-many-streams');
    assert.ok(Number(refused.headers['retry-after']) > 0);
  }
  // Other idle connections are closed meanwhile.
  await once(connect(service.port, '127.0.0.1'), 'close');
  await service.put(region, { a: '{"n":1}' });
  assert.equal(short(await first.change()), 'put a 1');
  assert.equal(short(await second.change()), 'put a 1');
});

it('tells a consumer that fell later the log from where it can continue', async () => {
  await using service = await Service.start({
    engine: 'memory',
    wrapEngine: () => new MemoryEngine({ maxChanges: 300 }),
  });
  const region = await service.region();
  for (const accept of [EVENTS, LINES]) {
    using feed = await follow(service, accept, `/${region}/_changes`);
    feed.response.pause();
    const value = `{"x":"${'x'.repeat(20_000)}"}`;
    // More than the buffers hold, and then more than the log keeps.
    const { next } = await page(service, `/${region}/_changes`);
    for (let i = 0; i < 2_000; i++) await service.put(region, { [`k${i % 50}`]: value });
    const gone = await service.get(`/${region}/_changes?since=${next}`);
    assert.equal(gone.status, 410);
    const { code, latest, oldest } = JSON.parse(gone.text);
    assert.equal(code, 'grid/changes-gone');
    assert.ok(oldest > next && latest === oldest + 2_000 - (oldest - next), gone.text);
    feed.response.resume();
    let last: string | undefined;
    let sequence = next;
    for (let event = await feed.event(); event !== undefined; event = await feed.event()) {
      last = event.data;
      const seen = JSON.parse(event.data ?? '');
      if ('sequence' in seen) {
        assert.equal(seen.sequence, sequence + 1, 'no commit is passed over');
        sequence = seen.sequence;
      }
    }
    const parsed = JSON.parse(last ?? '');
    const error = accept === LINES ? parsed['@error'] : parsed;
    assert.equal(error.code, 'grid/changes-gone');
    assert.ok(error.oldest > sequence && error.latest >= error.oldest);
  }
});
