// The client's live queries against a service, over connections that break.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { EventParser } from '../../src/client/event-stream.ts';
import {
  GridClient,
  type LiveEvent,
  NotFoundError,
  RefusedError,
  texts,
} from '../../src/client/index.ts';
import { CuttingProxy } from '../cluster/cutting-proxy.ts';
import { Service } from '../service.ts';

let service: Service;
let proxy: CuttingProxy;
let client: GridClient;

before(async () => {
  service = await Service.start({ engine: 'memory', grid: { liveIntervalMs: 1 } });
  proxy = await CuttingProxy.open(() => service.port);
  client = new GridClient({ url: `http://127.0.0.1:${proxy.port}` });
});

after(async () => {
  await proxy[Symbol.asyncDispose]();
  await service.stop();
});

async function take<Row>(events: AsyncGenerator<LiveEvent<Row>>): Promise<LiveEvent<Row>> {
  const { done, value } = await events.next();
  assert.ok(done !== true, 'it ended');
  return value;
}

describe('a live query of the client', () => {
  it('returns rows and deltas, and continues after a broken connection', async () => {
    const region = await service.region({ a: '{"n":1}', b: '{"n":2}' });
    const events = client.queries.adhoc<number>(`SELECT o.n FROM /${region} o`).live();
    const { sequence } = service.engine.stats();
    assert.deepEqual(await take(events), {
      kind: 'snapshot',
      sequence,
      rows: [
        { id: 'a', row: 1 },
        { id: 'b', row: 2 },
      ],
    });
    await service.put(region, { a: '{"n":3}', c: '{"n":4}' });
    assert.deepEqual(await take(events), {
      kind: 'deltas',
      sequence: sequence + 1,
      deltas: [
        { kind: 'update', id: 'a', row: 3 },
        { kind: 'enter', id: 'c', row: 4 },
      ],
    });
    proxy.cut('both');
    await service.send('DELETE', `/${region}/b`);
    assert.deepEqual(await take(events), {
      kind: 'deltas',
      sequence: sequence + 2,
      deltas: [{ kind: 'leave', id: 'b' }],
    });
    await events.return(undefined);
  });

  it('accepts named queries with parameters, and decodes rows with the codec', async () => {
    const region = await service.region({ a: '{"n":1.50,"c":"x"}' });
    const id = `named-${region}`;
    await client.queries.create({ id, oql: `SELECT o.n FROM /${region} o WHERE o.c = :c` });
    const events = client.queries.named<string>(id, { c: 'x' }, { codec: texts }).live();
    const first = await take(events);
    assert.deepEqual(first.kind === 'snapshot' && first.rows, [{ id: 'a', row: '1.50' }]);
    await events.return(undefined);
  });

  it('keeps all rows in a map on request', async () => {
    const region = await service.region({ a: '{"c":1}', b: '{"c":2}' });
    const oql = `SELECT o.c AS c, COUNT(*) AS n FROM /${region} o GROUP BY o.c`;
    const maps = client.queries.adhoc<{ n: number }>(oql).liveRows();
    const counts = async (): Promise<unknown> =>
      [...((await maps.next()).value ?? [])].map(([id, { n }]) => [id, n]);
    assert.deepEqual(await counts(), [
      ['[1]', 1],
      ['[2]', 1],
    ]);
    await service.put(region, { b: '{"c":1}' });
    assert.deepEqual(await counts(), [['[1]', 2]]);
    // Two groups, although JavaScript has one number for both.
    await service.put(region, { a: '{"c":9007199254740993}', b: '{"c":9007199254740992.0}' });
    assert.deepEqual(await counts(), [
      ['[9007199254740992]', 1],
      ['[9007199254740993]', 1],
    ]);
    await maps.return(undefined);
  });

  it('fails like the query, at once or later', async () => {
    const region = await service.region({ a: '{"n":1}' });
    await assert.rejects(client.queries.named('no-such-query').live().next(), NotFoundError);
    const events = client.queries.adhoc(`SELECT o.n FROM /${region} o WHERE o.n > 0`).live();
    await take(events);
    await service.put(region, { b: '{"n":"x"}' });
    await assert.rejects(events.next(), (error: unknown) => {
      return error instanceof RefusedError && error.code === 'oql/type-mismatch';
    });
  });

  it('ends with its signal', async () => {
    const region = await service.region({ a: '{"n":1}' });
    const ending = new AbortController();
    const { signal } = ending;
    const events = client.queries.adhoc(`SELECT * FROM /${region}`, [], { signal }).live();
    await take(events);
    const next = events.next();
    ending.abort(new Error('enough'));
    await assert.rejects(next, { message: 'enough' });
  });
});

describe('the parser of events', () => {
  it('parses events in pieces of any length, with any line break', () => {
    const text =
      'retry: 5\r\nid: 1\r\n\r\nevent: a\ndata: x\ndata: y\n\n: life\n\rdata:z\rid\r\r\n';
    for (let length = 1; length < text.length; length += 1) {
      const parser = new EventParser();
      const events = [];
      for (let at = 0; at < text.length; at += length) {
        events.push(...parser.push(text.slice(at, at + length)));
      }
      assert.deepEqual(
        events,
        [
          { name: 'a', data: 'x\ny', lastId: '1', hasId: false },
          { name: 'message', data: 'z', lastId: undefined, hasId: true },
        ],
        `in pieces of ${length}`,
      );
      assert.equal(parser.retryMs, 5);
    }
  });
});
