// Section 4.8 and decisions 4: running named and ad-hoc queries.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Answer, json, RawConnection } from '../http-client.ts';
import { ADMIN, API, manyEntries, onEveryEngine, Service } from '../service.ts';
import { until } from '../until.ts';

const ORDERS = {
  o1: '{"@type":"org.shop.Order","id":1,"total":20.0,"items":[{"@type":"org.shop.Item","sku":"x","n":9007199254740993}]}',
  o2: '{"id":2,"total":7.5,"note":null}',
  o3: '{"id":3,"total":100,"customer":{"@type":"org.shop.Customer","name":"a+b"}}',
};

/** A query over so many combinations that it never ends. */
function endless(region: string): string {
  const from = Array.from({ length: 18 }, (_, i) => `/${region} r${i}`).join(', ');
  return `SELECT COUNT(*) FROM ${from} WHERE r0.id + r17.id < 0`;
}

interface RunningQuery {
  readonly id: string;
  readonly state: string;
}

let queries = 0;

async function run(service: Service, oql: string, body?: string, query = ''): Promise<Answer> {
  queries += 1;
  const id = `run-${queries}`;
  await service.grid.createQuery({ id, oql });
  return service.send('POST', `/queries/${id}${query}`, body === undefined ? {} : { body });
}

function parameter(type: string, value: string): string {
  return `[{"@type":${JSON.stringify(type)},"@value":${value}}]`;
}

const PLAIN_VALUES = {
  a: '{"s":"C5","n":3,"big":9007199254740993,"f":24.9,"b":true,"z":null}',
  b: '{"s":"C6","n":4,"big":9007199254740992,"f":25.0,"b":false,"z":1}',
};

