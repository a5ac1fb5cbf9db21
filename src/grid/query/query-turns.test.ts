import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { QueryTurns } from './query-turns.ts';

/** Runs queries of so many slices each, which take so many milliseconds; returns what happened. */
async function play(names: string, slices: number, sliceMs: number): Promise<string> {
  const log: string[] = [];
  let clock = 0;
  const turns = new QueryTurns({
    now: () => clock,
    pause: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      log.push('|');
    },
  });
  const run = async (name: string): Promise<void> => {
    for (let slice = 1; slice <= slices; slice += 1) {
      await turns.take();
      // Work with a wait in it that takes no time.
      await Promise.resolve();
      clock += sliceMs;
      log.push(name);
    }
  };
  await Promise.all([...names].map(run));
  // And again after an idle time.
  await turns.take();
  return log.join('');
}

describe('paused queries', () => {
  it('continue one per round if each uses up its slice', async () => {
    assert.equal(await play('ab', 2, 2), '|a|b|a|b|');
  });

  it('continue in the same round while there is time', async () => {
    assert.equal(await play('abcdef', 1, 0.5), '|abc|def|');
  });
});

describe('new queries', () => {
  it('begin until the time of the round is used up, and again in the next one', async () => {
    let clock = 0;
    const { promise: round, resolve: endRound } = Promise.withResolvers<void>();
    const turns = new QueryTurns({ now: () => clock, pause: () => round });
    assert.equal(turns.mayBegin(), true);
    clock = 1;
    assert.equal(turns.mayBegin(), true);
    clock = 1.5;
    assert.equal(turns.mayBegin(), false);
    endRound();
    await round;
    assert.equal(turns.mayBegin(), true);
  });
});
