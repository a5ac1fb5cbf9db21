import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryTurns } from './query-turns.ts';

test('queries run in turns, with a pause before each', async () => {
  const log: string[] = [];
  const turns = new QueryTurns(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    log.push('paused');
  });
  const run = async (name: string): Promise<void> => {
    for (let slice = 1; slice <= 2; slice += 1) {
      await turns.take();
      log.push(`${name}${slice}`);
    }
  };
  await Promise.all([run('a'), run('b')]);
  assert.deepEqual(log, ['paused', 'a1', 'paused', 'b1', 'paused', 'a2', 'paused', 'b2']);
  // And again after an idle time.
  await turns.take();
  assert.equal(log.length, 9);
});
