import assert from 'node:assert/strict';
import { it } from 'node:test';
import { json } from '../http-client.ts';
import { manyEntries, onEveryEngine } from '../service.ts';

onEveryEngine('4.2 Read region data', (service) => {
  async function countRead(path: string): Promise<number> {
    const answer = await service().get(path);
    assert.equal(answer.status, 200, answer.text);
    const [values] = Object.values(json(answer) as Record<string, unknown[]>);
    return values?.length ?? -1;
  }

  it('returns an object with one member, named like the region, which has the values', async () => {
    const region = await service().region({ a: '{"n":20.0}', b: '{"@type":"T","n":2}' });
    const answer = await service().get(`/${region}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.text, `{"${region}":[{"n":20.0},{"@type":"T","n":2}]}`);
  });

  it('returns an empty array for a region without entries', async () => {
    const region = await service().region();
    assert.equal((await service().get(`/${region}`)).text, `{"${region}":[]}`);
    assert.equal((await service().get(`/${region}?limit=ALL`)).text, `{"${region}":[]}`);
    assert.equal((await service().get(`/${region}?limit=1000`)).text, `{"${region}":[]}`);
  });

  it('returns at most 50 values without a limit', async () => {
    const region = await service().region(manyEntries(60));
    assert.equal(await countRead(`/${region}`), 50);
    assert.equal(await countRead(`/${region}?limit=`), 50);
    assert.equal(await countRead(`/${region}?limit`), 50);
  });

  it('returns at most as many values as the limit says', async () => {
    const region = await service().region(manyEntries(300));
    for (const limit of [0, 1, 49, 51, 99, 100, 101, 299, 300]) {
      assert.equal(await countRead(`/${region}?limit=${limit}`), limit);
    }
    assert.equal(await countRead(`/${region}?limit=301`), 300);
    assert.equal(await countRead(`/${region}?limit=2147483647`), 300);
    assert.equal(await countRead(`/${region}?limit=+7`), 7);
    assert.equal(await countRead(`/${region}?limit=000000000000007`), 7);
  });

  it('returns every value for ALL, in any letter case', async () => {
    const region = await service().region(manyEntries(300));
    for (const word of ['ALL', 'all', 'aLL', '%41LL']) {
      assert.equal(await countRead(`/${region}?limit=${word}`), 300);
    }
  });

  it('answers 400 when limit is neither ALL nor an integer in range', async () => {
    const region = await service().region({ a: '{}' });
    const bad = [
      '-1',
      '1.5',
      '1e2',
      '2147483648',
      '99999999999999999999',
      'ALLE',
      'x',
      '%20',
      '1%20',
    ];
    for (const limit of bad) {
      const answer = await service().get(`/${region}?limit=${limit}`);
      assert.equal(answer.status, 400, limit);
      const text = `limit (${decodeURIComponent(limit)}) must be ALL or an integer from 0 to 2147483647`;
      assert.deepEqual(json(answer), { cause: text, message: text, code: 'request/bad-limit' });
    }
  });

  it('answers 400 when limit is given twice', async () => {
    const region = await service().region();
    const answer = await service().get(`/${region}?limit=1&limit=2`);
    assert.equal(answer.status, 400);
    assert.equal(Object(json(answer)).cause, 'Query parameter limit is given twice');
  });

  it('answers 404 when the region does not exist, also with a bad limit', async () => {
    for (const path of ['/nowhere', '/nowhere?limit=x', '/nowhere?limit=ALL', '/_queries']) {
      const answer = await service().get(path);
      assert.equal(answer.status, 404);
      const [name] = path.slice(1).split('?');
      assert.equal(Object(json(answer)).code, 'grid/region-not-found');
      assert.equal(Object(json(answer)).cause, `Region (${name}) does not exist`);
    }
  });

  it('orders by key in code units, so that pages are repeatable', async () => {
    const region = await service().region({
      b: '{"k":"b"}',
      '\u{1F600}': '{"k":"emoji"}',
      '\uFB01': '{"k":"ligature"}',
      B: '{"k":"B"}',
      a: '{"k":"a"}',
      '10': '{"k":"10"}',
      '9': '{"k":"9"}',
    });
    const expected = ['10', '9', 'B', 'a', 'b', 'emoji', 'ligature'].map((k) => ({ k }));
    assert.deepEqual(json(await service().get(`/${region}`)), { [region]: expected });
    assert.deepEqual(json(await service().get(`/${region}?limit=ALL`)), { [region]: expected });
    assert.deepEqual(json(await service().get(`/${region}?limit=3`)), {
      [region]: expected.slice(0, 3),
    });
  });

  it('names the keys of the values in Content-Location, in their order', async () => {
    const region = await service().region({ 'b/c': '{}', a: '{}', 'x,y': '{}' });
    for (const query of ['', '?limit=ALL', '?limit=200']) {
      const answer = await service().get(`/${region}${query}`);
      const keys = 'a,b%2Fc,x%2Cy';
      assert.equal(answer.headers['content-location'], `${service().api}/${region}/${keys}`);
    }
    const first = await service().get(`/${region}?limit=1`);
    assert.equal(first.headers['content-location'], `${service().api}/${region}/a`);
    const none = await service().get(`/${region}?limit=0`);
    assert.equal(none.headers['content-location'], `${service().api}/${region}`);
  });

  it('omits Content-Location when it would exceed 2 KiB', async () => {
    const base = `${service().api}/region-00/`.length;
    const region = await service().region();
    const key = (length: number): string => 'k'.repeat(length);
    const rest = 2048 - base - (region.length - 'region-00'.length);
    const halves = { [`a${key(999)}`]: '{}', [`b${key(rest - 1002)}`]: '{}' };
    await service().put(region, halves);
    const fits = await service().get(`/${region}`);
    assert.equal(fits.headers['content-location']?.length, 2048);
    await service().put(region, { c: '{}' });
    assert.equal((await service().get(`/${region}`)).headers['content-location'], undefined);
  });

  it('returns the same page when it is new, cached, indented, or sent among others', async () => {
    // Heads of very different lengths.
    const long = (name: string): string => `${name}${'k'.repeat(950)}`;
    const value = (i: number): string => JSON.stringify({ i, text: 'x'.repeat(i * 20) });
    const keys = Array.from({ length: 60 }, (_, i) => `k${String(i).padStart(2, '0')}`);
    const short = await service().region(Object.fromEntries(keys.map((key, i) => [key, value(i)])));
    const wide = await service().region(
      Object.fromEntries(['a', 'b', 'c'].map((name, i) => [long(name), value(i)])),
    );
    const limits = [50, 50, 50, 41, 42, 41, 50, 3, 60, 1, 50];
    const requests = limits.flatMap((limit) => [
      { region: short, limit, query: '' },
      { region: short, limit, query: '&pretty=true' },
      { region: wide, limit: Math.min(limit, 2), query: '' },
    ]);
    const answers = await Promise.all(
      requests.map(({ region, limit, query }) =>
        service().get(`/${region}?limit=${limit}${query}`),
      ),
    );
    for (const [i, { region, limit, query }] of requests.entries()) {
      const values = Array.from({ length: limit }, (_, at) => value(at));
      const text = `{"${region}":[${values.join(',')}]}`;
      const answer = answers[i];
      if (query === '') assert.equal(answer?.text, text);
      else assert.deepEqual(JSON.parse(answer?.text ?? ''), JSON.parse(text));
    }
  });

  it('allows GET, HEAD, POST, PUT, PATCH and DELETE', async () => {
    const region = await service().region();
    const answer = await service().send('TRACE', `/${region}`);
    assert.equal(answer.status, 405);
    assert.deepEqual(answer.headers['allow']?.split(', ').sort(), [
      'DELETE',
      'GET',
      'HEAD',
      'PATCH',
      'POST',
      'PUT',
    ]);
  });
});
