// Region history and time travel: `?at=`, the versions of an entry, and restoring one of them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, json } from '../http-client.ts';
import { ADMIN, onEveryEngine, Service } from '../service.ts';
import { until } from '../until.ts';

interface Version {
  readonly version: number;
  readonly time?: string;
  readonly op: string;
  readonly value?: unknown;
}

function code(answer: Answer): unknown {
  return Object(json(answer)).code;
}

onEveryEngine('History of a region', (service) => {
  const keeping = (count = 1000): Promise<string> =>
    service().region({}, { settings: { history: { count } } });

  async function put(region: string, key: string, value: string): Promise<number> {
    const answer = await service().send('PUT', `/${region}/${key}`, { body: value });
    assert.equal(answer.status, 200, answer.text);
    return Number(answer.headers['etag']?.replaceAll('"', ''));
  }

  it('reads a region, keys, its size and its list of keys as of a commit', async () => {
    const region = await keeping();
    const first = await put(region, 'a', '{"n": 1.0}');
    const second = await put(region, 'b', '{"n": 2}');
    await put(region, 'a', '{"n": 3}');
    await service().send('DELETE', `/${region}/b`);
    const at = (path: string, moment: number | string) =>
      service().get(`/${region}${path}${path.includes('?') ? '&' : '?'}at=${moment}`);

    assert.equal((await at('', second)).text, `{"${region}":[{"n":1.0},{"n":2}]}`);
    assert.equal((await at('?limit=1', second)).text, `{"${region}":[{"n":1.0}]}`);
    assert.equal((await at('?limit=ALL', first)).text, `{"${region}":[{"n":1.0}]}`);
    assert.equal((await at('/keys', second)).text, '{"keys":["a","b"]}');
    const read = await at('/a', second);
    assert.equal(read.text, `{"${region}":[{"n":1.0}]}`);
    assert.equal(read.headers['etag'], `"${first}"`);
    assert.equal(read.headers['content-location'], undefined, 'it would name the present value');
    assert.equal((await at('/b', first)).status, 400);
    assert.equal(
      (await at('/a,b?ignoreMissingKey=true', first)).text,
      `{"${region}":[{"n":1.0},null]}`,
    );
    const count = await service().send('HEAD', `/${region}?at=${second}`);
    assert.equal(count.headers['resource-count'], '2');
    assert.equal((await service().get(`/${region}`)).text, `{"${region}":[{"n":3}]}`);
  });

  it('reads pages as of a commit, which stay those of that commit', async () => {
    const region = await keeping();
    for (const key of ['a', 'b', 'c', 'd']) await put(region, key, `{"k":"${key}"}`);
    const sequence = await put(region, 'e', '{"k":"e"}');
    await service().send('DELETE', `/${region}`);
    const seen: string[] = [];
    let next: string | undefined = `${service().api}/${region}?at=${sequence}&limit=2&order=desc`;
    while (next !== undefined) {
      const page: Answer = await service().sendTo('GET', next.slice(service().origin.length));
      assert.equal(page.status, 200, page.text);
      seen.push(...Object(json(page))[region].map(({ k }: { k: string }) => k));
      await put(region, 'b', '{"k":"later"}');
      next = /<(.*)>; rel="next"/.exec(page.headers['link'] ?? '')?.[1];
    }
    assert.deepEqual(seen, ['e', 'd', 'c', 'b', 'a']);
    const filtered = await service().get(
      `/${region}?at=${sequence}&entries=true&where=${encodeURIComponent("k = 'c' OR k = 'later'")}`,
    );
    const entries = Object(json(filtered))[region];
    assert.deepEqual(entries, [{ key: 'c', version: sequence - 2, value: { k: 'c' } }]);
  });

  it('reads as of a time', async () => {
    const region = await keeping();
    await put(region, 'a', '{"n":1}');
    const { versions } = json(await service().get(`/${region}/_history/a`)) as {
      versions: readonly Version[];
    };
    const time = versions[0]?.time ?? '';
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    // The next change must have another time than the first one.
    await until(() => Date.now() > Date.parse(time));
    await put(region, 'a', '{"n":2}');
    const answer = await service().get(`/${region}?at=${time}`);
    assert.equal(answer.text, `{"${region}":[{"n":1}]}`);
    const offset = await service().get(
      `/${region}?at=${encodeURIComponent(time.replace('Z', '+00:00'))}`,
    );
    assert.equal(offset.text, answer.text);
  });

  it('runs queries as of a commit, named and ad hoc, over members that no document has now', async () => {
    const region = await keeping();
    const other = await keeping();
    await put(region, 'a', '{"n":1,"kind":"x"}');
    await put(other, 'k', '{"kind":"x","label":"old"}');
    const sequence = await put(region, 'b', '{"n":2,"kind":"y"}');
    await service().send('DELETE', `/${region}`);
    await put(region, 'c', '{"m":5}');
    await put(other, 'k', '{"kind":"x","label":"new"}');
    const run = async (oql: string): Promise<string> => {
      const path = `/queries/adhoc?at=${sequence}&q=${encodeURIComponent(oql)}`;
      const answer = await service().get(path);
      assert.equal(answer.status, 200, answer.text);
      return answer.text;
    };
    const printed = (
      await service().get(`/queries/adhoc?q=${encodeURIComponent(`SELECT m FROM /${region}`)}`)
    ).text;
    assert.match(printed, /5/);
    assert.match(await run(`SELECT n FROM /${region} WHERE kind = 'y'`), /"n":2|\b2\b/);
    assert.match(await run(`SELECT COUNT(*) FROM /${region}`), /\b2\b/);
    assert.match(
      await run(`SELECT o.label FROM /${region} r, /${other} o WHERE r.kind = o.kind`),
      /"old"/,
    );
    await service().send(
      'POST',
      `/queries?id=past-${region}&q=${encodeURIComponent(`SELECT x FROM /${region} x WHERE x.n = $1`)}`,
    );
    const named = await service().send('POST', `/queries/past-${region}?at=${sequence}`, {
      body: '[2]',
    });
    assert.match(named.text, /"kind":"y"/);
  });

  it('answers 410 with the available range when the commit is trimmed', async () => {
    const region = await keeping(2);
    const versions: number[] = [];
    for (let i = 0; i < 5; i += 1) versions.push(await put(region, 'a', `{"n":${i}}`));
    const gone = await service().get(`/${region}/a?at=${versions[1]}`);
    assert.equal(gone.status, 410);
    assert.equal(code(gone), 'grid/history-gone');
    assert.equal(Object(json(gone)).oldest, versions[2]);
    assert.equal(Object(json(gone)).latest, versions[4]);
    const kept = await service().get(`/${region}/a?at=${versions[2]}`);
    assert.equal(kept.text, `{"${region}":[{"n":2}]}`);
    const query = await service().get(
      `/queries/adhoc?at=${versions[0]}&q=SELECT%20*%20FROM%20/${region}`,
    );
    assert.equal(query.status, 410);
    assert.equal((await service().get(`/${region}?at=1990-01-01T00:00:00Z`)).status, 410);
  });

  it('answers 400 where there is no history, or no such commit', async () => {
    const plain = await service().region({ a: '{}' });
    for (const path of [
      `/${plain}?at=1`,
      `/${plain}/a?at=1`,
      `/${plain}/keys?at=1`,
      `/${plain}/_history/a`,
    ]) {
      const answer = await service().get(path);
      assert.equal(answer.status, 400, path);
      assert.equal(code(answer), 'grid/no-history');
    }
    const region = await keeping();
    const ahead = await service().get(`/${region}?at=999999999`);
    assert.deepEqual([ahead.status, code(ahead)], [400, 'grid/moment-ahead']);
    const future = await service().get(`/${region}?at=2999-01-01T00:00:00Z`);
    assert.deepEqual([future.status, code(future)], [400, 'grid/moment-ahead']);
    for (const moment of [
      '',
      'yesterday',
      '-1',
      '1.5',
      '2026-13-01T00:00:00Z',
      '2026-02-30T00:00:00Z',
      '2026-01-01',
    ]) {
      const answer = await service().get(`/${region}?at=${moment}`);
      assert.deepEqual([answer.status, code(answer)], [400, 'request/bad-parameter'], moment);
    }
    assert.equal((await service().get('/absent?at=1')).status, 404);
  });

  it('lists the versions of an entry in pages', async () => {
    const region = await keeping();
    const key = 'a%2Fb';
    const first = await put(region, key, '{"n": 1.50}');
    const second = await put(region, key, '{"n":2}');
    await service().send('DELETE', `/${region}/${key}`);
    const third = await put(region, key, '{"n":3}');
    await service().send('DELETE', `/${region}`);
    const all = await service().get(`/${region}/_history/${key}`);
    assert.ok(all.text.includes('"value":{"n":1.50}'), all.text);
    const { versions } = json(all) as { versions: readonly Version[] };
    assert.deepEqual(
      versions.map(({ op, value, version }) => [op, value, version]),
      [
        ['clear', undefined, third + 1],
        ['put', { n: 3 }, third],
        ['remove', undefined, third - 1],
        ['put', { n: 2 }, second],
        ['put', { n: 1.5 }, first],
      ],
    );
    assert.equal(all.headers['link'], undefined);
    const seen: Version[] = [];
    let next: string | undefined = `${service().api}/${region}/_history/${key}?limit=2`;
    while (next !== undefined) {
      const page: Answer = await service().sendTo('GET', next.slice(service().origin.length));
      seen.push(...(json(page) as { versions: Version[] }).versions);
      next = /^<(.*)>; rel="next"$/.exec(page.headers['link'] ?? '')?.[1];
    }
    assert.deepEqual(seen, versions);
    assert.equal((await service().get(`/${region}/_history/absent`)).text, '{"versions":[]}');
    for (const query of ['limit=0', 'limit=1001', 'before=x']) {
      assert.equal((await service().get(`/${region}/_history/${key}?${query}`)).status, 400);
    }
  });

  it('lists and restores the version before all changes that are kept', async () => {
    const trimmed = await keeping(2);
    for (const n of [1, 2, 3, 4, 5]) await put(trimmed, 'a', `{"n":${n}}`);
    const before = await service().region({ a: '{"n":3}' });
    await service().sendTo('PATCH', `${ADMIN}/regions/${before}`, {
      body: '{"history":{"count":100}}',
    });
    for (const n of [4, 5]) await put(before, 'a', `{"n":${n}}`);
    for (const region of [trimmed, before]) {
      const list = async (query: string) =>
        Object(json(await service().get(`/${region}/_history/a?${query}`))).versions as Version[];
      const versions = await list('limit=3');
      assert.deepEqual(
        versions.map(({ value }) => value),
        [{ n: 5 }, { n: 4 }, { n: 3 }],
      );
      const oldest = versions[2]?.version ?? 0;
      assert.deepEqual(await list(`before=${versions[1]?.version}`), [versions[2]]);
      assert.deepEqual(await list(`before=${oldest}`), []);
      const restored = await service().send('POST', `/${region}/_history/a?restore=${oldest}`);
      assert.equal(restored.status, 200, restored.text);
      assert.equal((await service().get(`/${region}/a`)).text, `{"${region}":[{"n":3}]}`);
    }
  });

  it('restores a version, under a precondition if one is given', async () => {
    const region = await keeping();
    const first = await put(region, 'a', '{"n": 1.50}');
    const second = await put(region, 'a', '{"n":2}');
    const restore = (version: number, ifMatch?: number) =>
      service().send('POST', `/${region}/_history/a?restore=${version}`, {
        headers: ifMatch === undefined ? {} : { 'If-Match': `"${ifMatch}"` },
      });
    assert.equal((await restore(first, first)).status, 412);
    const answer = await restore(first, second);
    assert.equal(answer.status, 200);
    assert.equal((await service().get(`/${region}/a`)).text, `{"${region}":[{"n":1.50}]}`);
    assert.equal((await service().get(`/${region}/a`)).headers['etag'], answer.headers['etag']);
    await service().send('DELETE', `/${region}/a`);
    assert.equal((await restore(second)).status, 200);
    assert.equal((await service().get(`/${region}/a`)).text, `{"${region}":[{"n":2}]}`);
    const missing = await restore(999_999);
    assert.deepEqual([missing.status, code(missing)], [404, 'grid/version-not-found']);
    assert.equal((await service().send('POST', `/${region}/_history/a`)).status, 400);
  });

  it('is altered, described and removed by PATCH', async () => {
    const name = await service().region({ a: '{"n":1}' });
    const patch = (body: object) =>
      service().sendTo('PATCH', `${ADMIN}/regions/${name}`, { body: JSON.stringify(body) });
    const altered = await patch({ history: { age: 'P1D', count: 5 }, 'max-ttl': 3600 });
    assert.equal(altered.status, 200);
    assert.deepEqual(Object(json(altered)).history, { age: 'PT24H', count: 5 });
    assert.equal(Object(json(altered))['max-ttl'], 'PT1H');
    const version = await put(name, 'a', '{"n":2}');
    assert.equal((await service().get(`/${name}?at=${version - 1}`)).text, `{"${name}":[{"n":1}]}`);
    assert.deepEqual(Object(json(await patch({ 'max-ttl': null }))).history, {
      age: 'PT24H',
      count: 5,
    });
    const ended = await patch({ history: null });
    assert.equal(Object.hasOwn(Object(json(ended)), 'history'), false);
    assert.equal((await service().get(`/${name}?at=${version}`)).status, 400);
    assert.equal((await service().get(`/${name}/a`)).text, `{"${name}":[{"n":2}]}`);
    const refused: readonly object[] = [
      { history: {} },
      { history: [] },
      { history: { age: 'soon' } },
      { history: { count: 0 } },
      { history: { counts: 1 } },
      { 'entry-ttl': -1 },
      { 'entry-ttl': 'P2D', 'max-ttl': 'P1D' },
      { type: 'EMPTY' },
    ];
    for (const body of refused) assert.equal((await patch(body)).status, 400, JSON.stringify(body));
    const empty = await service().region({}, { type: 'EMPTY' });
    const answer = await service().sendTo('PATCH', `${ADMIN}/regions/${empty}`, {
      body: '{"history":{"count":1}}',
    });
    assert.deepEqual([answer.status, code(answer)], [400, 'grid/bad-region']);
    assert.equal(
      (await service().sendTo('PATCH', `${ADMIN}/regions/absent`, { body: '{}' })).status,
      404,
    );
  });
});

