// The writer thread ends while the store is open: no call may wait for it for ever.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { Engine } from '../engine.ts';
import { plainRegion } from '../testing/plain-region.ts';
import { openSqliteEngine } from './sqlite-engine.ts';

test('refuses writes, serves reads and closes after the writer thread has ended', async (t) => {
  const { directory, engine, writer } = await openWithWriter(t);
  await writer.terminate();
  const region = await engine.openRegion('r');
  const writing = region?.write([{ kind: 'put', key: 'a', value: '{}' }]);
  await assert.rejects(Promise.resolve(writing), { code: 'engine/store-failed' });
  assert.match(engine.health().unwritable ?? '', /failure/);
  assert.deepEqual(await region?.read(['a']), [undefined]);
  await engine.close();
  // The thread's end released the lock.
  const again = await openSqliteEngine({ directory });
  assert.equal((await again.describeRegions()).length, 1);
  await again.close();
});

test('closes when the writer thread ends while the store is being closed', async (t) => {
  const { directory, engine, writer } = await openWithWriter(t);
  const region = await engine.openRegion('r');
  const writing = Promise.resolve(region?.write([{ kind: 'put', key: 'a', value: '{}' }]));
  const settled = Promise.allSettled([writing]);
  const closing = engine.close();
  await writer.terminate();
  await closing;
  const [{ status }] = await settled;
  const again = await openSqliteEngine({ directory });
  const entries = await (await again.openRegion('r'))?.read(['a']);
  // A write that was refused may have been committed; an acknowledged one must have been.
  if (status === 'fulfilled') assert.equal(entries?.[0]?.value, '{}');
  assert.equal((await again.describeRegions()).length, 1);
  await again.close();
});

/** Finds the writer through the event that Node emits for each new thread. */
async function openWithWriter(
  t: TestContext,
): Promise<{ readonly directory: string; readonly engine: Engine; readonly writer: Worker }> {
  const directory = mkdtempSync(join(tmpdir(), 'gridkeep-writer-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  // The events of threads that were started before, such as the test watchdog, come first.
  await nextTurn();
  const started = new Promise<Worker>((resolve) => {
    process.once('worker', resolve);
  });
  const engine = await openSqliteEngine({ directory });
  await engine.createRegion(plainRegion('r'));
  return { directory, engine, writer: await started };
}
