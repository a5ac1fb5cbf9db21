// Expiry: entries with a time to live are removed by ordinary commits.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, json } from '../http-client.ts';
import { ENGINES, Service } from '../service.ts';
import { until } from '../until.ts';

const HOUR_MS = 3_600_000;

/** A service whose clock the test moves. */
class TimedService implements AsyncDisposable {
  nowMs = Date.parse('2026-03-01T12:00:00Z');
  readonly service: Service;

  static async start(engine: (typeof ENGINES)[number]): Promise<TimedService> {
    let timed: TimedService | undefined;
    const nowMs = Date.parse('2026-03-01T12:00:00Z');
    const service = await Service.start({ engine, wallClock: () => timed?.nowMs ?? nowMs });
    timed = new TimedService(service);
    return timed;
  }

  private constructor(service: Service) {
    this.service = service;
  }

  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    await this.service.grid.expiry.sweep();
  }

  put(path: string, body = '{"n":1}'): Promise<Answer> {
    return this.service.send('PUT', path, { body });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.stop();
  }
}

function code(answer: Answer): unknown {
  return Object(json(answer)).code;
}

for (const engine of ENGINES) {
  describe(`Expiry (${engine})`, () => {
    it('removes an entry when its time is over, for every kind of read', async () => {
      await using timed = await TimedService.start(engine);
      const { service } = timed;
      const region = await service.region({ stays: '{"n":0}' });
      assert.equal((await timed.put(`/${region}/short?ttl=60`)).status, 200);
      assert.equal((await timed.put(`/${region}/long?ttl=PT2H`)).status, 200);
      const read = await service.get(`/${region}/short`);
      assert.equal(read.headers['expires'], 'Sun, 01 Mar 2026 12:01:00 GMT');
      assert.equal((await service.get(`/${region}/stays`)).headers['expires'], undefined);
      const entries = Object(json(await service.get(`/${region}?entries=true`)))[region];
      assert.deepEqual(
        entries.map(({ expires, key }: { expires?: string; key: string }) => [key, expires]),
        [
          ['long', '2026-03-01T14:00:00.000Z'],
          ['short', '2026-03-01T12:01:00.000Z'],
          ['stays', undefined],
        ],
      );
      await timed.pass(59_000);
      assert.equal((await service.get(`/${region}/short`)).status, 200);
      const before = service.engine.stats().sequence;
      await timed.pass(1100);
      assert.equal((await service.get(`/${region}/keys`)).text, '{"keys":["long","stays"]}');
      const count = await service.send('HEAD', `/${region}`);
      assert.equal(count.headers['resource-count'], '2');
      const query = await service.get(`/queries/adhoc?q=SELECT%20COUNT(*)%20FROM%20/${region}`);
      assert.match(query.text, /\b2\b/);
      const changes = await service.engine.readChanges(before, 10);
      assert.ok(changes.kind === 'changes');
      assert.deepEqual(
        changes.changes
          .filter((change) => change.region === region)
          .map(({ key, kind }) => [kind, key]),
        [['expire', 'short']],
      );
      const reported = service.observations.find(({ kind }) => kind === 'entries-expired');
      assert.ok(reported?.kind === 'entries-expired' && reported.lagMs <= 1100);
    });

    it('does not touch an entry that was written again, removed or cleared meanwhile', async () => {
      await using timed = await TimedService.start(engine);
      const { service } = timed;
      const region = await service.region();
      for (const key of ['plain', 'longer', 'removed', 'patched']) {
        await timed.put(`/${region}/${key}?ttl=60`);
      }
      await timed.put(`/${region}/plain`, '{"n":2}');
      await timed.put(`/${region}/longer?ttl=PT1H`, '{"n":2}');
      await service.send('DELETE', `/${region}/removed`);
      await timed.put(`/${region}/removed`, '{"n":3}');
      await service.send('PATCH', `/${region}/patched`, {
        body: '{"m":1}',
        headers: { 'Content-Type': 'application/merge-patch+json' },
      });
      assert.equal((await service.get(`/${region}/plain`)).headers['expires'], undefined);
      await timed.pass(2 * 60_000);
      assert.equal(
        (await service.get(`/${region}/keys`)).text,
        '{"keys":["longer","patched","plain","removed"]}',
      );
      await timed.pass(HOUR_MS);
      assert.equal(
        (await service.get(`/${region}/keys`)).text,
        '{"keys":["patched","plain","removed"]}',
      );
      // Nothing that was due is left.
      assert.equal(timed.service.grid.expiry.waiting, 0);
      await timed.put(`/${region}/gone?ttl=1`);
      await service.grid.destroyRegion(region);
      await timed.pass(5000);
      assert.equal(timed.service.grid.expiry.waiting, 0);
    });

    it('uses the default and the maximum of the region', async () => {
      await using timed = await TimedService.start(engine);
      const { service } = timed;
      const region = await service.region({}, { settings: { entryTtl: 60, maxTtl: 'PT1H' } });
      await timed.put(`/${region}/a`);
      assert.equal(
        (await service.get(`/${region}/a`)).headers['expires'],
        'Sun, 01 Mar 2026 12:01:00 GMT',
      );
      const tooLong = await timed.put(`/${region}/b?ttl=PT2H`);
      assert.deepEqual([tooLong.status, code(tooLong)], [400, 'grid/bad-ttl']);
      assert.equal((await timed.put(`/${region}/b?ttl=PT1H`)).status, 200);
      await timed.pass(61_000);
      assert.equal((await service.get(`/${region}/keys`)).text, '{"keys":["b"]}');
      const limited = await service.region({}, { settings: { maxTtl: 60 } });
      await timed.put(`/${limited}/a`);
      assert.equal((await service.get(`/${limited}/a`)).headers['expires'], undefined);
    });

    it('refuses an alteration after which the default is above the maximum', async () => {
      await using timed = await TimedService.start(engine);
      const { service } = timed;
      const region = await service.region({}, { settings: { entryTtl: 60, maxTtl: 'PT1H' } });
      const alter = (body: string) =>
        service.sendTo('PATCH', `/grid-admin/v1/regions/${region}`, { body });
      for (const body of ['{"max-ttl":59}', '{"entry-ttl":"PT2H"}']) {
        const answer = await alter(body);
        assert.deepEqual([answer.status, code(answer)], [400, 'grid/bad-region'], answer.text);
      }
      assert.equal((await alter('{"max-ttl":null}')).status, 200);
      assert.equal((await alter('{"entry-ttl":"PT2H"}')).status, 200);
    });

    it('accepts ttl on every write, and refuses an invalid one', async () => {
      await using timed = await TimedService.start(engine);
      const { service } = timed;
      const region = await service.region({ cas: '{"n":1}', patch: '{"n":1}', replace: '{}' });
      const expires = async (key: string) =>
        (await service.get(`/${region}/${key}`)).headers['expires'];
      const soon = 'Sun, 01 Mar 2026 12:00:30 GMT';
      await service.send('POST', `/${region}?key=post&ttl=30`, { body: '{}' });
      await timed.put(`/${region}/create?op=CREATE&ttl=30`);
      await timed.put(`/${region}/replace?op=REPLACE&ttl=30`);
      await timed.put(`/${region}/cas?op=CAS&ttl=30`, '{"@old":{"n":1},"@new":{"n":2}}');
      await service.send('PATCH', `/${region}/patch?ttl=30`, {
        body: '{"m":1}',
        headers: { 'Content-Type': 'application/merge-patch+json' },
      });
      await timed.put(`/${region}/one,two?ttl=PT30S`, '[{},{}]');
      const transaction = await service.send('POST', '/_tx', {
        body: JSON.stringify({
          do: [
            { region, key: 'tx', value: {}, ttl: 30 },
            { region, key: 'tx-iso', value: {}, ttl: 'PT30S' },
            { region, key: 'tx-lasting', value: {} },
          ],
        }),
      });
      assert.equal(transaction.status, 200, transaction.text);
      const bulk = await service.send('POST', `/${region}/_bulk`, {
        body: [
          '{"key":"bulk","value":{},"ttl":30}',
          '{"key":"bulk-iso","value":{},"ttl":"PT30S"}',
          '{"key":"bulk-bad","value":{},"ttl":"soon"}',
        ].join('\n'),
        headers: { 'Content-Type': 'application/x-ndjson' },
      });
      assert.equal(bulk.status, 207, bulk.text);
      for (const key of ['bulk', 'bulk-iso']) assert.equal(await expires(key), soon, key);
      const keys = ['post', 'create', 'replace', 'cas', 'patch', 'one', 'two', 'tx', 'tx-iso'];
      for (const key of keys) assert.equal(await expires(key), soon, key);
      assert.equal(await expires('tx-lasting'), undefined);
      const rolledBack = await service.send('POST', '/_tx', {
        body: JSON.stringify({ do: [{ region, key: 'tx-lasting', value: {}, ttl: 30 }] }),
        headers: { Prefer: 'tx=rollback' },
      });
      assert.equal(rolledBack.status, 200);
      assert.equal(await expires('tx-lasting'), undefined);
      for (const ttl of ['0', '-1', 'soon', 'P', '']) {
        const refused = await timed.put(`/${region}/x?ttl=${ttl}`);
        assert.deepEqual([refused.status, code(refused)], [400, 'request/bad-parameter'], ttl);
      }
      await timed.pass(31_000);
      assert.equal((await service.get(`/${region}/keys`)).text, '{"keys":["tx-lasting"]}');
    });

    it('keeps expired entries in the history of the region', async () => {
      await using timed = await TimedService.start(engine);
      const { service } = timed;
      const region = await service.region({}, { settings: { history: { count: 10 } } });
      await timed.put(`/${region}/a?ttl=10`);
      await timed.pass(11_000);
      const { versions } = json(await service.get(`/${region}/_history/a`)) as {
        versions: readonly { op: string; version: number }[];
      };
      assert.deepEqual(
        versions.map(({ op }) => op),
        ['expire', 'put'],
      );
      const at = await service.get(`/${region}?at=${versions[1]?.version}`);
      assert.equal(at.text, `{"${region}":[{"n":1}]}`);
    });

    it('revives nothing when the clock is set back', async () => {
      await using timed = await TimedService.start(engine);
      const { service } = timed;
      const region = await service.region();
      await timed.put(`/${region}/a?ttl=10`);
      await timed.put(`/${region}/b?ttl=PT1H`);
      await timed.pass(11_000);
      await timed.pass(-HOUR_MS);
      assert.equal((await service.get(`/${region}/keys`)).text, '{"keys":["b"]}');
      await timed.pass(HOUR_MS);
      assert.equal((await service.get(`/${region}/keys`)).text, '{"keys":["b"]}');
      await timed.pass(HOUR_MS);
      assert.equal((await service.get(`/${region}/keys`)).text, '{"keys":[]}');
    });
  });
}

describe('Expiry over a restart', () => {
  it('removes entries that became due meanwhile before it is ready', async () => {
    await using timed = await TimedService.start('sqlite');
    const { service } = timed;
    const region = await service.region();
    await timed.put(`/${region}/a?ttl=10`);
    await timed.put(`/${region}/b?ttl=PT1H`);
    timed.nowMs += 20_000;
    await service.restart();
    assert.equal((await service.get(`/${region}/keys`)).text, '{"keys":["b"]}');
    assert.equal(
      (await service.get(`/${region}/b`)).headers['expires'],
      'Sun, 01 Mar 2026 13:00:00 GMT',
    );
  });

  it('removes entries on its own, soon after they are due', async () => {
    await using service = await Service.start({ engine: 'sqlite' });
    const region = await service.region();
    await service.send('PUT', `/${region}/a?ttl=0.05`, { body: '{}' });
    const deadline = Date.now() + 20_000;
    await until(async () => {
      assert.ok(Date.now() < deadline, 'the entry goes');
      return (await service.get(`/${region}/keys`)).text === '{"keys":[]}';
    });
  });
});
