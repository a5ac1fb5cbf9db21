// Unique indexes over HTTP: every kind of write enforces them, and names the entry that has the value.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Answer, json } from '../http-client.ts';
import { apiKey, authenticatorOf, bearer } from '../security/logins.ts';
import { ADMIN, onEveryEngine, Service } from '../service.ts';

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly index?: number;
  readonly unique?: Readonly<Record<string, string>>;
}

const refusal = (answer: Answer): Refusal => JSON.parse(answer.text) as Refusal;

onEveryEngine('unique indexes', (service) => {
  const createIndex = (region: string, index: object): Promise<Answer> =>
    service().sendTo('POST', `${ADMIN}/regions/${region}/indexes`, { body: JSON.stringify(index) });
  const send = (method: string, path: string, body: unknown, headers = {}): Promise<Answer> =>
    service().send(method, path, {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers,
    });
  /** A region with a unique index on `LOWER(p.mail)` and two entries. */
  const people = async (): Promise<string> => {
    const region = await service().region({ ann: '{"mail":"ann@x"}', bob: '{"mail":"bob@x"}' });
    const index = { name: 'by-mail', expression: 'LOWER(p.mail)', from: `/${region} p` };
    const created = await createIndex(region, { ...index, unique: true });
    assert.equal(created.status, 201, created.text);
    return region;
  };
  const taken = (region: string, key: string, holder = 'ann') => {
    return { region, index: 'by-mail', key, holder };
  };

  it('are created, shown, and refused for entries that have the same value', async () => {
    const region = await people();
    const described = await service().sendTo('GET', `${ADMIN}/regions/${region}`);
    const [index] = Object(json(described)).indexes;
    assert.deepEqual(index, {
      name: 'by-mail',
      kind: 'range',
      expression: 'LOWER(p.mail)',
      from: `/${region} p`,
      unique: true,
    });
    const twins = await service().region({ a: '{"n":1}', b: '{"n":2}', c: '{"n":1.0}' });
    const by = { name: 'by-n', expression: 'p.n', from: `/${twins} p` };
    const refused = await createIndex(twins, { ...by, unique: true });
    assert.equal(refused.status, 409);
    const { code, message, unique } = refusal(refused);
    assert.equal(code, 'grid/not-unique');
    assert.match(message, /cannot be unique: keys \(a\) and \(c\) both have the value 1/);
    assert.deepEqual(unique, { region: twins, index: 'by-n', key: 'c', holder: 'a' });
    assert.deepEqual((await service().grid.describeRegion(twins)).indexes, []);
    assert.equal((await createIndex(twins, by)).status, 201);
    for (const [bad, cause] of [
      [{ name: 'x', expression: 'p.n', unique: 'yes' }, /unique must be true or false/],
      [
        { name: 'x', expression: 'i.n', from: `/${twins} p, p.items i`, unique: true },
        /on items of lists .* is not supported/,
      ],
    ] as const) {
      const answer = await createIndex(twins, bad);
      assert.equal(answer.status, 400, answer.text);
      assert.match(refusal(answer).message, cause);
    }
  });

  it('are enforced by every kind of write', async () => {
    const region = await people();
    const same = { mail: 'ANN@x' };
    const cases: readonly (readonly [string, string, unknown, object?])[] = [
      ['PUT', `/${region}/eve`, same],
      ['PUT', `/${region}/bob?op=REPLACE`, same],
      ['PUT', `/${region}/eve?op=CREATE`, same],
      ['PUT', `/${region}/bob?op=CAS`, { '@old': { mail: 'bob@x' }, '@new': same }],
      ['POST', `/${region}?key=eve`, same],
      ['PUT', `/${region}/cid,eve`, [{ mail: 'cid@x' }, same]],
      ['PUT', `/${region}/cid,eve`, [same, { mail: 'cid@x' }]],
      ['PUT', `/${region}/cid,eve`, [{ mail: 'new@x' }, { mail: 'NEW@x' }]],
      ['PATCH', `/${region}/bob`, same, { 'Content-Type': 'application/merge-patch+json' }],
      ['POST', `/${region}/_bulk?atomic=true`, [{ key: 'eve', value: same }]],
      ['POST', '/_tx', { do: [{ region, key: 'eve', value: same }] }],
    ];
    const before = await service().stored(region);
    for (const [method, path, body, headers = {}] of cases) {
      const answer = await send(method, path, body, headers);
      assert.deepEqual([answer.status, refusal(answer).code], [409, 'grid/not-unique'], path);
      assert.ok(refusal(answer).hint);
      assert.deepEqual(await service().stored(region), before, path);
    }
    assert.deepEqual(
      refusal(await send('PUT', `/${region}/eve`, same)).unique,
      taken(region, 'eve'),
    );
    // Guards and preconditions are reported first.
    const exists = await send('PUT', `/${region}/bob?op=CREATE`, same);
    assert.equal(refusal(exists).code, 'grid/keys-exist');
    const stale = await send('PUT', `/${region}/bob`, same, { 'If-Match': '"1"' });
    assert.equal(stale.status, 412);
    // An entry's own value, and a missing or null one, never conflicts.
    const nothing = await send('PUT', `/${region}/c,d,e,ann`, [{}, {}, { mail: null }, same]);
    assert.equal(nothing.status, 200, nothing.text);
    assert.equal((await service().send('DELETE', `/${region}/ann`)).status, 200);
    assert.equal((await send('PUT', `/${region}/eve`, same)).status, 200);
    assert.equal((await service().send('DELETE', `/${region}`)).status, 200);
    assert.equal((await send('PUT', `/${region}/ann`, same)).status, 200);
  });

  it('let one commit move values, and name the operation or item that fails', async () => {
    const region = await people();
    const swap = [{ mail: 'bob@x' }, { mail: 'ann@x' }];
    assert.equal((await send('PUT', `/${region}/ann,bob`, swap)).status, 200);
    const moved = await send('POST', '/_tx', {
      do: [
        { region, key: 'eve', value: { mail: 'ann@x' } },
        { region, op: 'remove', key: 'bob' },
      ],
    });
    assert.equal(moved.status, 200, moved.text);
    const refused = await send('POST', '/_tx', {
      do: [
        { region, key: 'x', value: { mail: 'x@x' } },
        { region, key: 'y', value: { mail: 'ann@x' } },
      ],
    });
    const { index, unique } = refusal(refused);
    assert.deepEqual([refused.status, index, unique], [409, 1, taken(region, 'y', 'eve')]);
    const bulk = await send('POST', `/${region}/_bulk`, [
      { key: '1', value: { mail: 'one@x' } },
      { key: '2', value: { mail: 'One@x' } },
      { op: 'create', key: 'eve', value: { mail: 'two@x' } },
      { key: '3', value: { mail: 'two@x' } },
      { key: 'eve', value: { mail: 'eve@x' } },
      { key: '4', value: { mail: 'ann@x' } },
    ]);
    const { failures, succeeded } = Object(json(bulk));
    assert.deepEqual([bulk.status, succeeded], [207, 4]);
    assert.deepEqual(
      failures.map((each: Refusal & { readonly status: number }) => [
        each.index,
        each.status,
        each.code,
        each.unique?.['holder'],
      ]),
      [
        [1, 409, 'grid/not-unique', '1'],
        [2, 409, 'grid/keys-exist', undefined],
      ],
    );
  });

  it('serve queries like other indexes, and are dropped with their region', async () => {
    const region = await people();
    const others = Array.from({ length: 200 }, (_, i) => [`o${i}`, `{"mail":"${i}@x"}`]);
    await service().put(region, Object.fromEntries(others));
    const q = encodeURIComponent(`SELECT p.mail FROM /${region} p WHERE LOWER(p.mail) = 'ann@x'`);
    const answer = await service().get(`/queries/adhoc?q=${q}`);
    assert.deepEqual(json(answer), ['ann@x']);
    const plan = await service().get(`/queries/adhoc?q=${q}&explain=true`, {
      Accept: 'text/plain',
    });
    assert.match(plan.text, /through unique by-mail/);
    const path = `${ADMIN}/regions/${region}/indexes/by-mail`;
    assert.equal((await service().sendTo('DELETE', path)).status, 200);
    assert.equal((await send('PUT', `/${region}/eve`, { mail: 'ann@x' })).status, 200);
    const regions = await service().engine.describeRegions();
    const used = regions.flatMap(({ indexes }) => indexes.flatMap(({ records }) => records ?? []));
    const kept = regions.filter(({ name }) => name.startsWith('_unique/'));
    assert.deepEqual(kept.map(({ name }) => name).sort(), used.sort());
  });

  it('release a value when its entry has expired', async () => {
    const region = await people();
    const written = await send('PUT', `/${region}/eve?ttl=0.001`, { mail: 'eve@x' });
    assert.equal(written.status, 200, written.text);
    while ('eve' in (await service().stored(region))) await service().grid.expiry.sweep();
    assert.equal((await send('PUT', `/${region}/fay`, { mail: 'eve@x' })).status, 200);
  });
});

