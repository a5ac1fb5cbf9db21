import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FinishedQuery, QueryStatistics } from './query-statistics.ts';

function run(ms: number, more: Partial<FinishedQuery> = {}): FinishedQuery {
  return {
    oql: 'SELECT 1',
    queryId: 'q',
    outcome: 'completed',
    code: undefined,
    rows: 1,
    ms,
    at: 1000,
    ...more,
  };
}

test('named queries are counted, with percentiles and the last error', () => {
  const statistics = new QueryStatistics();
  for (let ms = 1; ms <= 100; ms += 1) statistics.add(run(ms));
  statistics.add(run(7, { outcome: 'failed', code: 'oql/type-error', at: 2000 }));
  statistics.add(run(5, { queryId: undefined }));
  assert.deepEqual(statistics.listNamed(), [
    {
      queryId: 'q',
      calls: 101,
      failures: 1,
      medianMs: 50,
      p99Ms: 99,
      lastAt: 2000,
      lastError: { code: 'oql/type-error', at: 2000 },
    },
  ]);
});

test('percentiles are of the last calls', () => {
  const statistics = new QueryStatistics();
  for (let index = 0; index < 300; index += 1) statistics.add(run(index < 44 ? 1000 : 1));
  assert.equal(statistics.listNamed()[0]?.p99Ms, 1);
});

test('the slowest runs of the last hour are listed, the slowest first', () => {
  const statistics = new QueryStatistics();
  for (let ms = 1; ms <= 60; ms += 1) statistics.add(run(ms, { queryId: undefined }));
  const slow = statistics.listSlow(1000);
  assert.equal(slow.length, 50);
  assert.equal(slow[0]?.ms, 60);
  assert.equal(slow.at(-1)?.ms, 11);
  const later = 1000 + 2 * 60 * 60 * 1000;
  assert.deepEqual(statistics.listSlow(later), []);
  statistics.add(run(1, { at: later, oql: 'x'.repeat(10_000) }));
  assert.equal(statistics.listSlow(later)[0]?.oql.length, 4096);
});
