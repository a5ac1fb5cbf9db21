import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Figures } from './figures.ts';
import { figureTips, limitTips, scanTips, unusedTips } from './find-tips.ts';

const scan = { node: 'scan', detail: '/customers', 'estimated-rows': 500 };

function planOf(detail: string, input: object) {
  return {
    plan: { node: 'project', input: { node: 'join', inputs: [{ node: 'filter', detail, input }] } },
  };
}

test('a filter over a whole region asks for an index on its member', () => {
  const [tip] = scanTips('in-city', planOf('c.address.city = $1', scan));
  assert.deepEqual(tip?.action, {
    kind: 'create-index',
    index: {
      region: 'customers',
      name: 'customers-by-address-city',
      expression: 'c.address.city',
      from: '/customers c',
    },
  });
  assert.match(tip?.evidence ?? '', /500 entries of customers/);
  const [dotted] = scanTips('q', planOf('c.n = $1', { ...scan, detail: '/my.region' }));
  const index = dotted?.action?.kind === 'create-index' ? dotted.action.index : undefined;
  assert.deepEqual([index?.region, index?.from], ['my.region', "/'my.region' c"]);
});

test('no index is suggested where it would not help', () => {
  assert.deepEqual(scanTips('q', planOf('c.name LIKE $1', scan)), []);
  assert.deepEqual(scanTips('q', planOf('c.a = 1', { ...scan, 'estimated-rows': 9 })), []);
  assert.deepEqual(scanTips('q', planOf('c.a = 1', { ...scan, node: 'index-lookup' })), []);
});

test('regions that grow and queries that wait are found in the figures', () => {
  const at = (time: number, entries: number, waitingQueries: number): Figures => ({
    time,
    requestsPerSecond: 0,
    errorsPerSecond: 0,
    p50Seconds: null,
    p99Seconds: null,
    commitsPerSecond: 0,
    writesPerCommit: null,
    loopDelaySeconds: 0,
    residentBytes: 0,
    heapBytes: 0,
    runningQueries: 0,
    waitingQueries,
    openStreams: 0,
    regions: new Map([['orders', { entries, bytes: 0, writesPerSecond: 0 }]]),
  });
  const never = (): boolean => false;
  const grown = [at(0, 5000, 0), at(60, 9000, 0)];
  assert.deepEqual(figureTips([], never), []);
  assert.deepEqual(figureTips([at(0, 5000, 0), at(60, 5500, 0)], never), []);
  assert.match(figureTips(grown, never)[0]?.title ?? '', /orders grows/);
  assert.deepEqual(
    figureTips(grown, () => true),
    [],
  );
  const waiting = [0, 1, 2, 3, 4].map((i) => at(i, 1, 2));
  assert.equal(figureTips(waiting, never)[0]?.id, 'waiting');
});

test('an index that no query used for an hour may be dropped', () => {
  const index = { name: 'by-a', kind: 'range', expression: 'o.a', from: '/orders o' };
  const countedSince = new Date(0);
  const hour = 3_600_000;
  const unused = { ...index, uses: 0, countedSince };
  assert.deepEqual(unusedTips('orders', [unused], hour - 1), []);
  const used = { ...index, uses: 1, lastUsed: new Date(1), countedSince };
  assert.deepEqual(unusedTips('orders', [used], hour), []);
  const [tip] = unusedTips('orders', [used, unused], hour);
  assert.deepEqual(tip?.action, { kind: 'drop-index', region: 'orders', name: 'by-a' });
});

test('a query that takes half of its time limit, or more than that, is named', () => {
  const query = (p99: number, code?: string) => ({
    'query-id': 'slow',
    calls: 9,
    failures: 0,
    'median-ms': 1,
    'p99-ms': p99,
    'last-run': '2025-01-01T00:00:00Z',
    ...(code === undefined ? {} : { 'last-error': { code, time: '2025-01-01T00:00:00Z' } }),
  });
  assert.deepEqual(limitTips([query(4999)], 10_000), []);
  assert.match(limitTips([query(5000)], 10_000)[0]?.title ?? '', /slow comes near/);
  assert.match(limitTips([query(3, 'oql/timeout')], 10_000)[0]?.title ?? '', /slow ran into/);
  assert.deepEqual(limitTips([query(3, 'oql/cancelled')], 10_000), []);
  assert.deepEqual(limitTips([query(90_000)], 0), []);
});