onEveryEngine('4.8 Execute a named query', (service, engine) => {
  it('returns a JSON array of results, with its own address as Location', async () => {
    const region = await service().region(ORDERS);
    await service().grid.createQuery({
      id: 'large ones',
      oql: `SELECT o.id FROM /${region} o WHERE o.total > $1`,
    });
    const body = parameter('double', '10.5');
    const answer = await service().send('POST', '/queries/large%20ones', { body });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.headers['location'], `${service().api}/queries/large%20ones`);
    assert.equal(answer.text, '[1,3]');
  });

  it('shows @type as type-class, at every level, in its place', async () => {
    const region = await service().region(ORDERS);
    const answer = await run(service(), `SELECT * FROM /${region} o WHERE o.id IN SET(1, 3)`);
    assert.equal(
      answer.text,
      '[{"type-class":"org.shop.Order","id":1,"total":20.0,"items":[{"type-class":"org.shop.Item","sku":"x","n":9007199254740993}]},' +
        '{"id":3,"total":100,"customer":{"type-class":"org.shop.Customer","name":"a+b"}}]',
    );
  });

  it('returns structs by field name, and null for missing members', async () => {
    const region = await service().region(ORDERS);
    const oql = `SELECT o.id, o.total AS amount, o.note, o.customer.name FROM /${region} o ORDER BY o.id DESC`;
    assert.equal(
      (await run(service(), oql)).text,
      '[{"id":3,"amount":100,"note":null,"name":"a+b"},{"id":2,"amount":7.5,"note":null,"name":null},' +
        '{"id":1,"amount":20.0,"note":null,"name":null}]',
    );
  });

  it('returns an empty array when nothing is found', async () => {
    const region = await service().region(ORDERS);
    assert.equal((await run(service(), `SELECT * FROM /${region} o WHERE o.id > 9`)).text, '[]');
  });

  it('accepts one parameter per placeholder, in placeholder order', async () => {
    const region = await service().region(ORDERS);
    const oql = `SELECT o.id FROM /${region} o WHERE o.total < $2 AND o.total > $1`;
    const body = '[{"@type":"int","@value":7},{"@type":"double","@value":30}]';
    assert.equal((await run(service(), oql, body)).text, '[1,2]');
  });

  it('accepts a single parameter without an array, and no body without parameters', async () => {
    const region = await service().region(ORDERS);
    const oql = `SELECT o.id FROM /${region} o WHERE o.id = $1`;
    assert.equal((await run(service(), oql, '{"@type":"int","@value":2}')).text, '[2]');
    for (const body of [undefined, '', '[]']) {
      assert.equal((await run(service(), `SELECT COUNT(*) FROM /${region}`, body)).text, '[3]');
    }
  });

  it('accepts every type name, trimmed, in any letter case, with or without its package', async () => {
    const region = await service().region({ a: '{"id":1,"s":"x","b":true}' });
    const id = 'of-any-type';
    await service().grid.createQuery({ id, oql: `SELECT r.id FROM /${region} r WHERE r.id = $1` });
    const numbers = 'byte short int integer long float double bigint biginteger decimal bigdecimal';
    for (const type of numbers.split(' ')) {
      for (const spelling of [
        type,
        type.toUpperCase(),
        ` ${type} `,
        `java.lang.${type}`,
        `java.math.${type}`,
      ]) {
        for (const value of ['1', '"1"']) {
          const body = parameter(spelling, value);
          const answer = await service().send('POST', `/queries/${id}`, { body });
          assert.equal(answer.text, '[1]', `${spelling} ${value}: ${answer.text}`);
        }
      }
    }
    for (const [type, member, value] of [
      ['String', 's', '"x"'],
      ['java.lang.String', 's', '"x"'],
      ['boolean', 'b', 'true'],
      ['java.lang.Boolean', 'b', 'true'],
    ] as const) {
      const answer = await run(
        service(),
        `SELECT r.id FROM /${region} r WHERE r.${member} = $1`,
        parameter(type, value),
      );
      assert.equal(answer.text, '[1]', type);
    }
  });

  it('accepts plain JSON values as bind parameters, in order or by name', async () => {
    const region = await service().region(PLAIN_VALUES);
    for (const [condition, body] of [
      ['r.s = $1 AND r.n = $2', '["C5",3]'],
      ['r.s = $1 AND r.n = $2', '["C5",{"@type":"int","@value":3}]'],
      ['r.s = :customer AND r.n = :count', '{"customer":"C5","count":3}'],
      ['r.s = :customer AND r.n = :count', '{"count":{"@type":"int","@value":3},"customer":"C5"}'],
      ['r.s = :customer AND r.n = $1', '[{"@name":"customer","@type":"string","@value":"C5"},3]'],
      ['r.big = $1', '[9007199254740993]'],
      ['r.f = $1', '[24.9]'],
      ['r.b = $1 AND r.z = $2', '[true,null]'],
      ['r.s = $1', '["C5"]'],
      ['r.s IN $1', '[{"@type":"list","@value":["x","C5"]}]'],
      ['r.s IN ($1)', '{"@type":"list","@value":["x","C5"]}'],
      ['r.big = ANY (:l) AND r.n < ALL (:l)', '{"l":{"@type":"list","@value":[9007199254740993]}}'],
    ] as const) {
      const answer = await run(service(), `SELECT r.n FROM /${region} r WHERE ${condition}`, body);
      assert.equal(answer.text, '[3]', `${condition} ${body}: ${answer.text}`);
    }
    const adhoc = { oql: `SELECT r.n FROM /${region} r WHERE r.s = :s`, params: { s: 'C5' } };
    const answer = await service().send('POST', '/queries/adhoc', { body: JSON.stringify(adhoc) });
    assert.equal(answer.text, '[3]');
  });

  it('answers 500 when a plain value is one too many, too few, or has an unknown name', async () => {
    const region = await service().region(PLAIN_VALUES);
    for (const [condition, body, code] of [
      ['r.s = $1', '[]', 'oql/parameter-count'],
      ['r.s = $1', '["a","b"]', 'oql/parameter-count'],
      ['r.s = :s', '{"t":"a"}', 'oql/parameter-count'],
      ['r.s = :s', '{}', 'oql/parameter-count'],
    ] as const) {
      const answer = await run(service(), `SELECT r.n FROM /${region} r WHERE ${condition}`, body);
      assert.equal(answer.status, 500, body);
      assert.equal(Object(json(answer)).code, code);
    }
  });

  it('answers 404 when no query with that id exists', async () => {
    const answer = await service().send('POST', '/queries/never-made', { body: '[]' });
    assert.equal(answer.status, 404);
    assert.equal(Object(json(answer)).code, 'grid/query-not-found');
  });

  it('answers 400 to a malformed body, before it looks for the id', async () => {
    for (const body of ['[', '{"@type":"int","@value":1', '1', '"x"', 'null', '[[]]', '{"a":[]}']) {
      const answer = await service().send('POST', '/queries/never-made', { body });
      assert.equal(answer.status, 400, body);
    }
    const headers = { 'Content-Type': 'text/plain' };
    const plain = await service().send('POST', '/queries/never-made', { headers, body: '[]' });
    assert.equal(plain.status, 415);
  });

  it('answers 500 with a separate code and text to each failure of execution', async () => {
    const region = await service().region(ORDERS);
    const empty = await service().region({}, { type: 'EMPTY' });
    const typed = await service().region({ a: '{"id":1}' }, { valueConstraint: 'T' });
    const by = `SELECT o.id FROM /${region} o WHERE o.id = $1`;
    const failures: readonly (readonly [string, string, string, string | undefined, RegExp])[] = [
      [
        'invalid-syntax',
        'oql/syntax-error',
        'SELECT FROM',
        undefined,
        /^Expected an expression, but found FROM \(line 1, column 8\)/,
      ],
      ['invalid-syntax', 'oql/syntax-error', 'x y', undefined, /./],
      [
        'function-domain',
        'oql/function-domain',
        `SELECT * FROM /${region} o WHERE o.id = ELEMENT(SELECT p.id FROM /${region} p)`,
        undefined,
        /ELEMENT takes a collection of one element, not of 3/,
      ],
      [
        'type-mismatch',
        'oql/parameter-type',
        by,
        parameter('int', '"abc"'),
        /\$1 is not of type int/,
      ],
      [
        'type-mismatch',
        'oql/parameter-type',
        by,
        parameter('int', '110.5'),
        /\$1 is not of type int/,
      ],
      ['type-mismatch', 'oql/parameter-type', by, parameter('byte', '128'), /\$1/],
      ['type-mismatch', 'oql/parameter-type', by, parameter('float', '1e39'), /\$1/],
      ['type-mismatch', 'oql/parameter-type', by, parameter('orange', '1'), /unknown type: orange/],
      ['type-mismatch', 'oql/parameter-type', by, '[{"@type":"int"}]', /\$1/],
      ['type-mismatch', 'oql/parameter-type', by, parameter('int', '[1]'), /\$1/],
      [
        'type-mismatch',
        'oql/type-mismatch',
        `SELECT * FROM /${region} o WHERE o.id > 'x'`,
        undefined,
        /./,
      ],
      [
        'name-resolution',
        'oql/region-not-found',
        'SELECT * FROM /no_such_region',
        undefined,
        /Region not found: \/no_such_region/,
      ],
      ['name-resolution', 'oql/region-not-found', 'SELECT * FROM /_queries', undefined, /_queries/],
      [
        'type-mismatch',
        'oql/name-unresolved',
        `SELECT * FROM /${typed} t, /${typed} u WHERE nonsense = 1`,
        undefined,
        /nonsense/,
      ],
      [
        'parameter-count',
        'oql/parameter-count',
        by,
        '[]',
        /^The query has 1 placeholder, but 0 values were given/,
      ],
      [
        'parameter-count',
        'oql/parameter-count',
        `SELECT * FROM /${region}`,
        parameter('int', '1'),
        /^The query has 0 placeholders, but 1 value was given/,
      ],
      [
        'region-not-permitted',
        'oql/region-not-permitted',
        `SELECT * FROM /${empty}`,
        undefined,
        /not permitted on region/,
      ],
      [
        'data-unavailable',
        'oql/division-by-zero',
        `SELECT o.id / 0 FROM /${region} o`,
        undefined,
        /Division of an integer by zero/,
      ],
      [
        'other',
        'oql/result-not-collection',
        '1 + 1',
        undefined,
        /only collections can be returned/,
      ],
    ];
    for (const [failure, code, oql, body, text] of failures) {
      const answer = await run(service(), oql, body);
      assert.equal(answer.status, 500, oql);
      const error = json(answer) as Record<string, unknown>;
      assert.equal(error['code'], code, answer.text);
      assert.equal(error['failure'], failure);
      assert.match(String(error['cause']), text);
      assert.ok(Array.isArray(error['trace']));
    }
  });

  it('reports the position of the failure in the query', async () => {
    const answer = await run(service(), 'SELECT *\nFROM /no_such_region');
    assert.deepEqual(Object(json(answer)).position, { offset: 14, line: 2, column: 6 });
  });

  it('compiles before it binds, and binds before it runs', async () => {
    const compile = await run(service(), 'SELECT FROM $1', parameter('orange', '1'));
    assert.equal(Object(json(compile)).code, 'oql/syntax-error');
    const bind = await run(service(), '1 + $1', parameter('orange', '1'));
    assert.equal(Object(json(bind)).code, 'oql/parameter-type');
  });

  it('never interprets a parameter as query text', async () => {
    const region = await service().region({ a: `{"id":1,"s":"/x' OR 1=1"}` });
    const oql = `SELECT r.id FROM /${region} r WHERE r.s = $1`;
    for (const [value, result] of [
      ["/x' OR 1=1", '[1]'],
      ["' OR '1'='1", '[]'],
      [`/${region}`, '[]'],
      ['$1', '[]'],
    ] as const) {
      assert.equal(
        (await run(service(), oql, parameter('string', JSON.stringify(value)))).text,
        result,
      );
    }
    const from = await run(service(), 'SELECT * FROM $1', parameter('string', `"/${region}"`));
    assert.doesNotMatch(from.text, /"id"/);
  });

  it('answers 500 when the maximum execution time is exceeded', async () => {
    await using own = await Service.start({ engine, grid: { maxQueryMs: 30 } });
    const region = await own.region(ORDERS);
    for (const query of ['', '?timeout=1000000', '?timeout=5']) {
      const answer = await run(own, endless(region), undefined, query);
      assert.equal(answer.status, 500);
      const error = json(answer) as Record<string, string>;
      assert.equal(error['code'], 'oql/timeout');
      const ms = query === '?timeout=5' ? 5 : 30;
      assert.match(
        error['cause'] ?? '',
        new RegExp(`longer than the maximum execution time of ${ms} ms`),
      );
    }
    assert.equal(own.engine.stats().openSnapshots, 0);
    assert.equal((await own.get('/ping')).status, 200);
  });

  it('has only the maximum of the request when the setting is 0', async () => {
    await using own = await Service.start({ engine, grid: { maxQueryMs: 0 } });
    const region = await own.region(ORDERS);
    assert.equal((await run(own, `SELECT COUNT(*) FROM /${region}`)).text, '[3]');
    const answer = await run(own, endless(region), undefined, '?timeout=10');
    assert.equal(Object(json(answer)).code, 'oql/timeout');
  });

  it('answers 400 to a timeout that is not a positive number of milliseconds', async () => {
    for (const timeout of ['0', '-1', '1.5', 'x', '', '9999999999']) {
      const answer = await run(service(), 'SELECT 1 FROM /x', undefined, `?timeout=${timeout}`);
      assert.equal(answer.status, 400, timeout);
    }
  });

  it('refuses and cancels queries while memory is low, and accepts them again afterwards', async () => {
    let low = false;
    await using own = await Service.start({ engine, isMemoryLow: () => low });
    const region = await own.region(ORDERS);
    const running = run(own, endless(region));
    await until(() => own.grid.listRunningQueries().length > 0);
    low = true;
    for (const answer of [await running, await run(own, `SELECT * FROM /${region}`)]) {
      assert.equal(answer.status, 500);
      assert.equal(Object(json(answer)).code, 'oql/low-memory');
      assert.equal(Object(json(answer)).failure, 'low-memory');
    }
    low = false;
    assert.equal((await run(own, `SELECT COUNT(*) FROM /${region}`)).text, '[3]');
  });

  it('runs n queries at once, and answers 503 with Retry-After to n + 1 if none may wait', async () => {
    const grid = { maxQueriesAtOnce: 2, maxQueriesWaiting: 0 };
    await using own = await Service.start({ engine, grid });
    const region = await own.region(ORDERS);
    const running = [run(own, endless(region)), run(own, endless(region))];
    await until(() => own.grid.listRunningQueries().length === 2);
    const refused = await run(own, `SELECT * FROM /${region}`);
    assert.equal(refused.status, 503);
    assert.equal(refused.headers['retry-after'], '1');
    assert.equal(Object(json(refused)).code, 'grid/too-many-queries');
    const list = json(await own.sendTo('GET', `${ADMIN}/queries/running`)) as {
      queries: { id: string; oql: string; 'query-id': string; 'elapsed-ms': number }[];
    };
    assert.equal(list.queries.length, 2);
    for (const query of list.queries) {
      assert.equal(query.oql, endless(region));
      assert.match(query['query-id'], /^run-\d+$/);
      assert.ok(query['elapsed-ms'] >= 0);
      const cancelled = await own.sendTo('DELETE', `${ADMIN}/queries/running/${query.id}`);
      assert.equal(cancelled.status, 200);
      assert.equal(cancelled.text, '');
    }
    for (const answer of await Promise.all(running)) {
      assert.equal(answer.status, 500);
      assert.equal(Object(json(answer)).code, 'oql/cancelled');
    }
    assert.equal((await run(own, `SELECT COUNT(*) FROM /${region}`)).text, '[3]');
    const gone = await own.sendTo('DELETE', `${ADMIN}/queries/running/1`);
    assert.equal(gone.status, 404);
  });

  const waits = async (own: Service, count: number): Promise<readonly RunningQuery[]> => {
    let queries: readonly RunningQuery[] = [];
    await until(async () => {
      const list = json(await own.sendTo('GET', `${ADMIN}/queries/running`)) as {
        queries: RunningQuery[];
      };
      queries = list.queries;
      return queries.length === count;
    });
    return queries;
  };

  it('refuses a query that waited in the queue too long', async () => {
    const grid = { maxQueriesAtOnce: 1, maxQueryWaitMs: 50 };
    await using own = await Service.start({ engine, grid });
    const region = await own.region(ORDERS);
    const running = run(own, endless(region), undefined, '?timeout=60000');
    const [first] = await waits(own, 1);
    const refused = await run(own, `SELECT COUNT(*) FROM /${region}`);
    assert.equal(refused.status, 503);
    assert.equal(refused.headers['retry-after'], '1');
    assert.equal(Object(json(refused)).code, 'grid/too-many-queries');
    await own.sendTo('DELETE', `${ADMIN}/queries/running/${first?.id}`);
    assert.equal((await running).status, 500);
  });

  it('lets a query wait in the queue, and lists it', async () => {
    const grid = { maxQueriesAtOnce: 1, maxQueryWaitMs: 60_000 };
    await using own = await Service.start({ engine, grid });
    const region = await own.region(ORDERS);
    const running = run(own, endless(region), undefined, '?timeout=60000');
    await waits(own, 1);
    const cancelled = run(own, `SELECT COUNT(*) FROM /${region}`);
    const [first, second] = await waits(own, 2);
    assert.deepEqual([first?.state, second?.state], ['running', 'waiting']);
    await own.sendTo('DELETE', `${ADMIN}/queries/running/${second?.id}`);
    assert.equal(Object(json(await cancelled)).code, 'oql/cancelled');
    const served = run(own, `SELECT COUNT(*) FROM /${region}`);
    await waits(own, 2);
    await own.sendTo('DELETE', `${ADMIN}/queries/running/${first?.id}`);
    assert.equal((await served).text, '[3]');
    assert.equal((await running).status, 500);
  });

  it('ends a query whose client disconnected', async () => {
    await using own = await Service.start({ engine });
    const region = await own.region(ORDERS);
    await own.grid.createQuery({ id: 'endless', oql: endless(region) });
    using connection = await RawConnection.open(own.port);
    connection.write(
      `POST ${API}/queries/endless HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`,
    );
    await until(() => own.grid.listRunningQueries().length > 0);
    // The service notices a reset at once; test/spec/unusual-clients.test.ts closes in order.
    connection.socket.resetAndDestroy();
    await until(() => own.grid.listRunningQueries().length === 0);
    assert.equal(own.engine.stats().openSnapshots, 0);
  });

  it('serves other requests while a query runs', async () => {
    await using own = await Service.start({ engine });
    const region = await own.region(ORDERS);
    const running = run(own, endless(region), undefined, '?timeout=60000');
    await until(() => own.grid.listRunningQueries().length > 0);
    for (let i = 0; i < 5; i += 1) {
      assert.equal((await own.get('/ping')).status, 200);
      assert.equal((await own.get(`/${region}/o1`)).status, 200);
    }
    const [query] = own.grid.listRunningQueries();
    own.grid.cancelQuery(query?.id ?? '');
    assert.equal((await running).status, 500);
  });

  it('sees one snapshot', async () => {
    const region = await service().region(manyEntries(2000, 200));
    const reading = run(service(), `SELECT r.i FROM /${region} r`);
    const clearing = service().send('DELETE', `/${region}`);
    const rows = json(await reading) as number[];
    await clearing;
    assert.ok(rows.length === 2000 || rows.length === 0, `${rows.length} rows`);
  });

  it('streams a large result, and closes the connection when it fails half-way', async () => {
    const entries = manyEntries(3000, 200);
    const region = await service().region(entries);
    const whole = await run(service(), `SELECT * FROM /${region}`);
    assert.equal(whole.headers['transfer-encoding'], 'chunked');
    assert.equal(whole.text, `[${Object.values(entries).join(',')}]`);
    await assert.rejects(run(service(), `SELECT r.pad, 1 / (2999 - r.i) FROM /${region} r`), {
      code: 'ECONNRESET',
    });
    assert.equal(service().engine.stats().openSnapshots, 0);
    assert.equal(service().grid.listRunningQueries().length, 0);
  });
});

