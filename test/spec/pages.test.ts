// Reading regions in pages: bounds, order, cursors, conditions, and the parts shown of each entry.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { storeFailed } from '../../src/engine/errors.ts';
import type { FailingCall } from '../../src/engine/testing/failing-engine.ts';
import { shareOfRuns } from '../../src/value/testing/share-of-runs.ts';
import { type Answer, json } from '../http-client.ts';
import { API, manyEntries, onEveryEngine, Service } from '../service.ts';

const NDJSON = { Accept: 'application/x-ndjson' };

/** Path and parameters of the next page below the API; undefined on the last one. */
function nextOf(answer: Answer): string | undefined {
  const [, address] = /^<([^>]*)>; rel="next"$/.exec(answer.headers['link'] ?? '') ?? [];
  return address?.slice(address.indexOf(API) + API.length);
}

onEveryEngine('Pages of a region', (service) => {
  async function read(path: string): Promise<Answer> {
    const answer = await service().get(path);
    assert.equal(answer.status, 200, answer.text);
    return answer;
  }

  function valuesOf(answer: Answer): unknown[] {
    return Object.values(json(answer) as Record<string, unknown[]>)[0] ?? [];
  }

  async function follow(path: string): Promise<unknown[][]> {
    const pages: unknown[][] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const answer = await read(next);
      pages.push(valuesOf(answer));
      next = nextOf(answer);
    }
    return pages;
  }

  const numbers = (from: number, to: number): { n: number }[] =>
    Array.from({ length: Math.abs(to - from) }, (_, i) => ({ n: from < to ? from + i : from - i }));

  async function numbered(count: number): Promise<string> {
    return service().region(
      Object.fromEntries(
        Array.from({ length: count }, (_, n) => [`k${String(n).padStart(4, '0')}`, `{"n":${n}}`]),
      ),
    );
  }

  it('leads from page to page by Link, until the last page', async () => {
    const region = await numbered(250);
    for (const limit of [7, 49, 50, 100, 101, 125, 249]) {
      const pages = await follow(`/${region}?limit=${limit}`);
      assert.deepEqual(pages.flat(), numbers(0, 250));
      assert.ok(pages.slice(0, -1).every((page) => page.length === limit));
    }
    for (const path of [`?limit=250`, `?limit=251`, `?limit=ALL`, '?limit=0']) {
      assert.equal((await read(`/${region}${path}`)).headers['link'], undefined, path);
    }
    assert.deepEqual(
      await follow(`/${await numbered(3)}?limit=1`),
      numbers(0, 3).map((each) => [each]),
    );
    const plain = await read(`/${region}`);
    assert.match(
      plain.headers['link'] ?? '',
      /^<http:\/\/127\.0\.0\.1:\d+\/grid-api\/v1\/.*limit=50&cursor=/,
    );
    assert.deepEqual((await follow(`/${region}`)).flat(), numbers(0, 250));
  });

  it('includes the address of the next page in a cached first page', async () => {
    const region = await numbered(60);
    const first = await read(`/${region}`);
    assert.equal((await read(`/${region}`)).headers['link'], first.headers['link']);
    await service().put(region, { a: '{"n":-1}' });
    assert.deepEqual((await follow(`/${region}?limit=50`)).flat(), numbers(-1, 60));
    await service().send('DELETE', `/${region}`);
    assert.equal((await read(`/${region}`)).headers['link'], undefined);
  });

  it('begins after a key, in either order', async () => {
    const region = await numbered(100);
    assert.deepEqual(valuesOf(await read(`/${region}?after=k0041&limit=3`)), numbers(42, 45));
    assert.deepEqual(valuesOf(await read(`/${region}?after=k0041x&limit=2`)), numbers(42, 44));
    assert.deepEqual(
      valuesOf(await read(`/${region}?after=k0041&order=desc&limit=3`)),
      numbers(40, 37),
    );
    assert.deepEqual(valuesOf(await read(`/${region}?after=k0099`)), []);
    assert.deepEqual((await follow(`/${region}?order=desc&limit=30`)).flat(), numbers(99, -1));
  });

  it('selects keys from a lower bound, inclusive, to an upper one, exclusive, and by prefix', async () => {
    const region = await numbered(100);
    const between = 'from=k0010&to=k0020';
    assert.deepEqual(valuesOf(await read(`/${region}?${between}`)), numbers(10, 20));
    assert.deepEqual(valuesOf(await read(`/${region}?${between}&order=DESC`)), numbers(19, 9));
    assert.deepEqual((await follow(`/${region}?${between}&limit=3`)).flat(), numbers(10, 20));
    assert.deepEqual((await follow(`/${region}?prefix=k003&limit=4`)).flat(), numbers(30, 40));
    assert.deepEqual(
      (await follow(`/${region}?prefix=k003&from=k0035&order=desc&limit=2`)).flat(),
      numbers(39, 34),
    );
    assert.deepEqual(valuesOf(await read(`/${region}?prefix=x`)), []);
    assert.deepEqual(valuesOf(await read(`/${region}?from=k0020&to=k0020`)), []);
    assert.equal(valuesOf(await read(`/${region}?from=&to=&prefix=`)).length, 50);
    assert.equal(valuesOf(await read(`/${region}?prefix=k00&limit=ALL`)).length, 100);
  });

  it('lists keys in pages', async () => {
    const region = await numbered(100);
    const keys = (from: number, to: number) =>
      numbers(from, to).map(({ n }) => `k${String(n).padStart(4, '0')}`);
    const pages = await follow(`/${region}/keys?limit=30`);
    assert.deepEqual(
      pages.map((page) => page.length),
      [30, 30, 30, 10],
    );
    assert.deepEqual(pages.flat(), keys(0, 100));
    assert.deepEqual((await follow(`/${region}/keys?prefix=k001`)).flat(), keys(10, 20));
    assert.deepEqual(
      (
        await follow(`/${region}/keys?limit=4&order=desc&where=${encodeURIComponent('n < 10')}`)
      ).flat(),
      keys(9, -1),
    );
    const lines = await service().get(`/${region}/keys?prefix=k000&end=true`, NDJSON);
    assert.equal(lines.headers['content-type'], 'application/x-ndjson');
    assert.deepEqual(lines.text.split('\n').slice(0, 3), ['"k0000"', '"k0001"', '"k0002"']);
    assert.match(lines.text, /\n\{"@end":\{"count":10,"sequence":\d+\}\}\n$/);
    assert.equal((await service().send('HEAD', `/${region}/keys?limit=3`)).status, 405);
  });

  it('counts the entries of all pages with a Prefer header', async () => {
    const region = await numbered(100);
    const count = async (path: string, headers = {}): Promise<unknown> => {
      const answer = await service().get(path, { Prefer: 'count=exact', ...headers });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.headers['preference-applied'], 'count=exact');
      return answer.headers['resource-count'];
    };
    assert.equal(await count(`/${region}`), '100');
    assert.equal(await count(`/${region}?limit=10&after=k0050`), '100');
    assert.equal(await count(`/${region}?limit=3&prefix=k001&after=k0015`), '10');
    assert.equal(await count(`/${region}?from=k0090&order=desc`), '10');
    assert.equal(await count(`/${region}?limit=1&where=n%3E=95`), '5');
    assert.equal(await count(`/${region}/keys?prefix=k009`), '10');
    assert.equal(await count(`/${region}?limit=2`, NDJSON), '100');
    const plain = await read(`/${region}?limit=10`);
    assert.equal(plain.headers['resource-count'], undefined);
    const head = await service().send('HEAD', `/${region}?prefix=k00&limit=7`, {
      headers: { Prefer: 'count=exact' },
    });
    assert.equal(head.headers['resource-count'], '100');
    assert.ok(nextOf(head) !== undefined);
  });

  it('shows entries with key and version, and members byte for byte', async () => {
    const value =
      '{"a":20.0,"b":{"c":1e400,"d":2},"é":"\\u00e9","list":[{"x":1.50,"y":2},7,[{"x":3}]]}';
    const region = await service().region({ 'a,"b': value, z: '[{"a":1},{"b":2}]' });
    const entries = valuesOf(await read(`/${region}?entries=true`)) as {
      key: string;
      version: number;
    }[];
    assert.deepEqual(
      entries.map(({ key }) => key),
      ['a,"b', 'z'],
    );
    const stored = await service().get(`/${region}?keys=z`);
    assert.equal(`"${entries[1]?.version}"`, stored.headers['etag']);
    const shown = async (parameters: string): Promise<string> =>
      (await read(`/${region}?limit=1&${parameters}`)).text;
    assert.equal(await shown('fields=a,b.c'), `{"${region}":[{"a":20.0,"b":{"c":1e400}}]}`);
    assert.equal(await shown('fields=a%2Cb.c'), `{"${region}":[{"a":20.0,"b":{"c":1e400}}]}`);
    assert.equal(
      await shown('fields=b.c,b,nothing,a.b'),
      `{"${region}":[{"b":{"c":1e400,"d":2}}]}`,
    );
    assert.equal(await shown('fields=list.x'), `{"${region}":[{"list":[{"x":1.50},[{"x":3}]]}]}`);
    assert.equal(await shown('fields=%22%5Cu00e9%22'), `{"${region}":[{"é":"\\u00e9"}]}`);
    assert.equal(
      await shown('fields=a&entries=true'),
      `{"${region}":[{"key":"a,\\"b","version":${entries[0]?.version},"value":{"a":20.0}}]}`,
    );
    assert.equal((await read(`/${region}?after=b&fields=a`)).text, `{"${region}":[[{"a":1},{}]]}`);
  });

  it('fills a page with entries that meet a condition, and links to the next page', async () => {
    const region = await numbered(3000);
    const where = (text: string): string => `where=${encodeURIComponent(text)}`;
    const every = numbers(0, 3000).filter(({ n }) => n % 7 === 3);
    assert.deepEqual((await follow(`/${region}?limit=40&${where('MOD(n, 7) = 3')}`)).flat(), every);
    assert.deepEqual(
      (await follow(`/${region}?limit=100&order=desc&${where('MOD(value.n, 7) = 3')}`)).flat(),
      every.toReversed(),
    );
    assert.deepEqual(
      valuesOf(await read(`/${region}?limit=ALL&${where('n > 2995')}`)),
      numbers(2996, 3000),
    );
    assert.deepEqual(
      valuesOf(
        await read(
          `/${region}?prefix=k20&limit=3&${where('n > 2030 AND n IN SET(1, 2031, 2033)')}`,
        ),
      ),
      [{ n: 2031 }, { n: 2033 }],
    );
    const today = where("n = 7 AND NOW() > DATE '2024-03-01'");
    assert.deepEqual(valuesOf(await read(`/${region}?${today}`)), [{ n: 7 }]);
    assert.deepEqual(valuesOf(await read(`/${region}?where=n+%3D+5+%2B+1`)), [{ n: 6 }]);
    const subquery = `n = ELEMENT(SELECT MAX(o.n) FROM /${region} o)`;
    assert.deepEqual(valuesOf(await read(`/${region}?${where(subquery)}`)), [{ n: 2999 }]);
    const lines = await service().get(`/${region}?limit=2&fields=n&${where('n >= 2999')}`, NDJSON);
    assert.equal(lines.text, '{"n":2999}\n');
  });

  it('refuses a name in double quotes that no document has, as queries do', async () => {
    const region = await service().region({
      a: '{"status":"paid","select":1}',
      b: '{"status":"x"}',
    });
    const where = (condition: string): string =>
      `/${region}?where=${encodeURIComponent(condition)}`;
    const refused = await service().get(where('status = "paid"'));
    assert.equal(refused.status, 400);
    const { code, hint, position } = JSON.parse(refused.text);
    assert.equal(code, 'oql/name-unresolved');
    assert.equal(hint, "Texts are in single quotes: 'paid'");
    assert.deepEqual(position, { offset: 9, line: 1, column: 10 });
    for (const condition of [`status = 'paid'`, `"select" = 1`, `status = '"' OR "select" = 1`]) {
      const { text } = await service().get(where(condition));
      assert.equal(text, `{"${region}":[{"status":"paid","select":1}]}`, condition);
    }
  });

  it('answers NDJSON, one element per line, with an end marker on request', async () => {
    const region = await service().region({ a: '{"n":20.0}', b: '{"n":"\\n"}', c: '[{}]' });
    const lines = await service().get(`/${region}`, NDJSON);
    assert.equal(lines.text, '{"n":20.0}\n{"n":"\\n"}\n[{}]\n');
    assert.equal(lines.headers['content-type'], 'application/x-ndjson');
    const ended = await service().get(`/${region}?limit=2`, { ...NDJSON, Prefer: 'trailer' });
    assert.match(ended.text, /^\{"n":20.0\}\n.*\n\{"@end":\{"count":2,"sequence":\d+\}\}\n$/);
    assert.equal(ended.headers['preference-applied'], 'trailer');
    const empty = await service().region();
    assert.equal((await service().get(`/${empty}`, NDJSON)).text, '');
    assert.match(
      (await service().get(`/${empty}?end=true`, NDJSON)).text,
      /^\{"@end":\{"count":0,/,
    );
    const large = await service().region(manyEntries(5000));
    const all = await service().get(`/${large}?limit=ALL`, NDJSON);
    assert.equal(all.text.split('\n').length, 5001);
    const document = (await read(`/${large}?limit=ALL`)).text;
    assert.equal(`{"${large}":[${all.text.trimEnd().split('\n').join(',')}]}`, document);
    const packed = await service().get(`/${large}?limit=ALL`, {
      ...NDJSON,
      'Accept-Encoding': 'gzip',
    });
    assert.equal(packed.headers['content-encoding'], 'gzip');
  });

  it('chooses the format with the highest quality in Accept', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const typeFor = async (accept: string): Promise<unknown> => {
      const answer = await service().get(`/${region}`, { Accept: accept });
      return answer.status === 200 ? answer.headers['content-type'] : answer.status;
    };
    assert.equal(await typeFor('*/*'), 'application/json');
    assert.equal(await typeFor('application/*'), 'application/json');
    assert.equal(await typeFor('application/x-ndjson, application/json'), 'application/json');
    assert.equal(
      await typeFor('application/json;q=0.5, application/x-ndjson'),
      'application/x-ndjson',
    );
    assert.equal(await typeFor('application/x-ndjson;q=0.1, */*;q=0.2'), 'application/json');
    assert.equal(await typeFor('text/csv'), 406);
    const keys = await service().get(`/${region}?keys=a`, NDJSON);
    assert.equal(keys.status, 406);
    assert.equal((await service().get(`/${region}/a`, NDJSON)).status, 406);
  });

  it('refuses bounds beside keys', async () => {
    const region = await service().region({ a: '{"n":1}' });
    for (const more of ['after=a', 'where=n%3D1', 'entries=true', 'order=desc']) {
      const answer = await service().get(`/${region}?keys=a&${more}`);
      assert.equal(answer.status, 400, more);
      assert.match(answer.text, /request\/bad-parameter/);
    }
    // Generated clients send the defaults of all parameters.
    const defaults = 'order=asc&end=false&entries=false&prefix=&limit=50';
    for (const query of ['keys=a', `keys=a&${defaults}`]) {
      assert.equal((await service().get(`/${region}?${query}`)).status, 200, query);
    }
  });

  it('refuses contradictory parameters, with a hint', async () => {
    const region = await numbered(100);
    const first = await read(`/${region}?limit=10`);
    const cursor = new URLSearchParams(nextOf(first)?.split('?')[1]).get('cursor') ?? '';
    const cases: readonly (readonly [string, string])[] = [
      [`cursor=${cursor}&after=k0001`, 'request/bad-parameter'],
      [`cursor=${cursor}&limit=ALL`, 'request/bad-parameter'],
      [`cursor=${cursor}&prefix=k`, 'request/bad-cursor'],
      [`cursor=${cursor}&order=desc`, 'request/bad-cursor'],
      [`cursor=${cursor}x`, 'request/bad-cursor'],
      ['cursor=', 'request/bad-cursor'],
      ['cursor=%00', 'request/bad-cursor'],
      ['order=up', 'request/bad-parameter'],
      ['order=', 'request/bad-parameter'],
      ['limit=-1&after=a', 'request/bad-limit'],
      ['limit=10001&where=n%3E1', 'request/bad-limit'],
      ['entries=yes', 'request/bad-flag'],
      ['fields=', 'request/bad-parameter'],
      ['fields=a,,b', 'request/bad-parameter'],
      ['fields=a.', 'request/bad-parameter'],
      ['fields=%22a', 'request/bad-parameter'],
      ['from=%00', 'request/bad-parameter'],
      ['end=true', 'request/bad-parameter'],
      ['timeout=5', 'request/bad-parameter'],
      ['where=', 'request/bad-parameter'],
      ['after=a&after=b', 'request/bad-parameter'],
      ['where=n%20%3E', 'oql/syntax-error'],
      ['where=SELECT%20*%20FROM%20/x', 'oql/syntax-error'],
      ['where=true%20LIMIT%201', 'oql/syntax-error'],
      ['where=n%20%3E%20$1', 'oql/syntax-error'],
      ['where=n%20=%20(SELECT%20*%20FROM%20/nowhere)', 'oql/region-not-found'],
      ['wher=n%3E1', 'request/unknown-parameter'],
    ];
    for (const [parameters, code] of cases) {
      const answer = await service().get(`/${region}?${parameters}`);
      assert.equal(answer.status, 400, `${parameters}: ${answer.text}`);
      assert.equal((json(answer) as { code: string }).code, code, parameters);
    }
    const wrong = json(await service().get(`/${region}?where=n%20%3E`)) as { position: object };
    assert.deepEqual(wrong.position, { offset: 3, line: 1, column: 4 });
    const bound = json(await service().get(`/${region}?where=n%20=%20$1`)) as { position: object };
    assert.deepEqual(bound.position, { offset: 4, line: 1, column: 5 });
    const other = await numbered(100);
    const stranger = await service().get(`/${other}?limit=10&cursor=${cursor}`);
    assert.equal((json(stranger) as { code: string }).code, 'request/bad-cursor');
    const failing = await service().get(`/${region}?where=1/(n-5)%20%3E%200`);
    assert.equal(failing.status, 422, failing.text);
    const { code, entry } = json(failing) as { code: string; entry: unknown };
    assert.equal(code, 'oql/division-by-zero');
    assert.deepEqual(entry, { region, key: 'k0005' });
    const misfit = await service().get(`/${region}?where=n.length()%20%3E%200`);
    assert.deepEqual(
      [misfit.status, Object(json(misfit)).code, Object(json(misfit)).entry.key],
      [422, 'oql/method-not-found', 'k0000'],
    );
    assert.equal((await service().get('/nowhere?after=a')).status, 404);
  });

  it('neither repeats nor loses an entry while others are added and removed', async () => {
    const keys = Array.from({ length: 40 }, (_, i) => `k${i}`);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 7 }),
        fc.constantFrom('asc', 'desc'),
        fc.boolean(),
        fc.array(fc.tuple(fc.constantFrom(...keys), fc.constantFrom('put', 'remove', 'insert')), {
          minLength: 60,
          maxLength: 60,
        }),
        async (limit, order, isFiltered, changes) => {
          const region = await service().region(
            Object.fromEntries(keys.map((key) => [key, '{"n":1}'])),
          );
          const grid = await service().grid.region(region);
          const touched = new Set<string>();
          const seen: string[] = [];
          const where = isFiltered ? '&where=n%3E0' : '';
          let at = 0;
          const path = `/${region}?entries=true&limit=${limit}&order=${order}${where}`;
          for (let next: string | undefined = path; next !== undefined; ) {
            const answer = await read(next);
            for (const { key } of valuesOf(answer) as { key: string }[]) seen.push(key);
            next = nextOf(answer);
            for (const [key, op] of changes.slice(at, at + 2)) {
              if (op === 'insert') await grid.put([{ key: `${key}-new`, value: '{"n":2}' }], []);
              else if (op === 'put') await grid.put([{ key, value: '{"n":3}' }], []);
              else await grid.remove([key], []).catch(() => undefined);
              if (op === 'remove') touched.add(key);
            }
            at += 2;
          }
          assert.equal(new Set(seen).size, seen.length, 'no entry twice');
          const stayed = keys.filter((key) => !touched.has(key));
          assert.deepEqual(
            stayed.filter((key) => !seen.includes(key)),
            [],
          );
        },
      ),
      { numRuns: shareOfRuns(60) },
    );
  });
});

