// L1, L2 and L5. Only statuses, counts and ratios of one run are asserted; times belong to the
// benchmark.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TemporaryDirectory } from '../faults/directory.ts';
import { IS_SHORT, pickSize } from '../faults/sizes.ts';
import { runCostlyQueries } from './costly-queries.ts';
import { runOverload } from './overload.ts';
import { runSoak } from './soak.ts';

describe('L1 soak', () => {
  const ms = pickSize({ quick: 4_000, short: 60_000 });

  it(`gives no unexpected answer and leaks no files in ${ms / 1000} s`, async (t) => {
    using directory = new TemporaryDirectory();
    const figures = await runSoak({ data: directory.join('data'), ms, clients: 16 });
    t.diagnostic(JSON.stringify(figures));
    assert.deepEqual(Object.keys(figures.statuses), ['200']);
    // Connections of the store are opened on demand and kept: a few, and no more each minute.
    assert.ok(figures.filesAfter <= figures.filesBefore + 4, 'files stay open');
    assert.ok(figures.anonymousMiB < 512, `${figures.anonymousMiB} MiB`);
  });
});

describe('L2 overload', () => {
  const size = pickSize({
    quick: { rounds: 1, roundMs: 1_000 },
    short: { rounds: 3, roundMs: 1_000 },
  });

  it('answers only 200 and 503, with the same throughput as before', async (t) => {
    using directory = new TemporaryDirectory();
    const data = directory.join('data');
    const figures = await runOverload({ data, clients: 32, ...size });
    t.diagnostic(JSON.stringify(figures));
    assert.ok(figures.isAlive);
    assert.deepEqual(
      figures.statuses.filter((status) => status !== '200' && status !== '503'),
      [],
    );
    if (IS_SHORT) assert.ok(figures.goodputRatio >= 0.75, `goodput ${figures.goodputRatio}`);
  });

  it('completes queries although refused clients try again at once', async (t) => {
    using directory = new TemporaryDirectory();
    const data = directory.join('data');
    const overload = { clients: 32, factor: 25, work: 'sort' } as const;
    const figures = await runOverload({ data, ...overload, ...size });
    t.diagnostic(JSON.stringify(figures));
    assert.ok(figures.isAlive);
    assert.equal(figures.withoutRetryAfter, 0);
    if (IS_SHORT) assert.ok(figures.goodputRatio >= 0.5, `goodput ${figures.goodputRatio}`);
  });

  it('sends Retry-After with every 503', async (t) => {
    using directory = new TemporaryDirectory();
    // Few requests at a time, so that many are refused.
    const flags = ['--limits-requests-in-flight', '8'];
    const data = directory.join('data');
    const figures = await runOverload({ data, flags, clients: 8, rounds: 1, roundMs: 1_000 });
    t.diagnostic(JSON.stringify(figures));
    assert.deepEqual(figures.statuses, ['200', '503']);
    assert.ok(figures.shed > 0);
    assert.equal(figures.withoutRetryAfter, 0);
  });
});

describe('L5 costly queries', () => {
  it('ends them at their time limit, and runs no more than the limit', async (t) => {
    const runs = pickSize({ quick: 3, short: 10 });
    const figures = await runCostlyQueries({ runs, maxConcurrent: 4 });
    t.diagnostic(JSON.stringify(figures));
    assert.deepEqual(figures.outcomes, ['500 oql/timeout']);
    assert.ok(figures.mostRunning <= 4 && figures.mostRunning > 0, `${figures.mostRunning} ran`);
    const outcomes = Object.keys(figures.outcomesAtOnce).sort();
    assert.deepEqual(outcomes, ['500 oql/timeout', '503 grid/too-many-queries']);
  });
});