it('the entry that has a value is named only to logins that may read it', async () => {
  const keys = {
    reader: apiKey('reader', ['DATA']),
    writer: apiKey('writer', ['DATA:WRITE']),
    admin: apiKey('admin', ['CLUSTER:MANAGE']),
  };
  const settings = { apiKeys: Object.values(keys).map(({ setting }) => setting) };
  await using service = await Service.start({
    http: { authenticator: await authenticatorOf(settings) },
  });
  const region = await service.region({ secret: '{"n":1}' });
  const index = { name: 'by-n', expression: 'p.n', from: `/${region} p`, unique: true };
  await service.grid.createIndex(region, index);
  const put = (name: keyof typeof keys, path: string, body: string): Promise<Answer> =>
    service.send(path.includes('_') ? 'POST' : 'PUT', path, {
      body,
      headers: bearer(keys[name].key),
    });
  assert.match((await put('reader', `/${region}/x`, '{"n":1}')).text, /secret/);
  for (const [path, body] of [
    [`/${region}/x`, '{"n":1}'],
    [`/${region}/_bulk`, '[{"key":"x","value":{"n":1}}]'],
    [`/${region}/_bulk?atomic=true`, '[{"key":"x","value":{"n":1}}]'],
    ['/_tx', `{"do":[{"region":"${region}","key":"x","value":{"n":1}}]}`],
  ] as const) {
    const { text } = await put('writer', path, body);
    assert.match(text, /grid\/not-unique/, path);
    assert.doesNotMatch(text, /secret/, path);
  }
  await service.grid.dropIndex(region, 'by-n');
  await service.put(region, { other: '{"n":1}' });
  const refused = await service.sendTo('POST', `${ADMIN}/regions/${region}/indexes`, {
    body: JSON.stringify(index),
    headers: bearer(keys.admin.key),
  });
  assert.match(refused.text, /grid\/not-unique/);
  assert.doesNotMatch(refused.text, /secret|other|value 1/);
});
