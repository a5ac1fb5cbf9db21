// Decisions 6: the management plane.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Answer, json } from '../http-client.ts';
import { ADMIN, onEveryEngine } from '../service.ts';

type JsonBody = object | string;

onEveryEngine('Decisions 6: regions', (service) => {
  const admin = (method: string, path: string, body?: JsonBody): Promise<Answer> =>
    service().sendTo(
      method,
      `${ADMIN}${path}`,
      body === undefined ? {} : { body: JSON.stringify(body) },
    );

  it('creates a region with 201 and its Location', async () => {
    const definition = {
      name: 'Orders.2026_v-1',
      type: 'PARTITION',
      'key-constraint': 'java.lang.Long',
      'value-constraint': 'org.shop.Order',
    };
    const answer = await admin('POST', '/regions', definition);
    assert.equal(answer.status, 201);
    assert.equal(answer.text, '');
    assert.equal(answer.headers['location'], `${service().origin}${ADMIN}/regions/Orders.2026_v-1`);
    const described = await admin('GET', '/regions/Orders.2026_v-1');
    assert.equal(described.status, 200);
    assert.deepEqual(json(described), { ...definition, 'entry-count': 0, bytes: 0, indexes: [] });
    const listed = json(await service().get('')) as { regions: unknown[] };
    assert.ok(
      listed.regions.some((region) => JSON.stringify(region) === JSON.stringify(definition)),
    );
    assert.equal((await service().get('/Orders.2026_v-1')).text, '{"Orders.2026_v-1":[]}');
  });

  it('answers 409 when the region exists', async () => {
    const name = await service().region({ a: '{}' });
    const answer = await admin('POST', '/regions', { name, type: 'EMPTY' });
    assert.equal(answer.status, 409);
    assert.equal(Object(json(answer)).cause, `Region (${name}) already exists`);
    assert.deepEqual(await service().stored(name), { a: '{}' });
  });

  it('answers 400 to a value constraint that no type can have', async () => {
    const answer = await admin('POST', '/regions', { name: 'untyped', 'value-constraint': '' });
    assert.equal(answer.status, 400);
    assert.equal(Object(json(answer)).cause, 'A value constraint must not be empty');
  });

  it('answers 400 with a reason to an invalid name', async () => {
    const illegal = [
      '',
      '_x',
      'queries',
      'servers',
      'ping',
      'functions',
      'openapi.json',
      'a b',
      'a/b',
      'ä',
      'x,y',
      'a\n',
      '.',
      '..',
    ];
    for (const name of [...illegal, 'x'.repeat(256)]) {
      const answer = await admin('POST', '/regions', { name, type: 'REPLICATE' });
      assert.equal(answer.status, 400, name);
      assert.match(Object(json(answer)).cause, /name/);
      assert.equal(Object(json(answer)).code, 'grid/bad-region', name);
    }
    for (const name of [
      'x',
      'x'.repeat(255),
      'Queries',
      'ping2',
      'a_',
      '-',
      '0',
      '...',
      '__proto__x'.slice(2),
    ]) {
      const answer = await admin('POST', '/regions', { name, type: 'REPLICATE' });
      assert.equal(answer.status, 201, name);
    }
  });

  it('answers 400 to an invalid type, constraint or member', async () => {
    const bodies: readonly (readonly [JsonBody, string])[] = [
      [
        { name: 'bad', type: 'LOCAL' },
        'Region type (LOCAL) must be one of REPLICATE, PARTITION, EMPTY',
      ],
      [
        { name: 'bad', 'key-constraint': 'java.lang.Double' },
        'Key constraint (java.lang.Double) must be one of java.lang.String, java.lang.Integer, java.lang.Long',
      ],
      [{ name: 'bad', typ: 'EMPTY' }, 'Unknown member (typ) in the body; did you mean type?'],
      [
        { name: 'bad', something: 1 },
        'Unknown member (something) in the body; known: name, type, key-constraint, value-constraint, history, entry-ttl, max-ttl',
      ],
      [{ type: 'EMPTY' }, 'The body needs the member name, a string'],
      [{ name: 7 }, 'The member name must be a string'],
      [[], 'The body must be a JSON object'],
      ['bad', 'The body must be a JSON object'],
    ];
    for (const [body, cause] of bodies) {
      const answer = await admin('POST', '/regions', body);
      assert.equal(answer.status, 400);
      assert.equal(Object(json(answer)).cause, cause);
    }
    assert.equal((await admin('POST', '/regions')).status, 400);
    assert.equal((await admin('GET', '/regions/bad')).status, 404);
  });

  it('uses REPLICATE when no type is given, and accepts types in any letter case', async () => {
    await admin('POST', '/regions', { name: 'typeless', 'key-constraint': null });
    assert.equal(Object(json(await admin('GET', '/regions/typeless'))).type, 'REPLICATE');
    await admin('POST', '/regions', { name: 'lower', type: 'empty' });
    assert.equal(Object(json(await admin('GET', '/regions/lower'))).type, 'EMPTY');
  });

  it('creates indexes of a region whose name has a dot', async () => {
    await admin('POST', '/regions', { name: 'log.daily' });
    const created = await admin('POST', '/regions/log.daily/indexes', {
      name: 'by-id',
      expression: 'id',
    });
    assert.equal(created.status, 201);
    const described = json(await admin('GET', '/regions/log.daily'));
    assert.equal(Object(described).indexes[0].from, "/'log.daily'");
    const unquoted = await admin('POST', '/regions/log.daily/indexes', {
      name: 'by-day',
      expression: 'd.day',
      from: '/log.daily d',
    });
    assert.equal(unquoted.status, 400);
    assert.match(Object(json(unquoted)).message, /must begin with \/'log\.daily'/);
  });

  it('describes regions with entry count, bytes and indexes', async () => {
    const name = await service().region({ a: '{"é":1}', b: '{}' });
    await admin('POST', `/regions/${name}/indexes`, { name: 'by-id', expression: 'id' });
    const described = json(await admin('GET', `/regions/${name}`));
    assert.deepEqual(described, {
      name,
      type: 'REPLICATE',
      'key-constraint': null,
      'value-constraint': null,
      'entry-count': 2,
      bytes: 10,
      indexes: [{ name: 'by-id', kind: 'range', expression: 'id', from: `/${name}` }],
    });
    const all = json(await admin('GET', '/regions')) as { regions: { name: string }[] };
    assert.deepEqual(
      all.regions.find((region) => region.name === name),
      described,
    );
    assert.ok(all.regions.every((region) => !region.name.startsWith('_')));
  });

  it('destroys a region with its entries and indexes; 404 when there is none', async () => {
    const name = await service().region({ a: '{}' });
    await admin('POST', `/regions/${name}/indexes`, { name: 'i', expression: 'id' });
    const answer = await admin('DELETE', `/regions/${name}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '');
    assert.equal((await admin('DELETE', `/regions/${name}`)).status, 404);
    assert.equal((await admin('GET', `/regions/${name}`)).status, 404);
    assert.equal((await service().get(`/${name}`)).status, 404);
    await admin('POST', '/regions', { name });
    const again = Object(json(await admin('GET', `/regions/${name}`)));
    assert.equal(again['entry-count'], 0);
    assert.deepEqual(again.indexes, []);
  });

  it('hides its reserved regions', async () => {
    assert.equal((await admin('GET', '/regions/_queries')).status, 404);
    assert.equal((await admin('DELETE', '/regions/_queries')).status, 404);
    assert.equal((await admin('GET', '/regions/_queries/indexes')).status, 404);
    assert.equal((await service().send('PUT', '/_queries/x', { body: '{}' })).status, 404);
    assert.equal((await service().get('/%5Fqueries')).status, 404);
  });

  it('answers 405 with Allow to other methods', async () => {
    const answer = await admin('PUT', '/regions', {});
    assert.equal(answer.status, 405);
    assert.deepEqual(answer.headers['allow']?.split(', ').sort(), ['GET', 'HEAD', 'POST']);
  });
});

onEveryEngine('Decisions 6: indexes', (service) => {
  const admin = (method: string, path: string, body?: JsonBody): Promise<Answer> =>
    service().sendTo(
      method,
      `${ADMIN}${path}`,
      body === undefined ? {} : { body: JSON.stringify(body) },
    );

  it('creates, lists, shows and drops an index', async () => {
    const region = await service().region({ a: '{"id":1,"items":[{"sku":"x"}]}' });
    const path = `/regions/${region}/indexes`;
    const created = await admin('POST', path, { name: 'by-id', expression: 'id' });
    assert.equal(created.status, 201);
    assert.equal(created.headers['location'], `${service().origin}${ADMIN}${path}/by-id`);
    const from = `/${region} r, r.items i`;
    await admin('POST', path, { name: 'by-sku', expression: 'i.sku', from, kind: 'range' });
    await admin('POST', path, { name: 'hashed', expression: 'id', kind: 'HASH' });
    await admin('POST', path, { name: 'keyed', expression: 'id', kind: 'key' });
    const bySku = { name: 'by-sku', kind: 'range', expression: 'i.sku', from };
    const { indexes } = json(await admin('GET', path)) as { indexes: object[] };
    assert.deepEqual(indexes.map(withoutUse), [
      { name: 'by-id', kind: 'range', expression: 'id', from: `/${region}` },
      bySku,
      { name: 'hashed', kind: 'hash', expression: 'id', from: `/${region}` },
      { name: 'keyed', kind: 'key', expression: 'id', from: `/${region}` },
    ]);
    const shown = json(await admin('GET', `${path}/by-sku`)) as object;
    assert.deepEqual(withoutUse(shown), bySku);
    const dropped = await admin('DELETE', `${path}/by-sku`);
    assert.equal(dropped.status, 200);
    assert.equal(dropped.text, '');
    assert.equal((await admin('GET', `${path}/by-sku`)).status, 404);
    assert.equal((await admin('DELETE', `${path}/by-sku`)).status, 404);
  });

  it('answers 409 to a name that is taken, and to the same definition', async () => {
    const region = await service().region();
    const path = `/regions/${region}/indexes`;
    await admin('POST', path, { name: 'a', expression: 'id' });
    const taken = await admin('POST', path, { name: 'a', expression: 'other' });
    assert.equal(taken.status, 409);
    assert.equal(Object(json(taken)).cause, 'Index (a) already exists');
    const same = await admin('POST', path, { name: 'b', expression: 'id' });
    assert.equal(same.status, 409);
    assert.equal(Object(json(same)).cause, 'Index (a) has the same definition');
    const other = await service().region();
    assert.equal(
      (await admin('POST', `/regions/${other}/indexes`, { name: 'a', expression: 'id' })).status,
      201,
    );
  });

  it('answers 400 to an invalid index definition', async () => {
    const region = await service().region();
    const path = `/regions/${region}/indexes`;
    for (const definition of [
      { expression: 'id' },
      { name: 'x' },
      { name: 'a b', expression: 'id' },
      { name: 'a', expression: 'LOWER(i.sku)', from: `/${region} o, o.items i` },
      { name: 'a', expression: "DATE_DIFF('day', o.at, NOW())", from: `/${region} o` },
      { name: 'a', expression: "UPPER('a')", from: `/${region} o` },
      { name: 'a', expression: 'o.a, o.b, o.a', from: `/${region} o` },
      { name: 'a', expression: 'o.a, o.b', from: `/${region} o`, kind: 'hash' },
      { name: 'a', expression: 'o.a, o.b FROM /x', from: `/${region} o` },
      { name: 'a', expression: 'o.a), (o.b', from: `/${region} o` },
      { name: 'a', expression: 'LOWER(o.a)', from: `/${region} o`, kind: 'key' },
      { name: 'a', expression: 'COUNT(o.a)', from: `/${region} o` },
      { name: 'a', expression: 'e.key', from: `/${region}.entries e` },
      { name: '', expression: 'id' },
      { name: '.', expression: 'id' },
      { name: '..', expression: 'id' },
      { name: 'x', expression: '' },
      { name: 'x', expression: 'id', kind: 'tree' },
      { name: 'x', expression: '1 +' },
      { name: 'x', expression: '1' },
      { name: 'x', expression: 'id = 1' },
      { name: 'x', expression: '$1' },
      { name: 'x', expression: 'id', from: '/elsewhere' },
      { name: 'x', expression: 'id', from: 'nonsense (' },
      { name: 'x', expression: 'id', unique: 'true' },
    ]) {
      const answer = await admin('POST', path, definition);
      assert.equal(answer.status, 400, JSON.stringify(definition));
    }
    assert.deepEqual(json(await admin('GET', path)), { indexes: [] });
  });

  it('creates indexes on computed and on several values', async () => {
    const region = await service().region();
    const path = `/regions/${region}/indexes`;
    for (const [name, expression] of [
      ['lower', 'LOWER(o.name)'],
      ['method', 'o.name.toLowerCase'],
      ['year', 'YEAR(o.at)'],
      ['both', 'o.status, o.total'],
      ['mixed', 'UPPER(o.name) , o.total * 2'],
    ] as const) {
      const created = await admin('POST', path, { name, expression, from: `/${region} o` });
      assert.equal(created.status, 201, expression);
    }
    const { indexes } = json(await admin('GET', path)) as { indexes: { name: string }[] };
    assert.deepEqual(
      indexes.map(({ name }) => name),
      ['lower', 'method', 'year', 'both', 'mixed'],
    );
  });

  it('answers 404 when the region does not exist', async () => {
    assert.equal((await admin('GET', '/regions/nowhere/indexes')).status, 404);
    assert.equal((await admin('GET', '/regions/nowhere/indexes/x')).status, 404);
    assert.equal((await admin('DELETE', '/regions/nowhere/indexes/x')).status, 404);
    const created = await admin('POST', '/regions/nowhere/indexes', {
      name: 'x',
      expression: 'id',
    });
    assert.equal(created.status, 404);
  });

  it('loses none of many indexes that are created concurrently', async () => {
    const region = await service().region();
    const names = Array.from({ length: 10 }, (_, i) => `i${i}`);
    await Promise.all(
      names.map((name) =>
        admin('POST', `/regions/${region}/indexes`, { name, expression: `m${name}` }),
      ),
    );
    const { indexes } = json(await admin('GET', `/regions/${region}/indexes`)) as {
      indexes: { name: string }[];
    };
    assert.deepEqual(indexes.map((index) => index.name).sort(), names);
  });
});

onEveryEngine('Decisions 6: the service', (service) => {
  it('shows settings, counters and running queries', async () => {
    const config = await service().sendTo('GET', `${ADMIN}/config`);
    assert.equal(config.status, 200);
    assert.equal(config.headers['content-type'], 'application/json');
    assert.equal(config.text, '{"settings":[]}');
    const before = Object(json(await service().sendTo('GET', `${ADMIN}/stats`)));
    await service().region({ a: '{}' });
    const after = Object(json(await service().sendTo('GET', `${ADMIN}/stats`)));
    assert.ok(after.commits > before.commits);
    const running = await service().sendTo('GET', `${ADMIN}/queries/running`);
    assert.deepEqual(json(running), { queries: [] });
  });

  it('answers probes and metrics outside the API', async () => {
    assert.equal((await service().sendTo('GET', '/livez')).text, '{"status":"alive"}');
    assert.equal((await service().sendTo('GET', '/readyz')).text, '{"status":"ready"}');
    const metrics = await service().sendTo('GET', '/metrics');
    assert.equal(metrics.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
    assert.equal(metrics.text, '# metrics\n');
    const text = { headers: { Accept: 'text/plain' } };
    assert.equal((await service().sendTo('GET', '/metrics', text)).status, 200);
    const image = { headers: { Accept: 'image/png' } };
    assert.equal((await service().sendTo('GET', '/metrics', image)).status, 406);
  });
});

/** An index without its usage counters. */
function withoutUse(index: object): object {
  // Members are compared one by one.
  const { uses, 'counted-since': since, ...definition } = index as Record<string, unknown>;
  assert.equal(uses, 0);
  assert.ok(Date.parse(String(since)) <= Date.now());
  return definition;
}
