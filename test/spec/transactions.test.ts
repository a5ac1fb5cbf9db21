// POST {api}/_tx: several operations as one commit.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer } from '../http-client.ts';
import { onEveryEngine } from '../service.ts';

interface Result {
  readonly sequence: number;
  readonly results: readonly ({ readonly version: number; readonly value?: unknown } | null)[];
}

onEveryEngine('POST {api}/_tx', (service) => {
  const send = (body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    service().send('POST', '/_tx', {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers,
    });
  const commit = async (body: unknown): Promise<Result> => {
    const answer = await send(body);
    assert.equal(answer.status, 200, answer.text);
    return JSON.parse(answer.text) as Result;
  };
  const failure = (answer: Answer): unknown[] => {
    const { code, in: list, index, kind } = JSON.parse(answer.text);
    return [answer.status, code, list, index, kind];
  };

  it('writes to several regions in one commit and answers each operation', async () => {
    const orders = await service().region({ old: '{"n":1}' });
    const items = await service().region();
    const { results, sequence } = await commit({
      if: [
        { region: orders, key: 'old', present: true },
        { region: items, key: 'i', absent: true },
      ],
      do: [
        { region: orders, key: 'a', value: { n: 1 } },
        { op: 'create', region: items, key: 'i', value: [{ n: 2 }] },
        { op: 'replace', region: orders, key: 'old', value: { n: 3 } },
        { op: 'get', region: items, key: 'i' },
        { op: 'get', region: items, key: 'none' },
      ],
    });
    const written = { version: sequence };
    assert.deepEqual(results, [
      written,
      written,
      written,
      { version: sequence, value: [{ n: 2 }] },
      null,
    ]);
    assert.deepEqual(await service().stored(orders), { a: '{"n":1}', old: '{"n":3}' });
    const read = await service().get(`/${items}/i`);
    assert.equal(read.headers['etag'], `"${sequence}"`);
    const removed = await commit({ do: [{ op: 'remove', region: orders, key: 'a' }] });
    assert.deepEqual(removed.results, [{ version: removed.sequence }]);
    assert.deepEqual(await service().stored(orders), { old: '{"n":3}' });
  });

  it('stores and returns values digit for digit', async () => {
    const region = await service().region();
    const value =
      '{"a":20.0,"b":1E400,"c":0.10000000000000000000000001,"\\u0064":12345678901234567890}';
    const answer = await send(
      `{ "do" : [ {"op":"put", "region":"${region}", "key":"k", "value": ${value} },
                  {"op":"get","region":"${region}","key":"k"} ] }`,
    );
    assert.equal(answer.status, 200);
    assert.match(answer.text, new RegExp(`"value":${value.replaceAll(/[\\.]/g, '\\$&')}}]}$`));
    assert.deepEqual(await service().stored(region), { k: value });
  });

  it('writes nothing when a condition fails, and names it', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const version = Number(
      /\d+/.exec((await service().get(`/${region}/a`)).headers['etag'] ?? '')?.[0],
    );
    const put = { region, key: 'b', value: {} };
    const attempt = (condition: object): Promise<Answer> =>
      send({ if: [{ region, key: 'a', present: true }, condition], do: [put] });
    const failed = (kind: string) => [409, 'grid/condition-failed', 'if', 1, kind];
    assert.deepEqual(
      failure(await attempt({ region, key: 'a', version: version + 1 })),
      failed('version'),
    );
    assert.deepEqual(failure(await attempt({ region, key: 'a', absent: true })), failed('absent'));
    assert.deepEqual(
      failure(await attempt({ region, key: 'x', present: true })),
      failed('present'),
    );
    assert.deepEqual(failure(await attempt({ region, key: 'x', version })), failed('version'));
    assert.deepEqual(await service().stored(region), { a: '{"n":1}' });
    assert.equal((await attempt({ region, key: 'a', version })).status, 200);
  });

  it('checks the conditions of operations, and reports the first that fails', async () => {
    const one = await service().region({ a: '{}' });
    const two = await service().region({ z: '{}' });
    const operations = [
      { region: two, key: 'fine', value: {} },
      { op: 'create', region: two, key: 'z', value: {} },
      { op: 'replace', region: one, key: 'none', value: {} },
    ];
    assert.deepEqual(failure(await send({ do: operations })), [
      409,
      'grid/condition-failed',
      'do',
      1,
      'absent',
    ]);
    assert.deepEqual(
      failure(await send({ if: [{ region: one, key: 'q', present: true }], do: operations })),
      [409, 'grid/condition-failed', 'if', 0, 'present'],
    );
    const remove = { op: 'remove', region: one, key: 'none' };
    assert.deepEqual(failure(await send({ do: [remove] })).slice(2), ['do', 0, 'present']);
    const match = { region: one, key: 'a', value: {}, 'if-match': 999_999 };
    assert.deepEqual(failure(await send({ do: [match] })).slice(2), ['do', 0, 'version']);
    const any = { region: one, key: 'none', value: {}, 'if-match': '*' };
    assert.deepEqual(failure(await send({ do: [any] })).slice(2), ['do', 0, 'present']);
    const { results } = await commit({ do: [{ op: 'get', region: one, key: 'a' }] });
    const tag = `"${results[0]?.version}"`;
    await commit({ do: [{ region: one, key: 'a', value: { n: 2 }, 'if-match': tag }] });
    assert.deepEqual(await service().stored(two), { z: '{}' });
  });

  it('applies operations on one key in order; a read at any position sees the whole commit', async () => {
    const region = await service().region({ here: '{"n":0}' });
    const { results, sequence } = await commit({
      do: [
        { op: 'get', region, key: 'k' },
        { op: 'create', region, key: 'k', value: { n: 1 } },
        { op: 'replace', region, key: 'k', value: { n: 2 } },
        { op: 'remove', region, key: 'here' },
        { op: 'create', region, key: 'here', value: { n: 3 } },
        { region, key: 'gone', value: {} },
        { op: 'remove', region, key: 'gone' },
        { op: 'get', region, key: 'gone' },
      ],
    });
    assert.deepEqual(results[0], { version: sequence, value: { n: 2 } });
    assert.equal(results[7], null);
    assert.deepEqual(await service().stored(region), { k: '{"n":2}', here: '{"n":3}' });
    const twice = { op: 'create', region, key: 'new', value: {} };
    assert.deepEqual(failure(await send({ do: [twice, twice] })).slice(2), ['do', 1, 'absent']);
    const blocked = { op: 'create', region, key: 'k', value: {} };
    assert.deepEqual(failure(await send({ do: [twice, blocked, twice] })).slice(2), [
      'do',
      1,
      'absent',
    ]);
    assert.deepEqual(Object.keys(await service().stored(region)), ['here', 'k']);
  });

  it('executes everything and stores nothing when it is rolled back', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const body = {
      do: [
        { region, key: 'a', value: { n: 2 } },
        { op: 'get', region, key: 'a' },
      ],
    };
    const before = service().engine.stats().sequence;
    const answer = await send(body, { Prefer: 'tx=rollback', 'Idempotency-Key': 'dry' });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['preference-applied'], 'tx=rollback');
    const version = before + 1;
    assert.deepEqual(JSON.parse(answer.text), {
      sequence: version,
      results: [{ version }, { version, value: { n: 2 } }],
    });
    assert.deepEqual(await service().stored(region), { a: '{"n":1}' });
    const failed = await send(
      { do: [{ op: 'create', region, key: 'a', value: {} }] },
      { Prefer: 'tx=rollback' },
    );
    assert.equal(failed.status, 409);
  });

  it('reads from one snapshot, and does nothing without operations', async () => {
    const region = await service().region({ a: '{"n":1}' });
    const { results, sequence } = await commit({ do: [{ op: 'get', region, key: 'a' }] });
    assert.deepEqual(results, [{ version: sequence, value: { n: 1 } }]);
    assert.deepEqual((await commit({ do: [] })).results, []);
    // It removes what it puts, so there is no commit, and it names the latest one.
    const twoSteps = [
      { region, key: 'new', value: {} },
      { op: 'remove', region, key: 'new' },
    ];
    assert.deepEqual(await commit({ do: twoSteps }), {
      sequence,
      results: [{ version: sequence }, { version: sequence }],
    });
    assert.equal(service().engine.stats().sequence, sequence);
  });

  it('answers only in JSON', async () => {
    const region = await service().region();
    const body = { do: [{ region, key: 'a', value: {} }] };
    for (const accept of ['application/x-ndjson', 'text/csv', 'application/json;q=0']) {
      assert.equal((await send(body, { Accept: accept })).status, 406, accept);
    }
    assert.deepEqual(await service().stored(region), {});
    assert.equal((await send(body, { Accept: 'text/csv, application/*' })).status, 200);
  });

  it('refuses a malformed transaction and names the element', async () => {
    const region = await service().region();
    const refused = async (body: unknown, text: RegExp): Promise<void> => {
      const answer = await send(body);
      assert.equal(answer.status, 400, answer.text);
      assert.equal(JSON.parse(answer.text).code, 'request/bad-body');
      assert.match(answer.text, text);
    };
    const write = { region, key: 'a', value: {} };
    await refused([], /must be a JSON object/);
    await refused({}, /needs the member do/);
    await refused({ do: {} }, /do must be an array/);
    await refused({ do: [], iff: [] }, /Unknown member \(iff\).*did you mean if/);
    await refused({ do: [write, { ...write, op: 'upsert' }] }, /do\[1\]: op \(upsert\)/);
    await refused({ do: [{ region, key: 'a' }] }, /do\[0\]: put needs a value/);
    await refused({ do: [{ region, value: {} }] }, /do\[0\]: The member key is missing/);
    await refused({ do: [{ ...write, op: 'remove' }] }, /remove takes no value/);
    await refused({ do: [{ ...write, op: 'get' }] }, /get takes neither/);
    await refused({ do: [{ ...write, 'if-match': 1.5 }] }, /A version must be/);
    await refused({ do: [{ ...write, 'if-match': null }] }, /A version must be/);
    await refused({ do: [{ ...write, op: 'create', 'if-match': 1 }] }, /create takes no if-match/);
    await refused({ if: [{ region, key: 'a' }], do: [] }, /if\[0\]: A condition needs one of/);
    await refused({ if: [{ region, key: 'a', absent: false }], do: [] }, /absent must be true/);
    await refused(
      { if: [{ region, key: 'a', absent: true, present: true }], do: [] },
      /needs one of/,
    );
    assert.equal((await send({ do: [{ ...write, value: 7 }] })).status, 400);
    assert.equal((await send({ do: [{ ...write, key: '' }] })).status, 400);
    assert.equal((await send({ do: [{ ...write, region: 'nowhere' }] })).status, 404);
    assert.equal((await send({ do: [{ ...write, region: '_queries' }] })).status, 404);
    const many = Array.from({ length: 1001 }, (_, i) => ({ ...write, key: `k${i}` }));
    const tooMany = await send({ do: many });
    assert.deepEqual(
      [tooMany.status, JSON.parse(tooMany.text).code],
      [413, 'request/too-many-operations'],
    );
    assert.deepEqual(await service().stored(region), {});
    assert.equal((await commit({ do: many.slice(1) })).results.length, 1000);
    assert.equal((await service().get('/_tx')).status, 405);
  });

  it('shows all of a commit or nothing of it, under load', async () => {
    const region = await service().region({ a: '{"n":0}', b: '{"n":0}' });
    const both = (n: number): object => ({
      do: ['a', 'b'].map((key) => ({ region, key, value: { n } })),
    });
    const writes = Promise.all(Array.from({ length: 30 }, (_, i) => commit(both(i))));
    for (let i = 0; i < 20; i += 1) {
      const { results } = await commit({
        do: ['a', 'b'].map((key) => ({ op: 'get', region, key })),
      });
      assert.deepEqual(results[0], results[1]);
    }
    await writes;
  });

  it('names an invalid element by its list and index', async () => {
    const region = await service().region();
    const cases: readonly (readonly [object, string, number, RegExp])[] = [
      [{ do: [{ op: 'get', region, key: '' }] }, 'do', 0, /^do\[0\]: A key must not be empty$/],
      [{ do: [{ region, key: 'a', value: 'x' }] }, 'do', 0, /^do\[0\]: The value must be /],
      [
        { do: [{ op: 'replace', region, key: 'a', value: [{}] }] },
        'do',
        0,
        /^do\[0\]: The value must be a JSON object, not array$/,
      ],
      [
        { if: [{ region, key: '', absent: true }], do: [] },
        'if',
        0,
        /^if\[0\]: A key must not be empty$/,
      ],
      [
        { if: [{ region, key: 'a', version: '"1"' }], do: [] },
        'if',
        0,
        /^if\[0\]: The member version must be a whole number such as 42$/,
      ],
    ];
    for (const [body, list, index, message] of cases) {
      const answer = await send(body);
      assert.equal(answer.status, 400);
      const error = JSON.parse(answer.text);
      assert.deepEqual([error.in, error.index], [list, index], answer.text);
      assert.match(error.message, message);
    }
  });

  it('answers 409 to create and replace on an EMPTY region, and writes nothing', async () => {
    const empty = await service().region({}, { type: 'EMPTY' });
    const region = await service().region();
    for (const op of ['create', 'replace']) {
      const answer = await send({
        do: [
          { region, key: 'a', value: {} },
          { op, region: empty, key: 'a', value: {} },
        ],
      });
      assert.equal(answer.status, 409, answer.text);
      const { code, in: list, index, message } = JSON.parse(answer.text);
      assert.deepEqual([code, list, index], ['grid/operation-not-supported', 'do', 1]);
      assert.match(message, /^do\[1\]: Operation not supported: (create|replace) on region/);
    }
    assert.deepEqual(await service().stored(region), {});
    await commit({ do: [{ region: empty, key: 'a', value: {} }] });
  });

  it('finds no key to remove in an EMPTY region, not even one that it has put', async () => {
    const empty = await service().region({}, { type: 'EMPTY' });
    const before = await commit({ do: [{ op: 'get', region: empty, key: 'a' }] });
    const answer = await send({
      do: [
        { region: empty, key: 'a', value: {} },
        { op: 'remove', region: empty, key: 'a' },
      ],
    });
    assert.equal(answer.status, 409, answer.text);
    const { code, index, kind } = JSON.parse(answer.text);
    assert.deepEqual([code, index, kind], ['grid/condition-failed', 1, 'present']);
    const after = await commit({ do: [{ op: 'get', region: empty, key: 'a' }] });
    assert.equal(after.sequence, before.sequence, 'nothing was committed');
  });
});
