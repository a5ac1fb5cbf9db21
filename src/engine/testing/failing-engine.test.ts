import assert from 'node:assert/strict';
import { it } from 'node:test';
import { EngineError, storeFull } from '../errors.ts';
import { MemoryEngine } from '../memory/memory-engine.ts';
import { createFailingEngine, type FailingCall } from './failing-engine.ts';
import { plainRegion } from './plain-region.ts';

const definition = plainRegion('orders');

it('fails exactly the planned call and lets the others through', async () => {
  let planned: FailingCall | undefined;
  const error = storeFull('x.db', undefined);
  const engine = createFailingEngine(new MemoryEngine(), (call) =>
    call === planned ? error : undefined,
  );
  await engine.createRegion(definition);
  const region = await engine.openRegion('orders');
  assert.ok(region);
  await region.write([{ kind: 'put', key: 'a', value: '{}' }]);

  planned = 'region.write';
  await assert.rejects(region.write([]), error);
  assert.equal(await region.count(), 1);

  planned = 'engine.openSnapshot';
  await assert.rejects(engine.openSnapshot(), error);

  planned = undefined;
  const snapshot = await engine.openSnapshot();
  planned = 'snapshot.scan-entries';
  await assert.rejects(async () => {
    for await (const _ of snapshot.scan('orders', {}, 'entries'))
      assert.fail('no batch is expected');
  }, error);
  planned = 'snapshot.count';
  assert.throws(() => snapshot.count('orders'), EngineError);
  planned = undefined;
  assert.equal(snapshot.count('orders'), 1);
  assert.equal(engine.stats().openSnapshots, 1);
  snapshot.close();
  assert.equal(engine.stats().openSnapshots, 0);
});
