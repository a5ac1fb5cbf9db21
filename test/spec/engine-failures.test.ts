// When the store fails, clients receive an error that says so, never a wrong or incomplete answer, and
// nothing is left open.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type EngineError,
  engineClosed,
  outcomeUnknown,
  readAborted,
  regionGone,
  storeFailed,
  storeFull,
  storeUnreachable,
} from '../../src/engine/errors.ts';
import type { FailingCall } from '../../src/engine/testing/failing-engine.ts';
import type { RequestFinished } from '../../src/observe/observation.ts';
import { json } from '../http-client.ts';
import { ENGINES, manyEntries, Service } from '../service.ts';

/** The request as the log reports it. */
const FAILURE = {
  code: 'engine/store-failed',
  reason: 'Input/output failure on grid.db: disk I/O error',
};

function finishedRequest({ observations }: Service): RequestFinished {
  const last = observations.at(-1);
  assert.ok(last?.kind === 'request-finished');
  return last;
}

for (const engine of ENGINES) {
  describe(`Failures of the engine (${engine})`, () => {
    /** A service whose engine fails at this call while `failing.now` is set. */
    async function start(
      call: FailingCall,
      error: () => EngineError,
    ): Promise<{ service: Service; failing: { now: boolean } }> {
      const failing = { now: false };
      const service = await Service.start({
        engine,
        failures: (made) => (failing.now && made === call ? error() : undefined),
      });
      return { service, failing };
    }

    it('answers 500 to a write on a full store; reads continue, writes resume', async () => {
      const { service, failing } = await start('region.write', () =>
        storeFull('grid.db', undefined),
      );
      await using _ = service;
      const region = await service.region({ a: '{"n":1}' });
      failing.now = true;
      for (const [method, path, body] of [
        ['PUT', '/a', '{}'],
        ['PUT', '/a?op=REPLACE', '{}'],
        ['PUT', '/b?op=CREATE', '{}'],
        ['PUT', '/a?op=CAS', '{"@old":{"n":1},"@new":{}}'],
        ['POST', '?key=b', '{}'],
        ['DELETE', '/a', undefined],
      ] as const) {
        const answer = await service.send(method, `/${region}${path}`, body ? { body } : {});
        assert.equal(answer.status, 500, path);
        assert.equal(Object(json(answer)).code, 'engine/store-full');
        assert.ok(Array.isArray(Object(json(answer)).trace));
      }
      assert.equal((await service.get(`/${region}/a`)).text, `{"${region}":[{"n":1}]}`);
      failing.now = false;
      assert.equal((await service.send('PUT', `/${region}/a`, { body: '{}' })).status, 200);
    });

    it('answers 500 to reads that fail before anything was sent', async () => {
      const failure = (): EngineError => storeFailed('grid.db', new Error('disk I/O error'));
      for (const [call, path] of [
        ['engine.describeRegions', ''],
        ['engine.openRegion', '/REGION'],
        ['region.readFirst', '/REGION'],
        ['region.read', '/REGION/a'],
        ['engine.openSnapshot', '/REGION?limit=ALL'],
        ['engine.openSnapshot', '/REGION/keys'],
        ['snapshot.scan-keys', '/REGION?limit=ALL'],
        ['snapshot.scan-keys', '/REGION/keys'],
        ['snapshot.scan-values', '/REGION?limit=ALL'],
        ['snapshot.scan-values', '/REGION?limit=ALL&pretty=true'],
      ] as const) {
        const { service, failing } = await start(call, failure);
        await using _ = service;
        // A region that was used before is cached, and not opened again.
        const region = await service.region(call === 'engine.openRegion' ? {} : { a: '{}' });
        failing.now = true;
        const answer = await service.get(path.replace('REGION', region));
        assert.equal(answer.status, 500, `${call} ${path}`);
        assert.equal(Object(json(answer)).code, 'engine/store-failed');
        failing.now = false;
        assert.equal(service.engine.stats().openSnapshots, 0);
        const { requestId, status, ...rest } = finishedRequest(service);
        assert.equal(status, 500);
        assert.ok(!('cutBy' in rest));
        assert.deepEqual(
          service.observations.filter(({ kind }) => kind === 'store-failure'),
          [{ kind: 'store-failure', requestId, ...FAILURE }],
        );
      }
    });

    it('closes the connection when a scan fails half-way, so that the client sees an incomplete answer', async () => {
      let batches = 0;
      const failures = (call: FailingCall): EngineError | undefined => {
        if (call !== 'snapshot.scan-values') return undefined;
        batches += 1;
        return batches > 2 ? storeFailed('grid.db', new Error('disk I/O error')) : undefined;
      };
      await using service = await Service.start({ engine, failures });
      const region = await service.region(manyEntries(3000, 400));
      await assert.rejects(service.get(`/${region}?limit=ALL`), { code: 'ECONNRESET' });
      assert.equal(service.engine.stats().openSnapshots, 0);
      assert.equal(service.server.requestsInFlight, 0);
      const { bytes, cutBy, requestId, status } = finishedRequest(service);
      assert.deepEqual([status, cutBy], [200, 'engine/store-failed']);
      assert.ok(bytes > 0);
      assert.deepEqual(service.observations.at(-2), {
        kind: 'store-failure',
        requestId,
        ...FAILURE,
      });
    });

    it('answers 500 when a small region fails at its end, because nothing was sent yet', async () => {
      let batches = 0;
      const failures = (call: FailingCall): EngineError | undefined => {
        if (call !== 'snapshot.scan-values') return undefined;
        batches += 1;
        return batches > 1 ? storeFailed('grid.db', new Error('disk I/O error')) : undefined;
      };
      await using service = await Service.start({ engine, failures });
      const region = await service.region(manyEntries(20));
      const answer = await service.get(`/${region}?limit=ALL`);
      assert.deepEqual([answer.status, Object(json(answer)).code], [500, 'engine/store-failed']);
    });

    it('distinguishes an unreachable store from a write with an unknown outcome', async () => {
      for (const [error, status, retryAfter] of [
        [() => storeUnreachable('no answer'), 503, '2'],
        [() => readAborted(), 503, '1'],
        [() => outcomeUnknown('no answer'), 500, undefined],
      ] as const) {
        const { service, failing } = await start('region.write', error);
        await using _ = service;
        const region = await service.region();
        failing.now = true;
        const answer = await service.send('PUT', `/${region}/a`, { body: '{}' });
        assert.equal(answer.status, status);
        assert.equal(answer.headers['retry-after'], retryAfter);
        assert.equal(Object(json(answer)).code, error().code);
        failing.now = false;
        assert.equal((await service.send('PUT', `/${region}/a`, { body: '{}' })).status, 200);
      }
    });

    it('answers 404 when the region is destroyed between look-up and write', async () => {
      const { service, failing } = await start('region.write', () => regionGone('orders'));
      await using _ = service;
      const region = await service.region();
      failing.now = true;
      const answer = await service.send('PUT', `/${region}/a`, { body: '{}' });
      assert.equal(answer.status, 404);
      assert.equal(Object(json(answer)).code, 'engine/region-gone');
    });

    it('answers 400 when the store fails to count, 500 to any other failure of it (4.3)', async () => {
      for (const [error, status] of [
        [() => storeFailed('grid.db', undefined), 400],
        [() => new TypeError('nobody foresaw this') as EngineError, 500], // only thrown, never read
        [engineClosed, 503],
      ] as const) {
        const { service, failing } = await start('region.count', error);
        await using _ = service;
        const region = await service.region();
        failing.now = true;
        const answer = await service.send('HEAD', `/${region}`);
        assert.equal(answer.status, status);
        assert.equal(answer.text, '');
      }
    });
  });
}
