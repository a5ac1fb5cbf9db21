import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricsText } from '../../api/metrics-text.ts';
import { figuresBetween, quantile } from './figures.ts';

function reading(time: number, lines: readonly string[]) {
  return { time, metrics: new MetricsText(lines.join('\n')) };
}

test('the text format is read with its labels and escapes', () => {
  const metrics = new MetricsText(
    ['# HELP a b', 'a{x="1",y="q\\"\\\\\\n{}"} 2', 'a{x="2"} 3.5', 'b 1e3', '', 'c +Inf'].join(
      '\n',
    ),
  );
  assert.deepEqual(metrics.list('a')[0], { labels: { x: '1', y: 'q"\\\n{}' }, value: 2 });
  assert.equal(metrics.sum('a'), 5.5);
  assert.equal(
    metrics.sum('a', ({ x }) => x === '2'),
    3.5,
  );
  assert.equal(metrics.sum('b'), 1000);
  assert.deepEqual(metrics.list('missing'), []);
});

test('rates are the growth between two readings, without the requests of the console itself', () => {
  const figures = figuresBetween(
    reading(100, [
      'gridkeep_http_requests_total{route="/a",status="200"} 10',
      'gridkeep_http_requests_total{route="/metrics",status="200"} 10',
      'gridkeep_store_commits_total 5',
      'gridkeep_store_writes_total 5',
      'gridkeep_region_writes_total{region="orders"} 1',
    ]),
    reading(102, [
      'gridkeep_http_requests_total{route="/a",status="200"} 30',
      'gridkeep_http_requests_total{route="/a",status="500"} 4',
      'gridkeep_http_requests_total{route="/metrics",status="200"} 90',
      'gridkeep_store_commits_total 15',
      'gridkeep_store_writes_total 45',
      'gridkeep_region_entries{region="orders"} 7',
      'gridkeep_region_entries{region="_queries"} 7',
      'gridkeep_region_value_bytes{region="orders"} 70',
      'gridkeep_region_writes_total{region="orders"} 7',
      'gridkeep_queries_running 2',
    ]),
  );
  assert.equal(figures?.requestsPerSecond, 12);
  assert.equal(figures?.errorsPerSecond, 2);
  assert.equal(figures?.commitsPerSecond, 5);
  assert.equal(figures?.writesPerCommit, 4);
  assert.equal(figures?.runningQueries, 2);
  assert.equal(figures?.p99Seconds, null);
  assert.deepEqual(
    [...(figures?.regions ?? [])],
    [['orders', { entries: 7, bytes: 70, writesPerSecond: 3 }]],
  );
});

test('counters that were reset give no figures', () => {
  const requests = (count: number) => [
    `gridkeep_http_requests_total{route="/a",status="200"} ${count}`,
  ];
  assert.equal(figuresBetween(reading(1, requests(50)), reading(3, requests(2))), undefined);
});

test('quantiles lie inside the bucket that holds them', () => {
  const buckets = [
    { upTo: 1, count: 50 },
    { upTo: 2, count: 100 },
    { upTo: Number.POSITIVE_INFINITY, count: 100 },
  ];
  assert.equal(quantile(buckets, 0.5), 1);
  assert.equal(quantile(buckets, 0.75), 1.5);
  assert.equal(quantile([], 0.5), null);
  const beyond = [
    { upTo: 1, count: 0 },
    { upTo: Number.POSITIVE_INFINITY, count: 5 },
  ];
  assert.equal(quantile(beyond, 0.5), 1);
});
