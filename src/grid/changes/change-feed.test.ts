import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextRound } from 'node:timers/promises';
import { MemoryEngine } from '../../engine/memory/memory-engine.ts';
import { plainRegion } from '../../engine/testing/plain-region.ts';
import { ChangeFeed, type FeedSelection } from './change-feed.ts';
import { ChangeHub } from './change-hub.ts';

const EVERYTHING: FeedSelection = { regions: undefined, accepts: () => true, values: 'new' };

/** A feed of a region with so many commits of one put each. */
async function openFeed(commits: number): Promise<ChangeFeed> {
  const engine = new MemoryEngine();
  await engine.createRegion(plainRegion('orders'));
  const region = await engine.openRegion('orders');
  for (let n = 0; n < commits; n++) {
    await region?.write([{ kind: 'put', key: `k${n}`, value: `{"n":${n}}` }]);
  }
  const pause = (): Promise<void> => nextRound();
  const hub = new ChangeHub({ engine, now: () => 0, pause });
  return new ChangeFeed({ engine, hub, wallClock: () => 0, pause }, EVERYTHING, 0);
}

describe('ChangeFeed', () => {
  it('gives other requests their turn between two pages', async () => {
    const feed = await openFeed(2_000);
    let rounds = 0;
    let isReading = true;
    const count = (): void => {
      rounds += 1;
      if (isReading) setImmediate(count);
    };
    setImmediate(count);
    const roundsBefore: number[] = [];
    for (let isRest = false; !isRest; ) {
      const page = await feed.read();
      roundsBefore.push(rounds);
      isRest = page.isRest;
    }
    isReading = false;
    assert.ok(roundsBefore.length > 4, `${roundsBefore.length} pages`);
    assert.equal(new Set(roundsBefore).size, roundsBefore.length, `rounds: ${roundsBefore}`);
  });
});