onEveryEngine('Decisions 3: ad-hoc queries', (service) => {
  it('runs the text in q', async () => {
    const region = await service().region(ORDERS);
    const q = encodeURIComponent(`SELECT o.id FROM /${region} o WHERE o.total > 10`);
    const answer = await service().get(`/queries/adhoc?q=${q}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.headers['location'], `${service().api}/queries/adhoc`);
    assert.equal(answer.text, '[1,3]');
    const quoted = await service().get(`/queries/adhoc?q=%22${q}%22`);
    assert.equal(quoted.text, '[1,3]');
  });

  it('runs the text and the parameters of a body', async () => {
    const region = await service().region(ORDERS);
    const oql = `SELECT o.id FROM /${region} o WHERE o.id > $1`;
    const body = JSON.stringify({ oql, params: [{ '@type': 'int', '@value': 1 }] });
    assert.equal((await service().send('POST', '/queries/adhoc', { body })).text, '[2,3]');
    const none = JSON.stringify({ oql: `SELECT COUNT(*) FROM /${region}` });
    assert.equal((await service().send('POST', '/queries/adhoc', { body: none })).text, '[3]');
  });

  it('answers 400 without a text, 500 to a failure', async () => {
    assert.equal((await service().get('/queries/adhoc')).status, 400);
    for (const body of [
      '{}',
      '[]',
      '{"oql":1}',
      '{"oql":"x","params":1}',
      '{"oql":"x","param":[]}',
      '',
    ]) {
      assert.equal((await service().send('POST', '/queries/adhoc', { body })).status, 400, body);
    }
    const answer = await service().get('/queries/adhoc?q=SELECT');
    assert.equal(answer.status, 500);
    assert.equal(Object(json(answer)).code, 'oql/syntax-error');
  });

  it('allows GET, HEAD and POST', async () => {
    for (const method of ['PUT', 'DELETE']) {
      const answer = await service().send(method, '/queries/adhoc?q=x');
      assert.equal(answer.status, 405);
      assert.deepEqual(answer.headers['allow']?.split(', ').sort(), ['GET', 'HEAD', 'POST']);
    }
  });
});

onEveryEngine('Decisions 3: check=true', (service) => {
  it('compiles first on create and update, and answers 400 with the position', async () => {
    const region = await service().region();
    const good = encodeURIComponent(`SELECT * FROM /${region} r WHERE r.x = $1`);
    const bad = encodeURIComponent(`SELECT * FROM /${region} WHERE`);
    const refused = await service().send('POST', `/queries?id=checked&q=${bad}&check=true`);
    assert.equal(refused.status, 400);
    assert.equal(Object(json(refused)).code, 'request/bad-query-text');
    assert.equal(Object(json(refused)).position.line, 1);
    assert.equal((await service().get('/queries/checked')).status, 404);
    const created = await service().send('POST', `/queries?id=checked&q=${good}&check=true`);
    assert.equal(created.status, 201);
    const update = await service().send('PUT', `/queries/checked?q=${bad}&check=true`);
    assert.equal(update.status, 400);
    assert.match((await service().get('/queries/checked')).text, /WHERE r\.x/);
    const unchecked = await service().send('PUT', `/queries/checked?q=${bad}&check=false`);
    assert.equal(unchecked.status, 200);
    assert.equal((await service().send('PUT', `/queries/checked?q=x&check=maybe`)).status, 400);
  });

  it('applies the limits of a query text: 400 on check, 500 when run', async () => {
    const region = await service().region({ a: '{"id":1}' });
    const text = (length: number): string => `SELECT id FROM /${region} --`.padEnd(length, 'x');
    const nested = (depth: number): string =>
      `SELECT ${'('.repeat(depth)}1${')'.repeat(depth)} FROM /${region}`;
    const adhoc = (oql: string): Promise<Answer> =>
      service().send('POST', '/queries/adhoc', { body: JSON.stringify({ oql }) });
    assert.equal((await adhoc(text(65_535))).text, '[1]');
    assert.equal((await adhoc(text(65_536))).text, '[1]');
    const long = await adhoc(text(65_537));
    assert.equal(long.status, 500);
    assert.equal(Object(json(long)).code, 'oql/text-too-long');
    assert.equal((await adhoc(nested(150))).text, '[1]');
    const deep = await adhoc(nested(10_000));
    assert.equal(deep.status, 500);
    assert.equal(Object(json(deep)).code, 'oql/nesting-too-deep');
    const q = encodeURIComponent(nested(300));
    const checked = await service().send('POST', `/queries?id=deep&q=${q}&check=true`);
    assert.equal(checked.status, 400);
    const many = await adhoc(`SELECT $256 FROM /${region}`);
    assert.equal(Object(json(many)).code, 'oql/too-many-placeholders');
  });
});
