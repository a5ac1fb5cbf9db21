import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Figures } from './figures.ts';
import { figureTips, scanTips } from './find-tips.ts';

const scan = { node: 'scan', detail: '/customers', 'estimated-rows': 500 };

function planOf(detail: string, input: object) {
  return {
    plan: { node: 'project', input: { node: 'join', inputs: [{ node: 'filter', detail, input }] } },
  };
}

test('a filter over a whole region asks for an index on its member', () => {
  const [tip] = scanTips('in-city', planOf('c.address.city = $1', scan));
  assert.deepEqual(tip?.index, {
    region: 'customers',
    name: 'customers-by-address-city',
    expression: 'c.address.city',
    from: '/customers c',
  });
  assert.match(tip?.evidence ?? '', /500 entries of customers/);
});

test('no index is suggested where it would not help', () => {
  assert.deepEqual(scanTips('q', planOf('c.name LIKE $1', scan)), []);
  assert.deepEqual(scanTips('q', planOf('c.a = 1', { ...scan, 'estimated-rows': 9 })), []);
  assert.deepEqual(scanTips('q', planOf('c.a = 1', { ...scan, node: 'index-lookup' })), []);
});

test('growth and waiting show in the figures', () => {
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
  assert.deepEqual(figureTips([]), []);
  assert.deepEqual(figureTips([at(0, 5000, 0), at(60, 5500, 0)]), []);
  assert.match(figureTips([at(0, 5000, 0), at(60, 9000, 0)])[0]?.title ?? '', /orders grows/);
  const waiting = [0, 1, 2, 3, 4].map((i) => at(i, 1, 2));
  assert.equal(figureTips(waiting)[0]?.id, 'waiting');
});