describe('History that is too old', () => {
  it('is gone as soon as it is too old, before any commit trims it', async () => {
    let nowMs = Date.now();
    await using service = await Service.start({ wallClock: () => nowMs });
    const region = await service.region({}, { settings: { history: { age: 'PT1H' } } });
    for (const n of [1, 2]) await service.send('PUT', `/${region}/a`, { body: `{"n":${n}}` });
    const { sequence } = service.engine.stats();
    assert.equal(
      (await service.get(`/${region}/a?at=${sequence - 1}`)).text,
      `{"${region}":[{"n":1}]}`,
    );
    nowMs += 2 * 3_600_000;
    const gone = await service.get(`/${region}/a?at=${sequence - 1}`);
    assert.deepEqual([gone.status, code(gone)], [410, 'grid/history-gone']);
    assert.equal(Object(json(gone)).oldest, sequence);
    assert.equal((await service.get(`/${region}/a?at=${sequence}`)).status, 200);
    const { versions } = json(await service.get(`/${region}/_history/a`)) as {
      versions: readonly Version[];
    };
    assert.deepEqual(
      versions.map(({ value }) => value),
      [{ n: 2 }],
    );
    const before = await service.get(`/${region}/_history/a?before=${sequence}`);
    assert.equal(before.text, '{"versions":[]}');
    const restored = await service.send('POST', `/${region}/_history/a?restore=${sequence - 1}`);
    assert.deepEqual([restored.status, code(restored)], [404, 'grid/version-not-found']);
  });
});
