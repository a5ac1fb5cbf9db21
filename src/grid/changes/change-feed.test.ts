import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextRound } from 'node:timers/promises';
import { MemoryEngine } from '../../engine/memory/memory-engine.ts';
import { plainRegion } from '../../engine/testing/plain-region.ts';
import { ChangeFeed, type FeedSelection } from './change-feed.ts';
import { ChangeHub } from './change-hub.ts';

const EVERYTHING: FeedSelection = { regions: undefined, accepts: () => true, values: 'new' };

/** A feed of a region with the given commits, each of the given number of puts. */
async function openFeed(
  commits: number,
  puts = 1,
  pause: () => Promise<void> = () => nextRound(),
): Promise<ChangeFeed> {
  const engine = new MemoryEngine();
  await engine.createRegion(plainRegion('orders'));
  const region = await engine.openRegion('orders');
  for (let n = 0; n < commits; n++) {
    const keys = Array.from({ length: puts }, (_, i) => `k${n}-${i}`);
    await region?.write(keys.map((key) => ({ kind: 'put', key, value: `{"n":${n}}` })));
  }
  const hub = new ChangeHub({ engine, now: () => 0, pause });
  return new ChangeFeed({ engine, hub, wallClock: () => 0, pause }, EVERYTHING, 0);
}

describe('ChangeFeed', () => {
  it('yields to other requests between two pages', async () => {
    const feed = await openFeed(2_000);
    let rounds = 0;
    let isReading = true;
    const count = (): void => {
      rounds += 1;
      if (isReading) setImmediate(count);
    };
    setImmediate(count);
    const roundsBefore: number[] = [];
    for (let isLast = false; !isLast; ) {
      const page = await feed.read();
      roundsBefore.push(rounds);
      isLast = page.isLast;
    }
    isReading = false;
    assert.ok(roundsBefore.length > 4, `${roundsBefore.length} pages`);
    assert.equal(new Set(roundsBefore).size, roundsBefore.length, `rounds: ${roundsBefore}`);
  });

  it('pauses between reading and returning a large commit', async () => {
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses += 1;
    };
    const feed = await openFeed(2, 1_000, pause);
    const sizes: number[] = [];
    const pausesAfter: number[] = [];
    for (let isLast = false; !isLast; ) {
      const page = await feed.read();
      sizes.push(page.changes.length);
      pausesAfter.push(pauses);
      isLast = page.isLast;
    }
    // The creation of the region, and one page for each other commit.
    assert.deepEqual(sizes, [1, 1_000, 1_000]);
    assert.deepEqual(pausesAfter, [0, 2, 4]);
  });
});