it('ends a page early when its condition is out of time, and continues from there', async () => {
  let elapsed = 0;
  const now = (): number => {
    elapsed += 0.2;
    return elapsed;
  };
  await using service = await Service.start({ now });
  const region = await service.region(manyEntries(3000));
  const seen: unknown[] = [];
  let pages = 0;
  const where = encodeURIComponent("value.nothing = 'x' OR value IS NOT NULL AND 1 = 2");
  for (let next: string | undefined = `/${region}?limit=5&timeout=100&where=${where}`; next; ) {
    const answer = await service.get(next);
    assert.equal(answer.status, 200, answer.text);
    seen.push(...Object.values(json(answer) as Record<string, unknown[]>).flat());
    next = nextOf(answer);
    pages += 1;
  }
  assert.deepEqual(seen, []);
  assert.ok(pages > 1, 'no page could read all of it');
});

it('ends lines that fail half-way with the error, and closes the connection of a document', async () => {
  let scans = 0;
  const failures = (call: FailingCall) => {
    if (call !== 'snapshot.scan-entries' && call !== 'snapshot.scan-values') return undefined;
    scans += 1;
    return scans > 6 ? storeFailed('gridkeep.db', new Error('the disk is gone')) : undefined;
  };
  await using service = await Service.start({ failures });
  const region = await service.region(manyEntries(20_000, 100));
  const lines = await service.get(`/${region}?limit=ALL&end=true`, NDJSON);
  assert.equal(lines.status, 200);
  const last = JSON.parse(lines.text.trimEnd().split('\n').at(-1) ?? '') as {
    '@error': { code: string };
  };
  assert.equal(last['@error'].code, 'engine/store-failed');
  assert.ok(!lines.text.includes('@end'));
  for (const line of lines.text.trimEnd().split('\n')) JSON.parse(line);
  scans = 0;
  await assert.rejects(service.get(`/${region}?limit=ALL`), /aborted|hang up/);
  scans = 6;
  const failed = await service.get(`/${region}?limit=ALL&end=true`, NDJSON);
  assert.equal(failed.status, 500, 'nothing was sent before it failed');
});
