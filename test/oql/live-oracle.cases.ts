// Live queries against the reference evaluator, over generated queries and writes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pickSeed, shareOfRuns } from '../../src/value/testing/share-of-runs.ts';
import { checkLiveStore, createTally } from './live-oracle.ts';

const STORES = shareOfRuns(400);
/** Allowed share of commits that are not compared, because ORDER BY cannot sort their values. */
const MOST_NOT_COMPARABLE = 0.01;

describe('live queries', () => {
  it(`have the rows of the reference evaluator at every commit, over ${STORES} stores`, async (t) => {
    const seed = pickSeed();
    const tally = createTally();
    for (let store = 0; store < STORES; store += 1) {
      const one = seed * 1_000_003 + store;
      await checkLiveStore(one, tally).catch((error: unknown) => {
        throw new Error(`store ${store} failed; TEST_SEED=${seed} makes it again`, {
          cause: error,
        });
      });
    }
    t.diagnostic(JSON.stringify(tally));
    // A check that compares nothing proves nothing.
    const { notComparable, ...proofs } = tally;
    for (const [what, count] of Object.entries(proofs)) assert.ok(count > 0, what);
    assert.ok(notComparable < tally.compared * MOST_NOT_COMPARABLE, JSON.stringify(tally));
    assert.ok(tally.afterDeltas > 10 * STORES, JSON.stringify(tally));
  });
});
