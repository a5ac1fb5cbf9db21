import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { Metrics, single } from './metrics.ts';
import { createProgramMetrics, type MetricSources } from './program-metrics.ts';

test('counters, gauges and histograms print as Prometheus text', async () => {
  const metrics = new Metrics();
  const hits = metrics.counter('hits_total', 'Hits.');
  hits({ path: 'a"\\\n' }).add(2);
  hits({}).add(0.5);
  const seconds = metrics.histogram('seconds', 'Time.', [0.1, 1])({ route: '/' });
  for (const value of [0.1, 0.2, 5]) seconds.record(value);
  metrics.sampled('gauge', 'size', 'Size.', async () => single(Number.POSITIVE_INFINITY));
  metrics.sampled('gauge', 'low', 'Low.', () => single(Number.NEGATIVE_INFINITY));
  assert.equal(
    await metrics.print(),
    [
      '# HELP hits_total Hits.',
      '# TYPE hits_total counter',
      'hits_total{path="a\\"\\\\\\n"} 2',
      'hits_total 0.5',
      '# HELP seconds Time.',
      '# TYPE seconds histogram',
      'seconds_bucket{route="/",le="0.1"} 1',
      'seconds_bucket{route="/",le="1"} 2',
      'seconds_bucket{route="/",le="+Inf"} 3',
      'seconds_sum{route="/"} 5.3',
      'seconds_count{route="/"} 3',
      '# HELP size Size.',
      '# TYPE size gauge',
      'size +Inf',
      '# HELP low Low.',
      '# TYPE low gauge',
      'low -Inf',
      '',
    ].join('\n'),
  );
});

test('a name can be taken once', () => {
  const metrics = new Metrics();
  metrics.counter('hits_total', 'Hits.');
  assert.throws(() => metrics.counter('hits_total', 'Hits.'), RangeError);
});

const SOURCES: MetricSources = {
  version: '1.2.3',
  server: () => 'http://a:1',
  inFlightRequests: () => 7,
  waitingRequests: () => 3,
  streams: () => 5,
  openStreams: () => [{ kind: 'changes', open: 4, events: 99 }],
  runningQueries: () => 1,
  waitingQueries: () => 2,
  liveQueries: () => ({
    followed: 3,
    runAgain: 1,
    rows: 70,
    bytes: 800,
    deltasSent: 9,
    entriesEvaluated: 20,
    runs: 5,
    runSeconds: 0.5,
  }),
  regions: async () => [{ name: 'orders', entryCount: 3, valueBytes: 99 }],
  regionWrites: () => [{ region: 'orders', writes: 5 }],
  health: () => ({ unwritable: 'No space left' }),
  store: () => ({
    commits: 2,
    writes: 5,
    commitSeconds: 0.25,
    openSnapshots: 1,
    fileBytes: 4096,
    batchSizes: [1, 0, 1],
  }),
};

test('long streams are counted by kind, and by what ended them', async () => {
  const metrics = createProgramMetrics(SOURCES);
  const ended = {
    kind: 'stream-ended',
    requestId: 'r',
    stream: 'changes',
    cause: 'client',
  } as const;
  for (let i = 0; i < 2; i++) metrics.observe({ ...ended, events: 3, bytes: 30, ms: 1 });
  const text = await metrics.print();
  metrics.close();
  assert.match(text, /^gridkeep_streams_open\{stream="changes"\} 4$/m);
  assert.match(text, /^gridkeep_stream_events_total\{stream="changes"\} 99$/m);
  assert.match(text, /^gridkeep_streams_ended_total\{stream="changes",cause="client"\} 2$/m);
});

test('requests are counted by method, route and status, with their times', async () => {
  const metrics = createProgramMetrics(SOURCES);
  const finished = {
    kind: 'request-finished',
    requestId: 'r',
    method: 'GET',
    route: '/x/{y}',
    path: '/x/1',
    bytes: 10,
    ms: 2,
  } as const;
  metrics.observe({ ...finished, status: 200 });
  metrics.observe({ ...finished, status: 200 });
  metrics.observe({ ...finished, status: 404 });
  metrics.observe({ ...finished, method: 'PUT', status: 200 });
  metrics.observe({ ...finished, method: 'HEAD', status: 200, cutBy: 'engine/store-damaged' });
  const text = await metrics.print();
  metrics.close();
  for (const line of [
    'gridkeep_http_requests_total{method="GET",route="/x/{y}",status="200"} 2',
    'gridkeep_http_requests_total{method="GET",route="/x/{y}",status="404"} 1',
    'gridkeep_http_requests_total{method="PUT",route="/x/{y}",status="200"} 1',
    'gridkeep_http_request_duration_seconds_bucket{method="GET",route="/x/{y}",le="0.0025"} 3',
    'gridkeep_http_response_bytes_total{method="GET",route="/x/{y}"} 30',
    'gridkeep_http_requests_in_flight 4',
    'gridkeep_http_requests_waiting 3',
    'gridkeep_http_streams 5',
    'gridkeep_http_answers_cut_total{code="engine/store-damaged"} 1',
  ]) {
    assert.ok(text.split('\n').includes(line), `${line}\nis missing in\n${text}`);
  }
});

test('queries are counted by outcome, and every outcome is there from the start', async () => {
  const metrics = createProgramMetrics(SOURCES);
  metrics.observe({
    kind: 'query-finished',
    queryId: undefined,
    outcome: 'timed-out',
    code: 'oql/timeout',
    rows: 7,
    ms: 30,
    waitedMs: 0,
  });
  metrics.observe({ kind: 'service-stopping', reason: 'test' });
  const lines = (await metrics.print()).split('\n');
  metrics.close();
  assert.ok(lines.includes('gridkeep_queries_total{outcome="timed-out"} 1'));
  assert.ok(lines.includes('gridkeep_queries_total{outcome="completed"} 0'));
  assert.ok(lines.includes('gridkeep_query_rows_total 7'));
});

test('store, regions and process are sampled when the text is read', async () => {
  const metrics = createProgramMetrics(SOURCES);
  const lines = (await metrics.print()).split('\n');
  metrics.close();
  for (const line of [
    'gridkeep_store_commits_total 2',
    'gridkeep_store_readable 1',
    'gridkeep_store_writable 0',
    'gridkeep_store_commit_batches_total{writes_up_to="4"} 1',
    'gridkeep_region_entries{region="orders"} 3',
    'gridkeep_region_value_bytes{region="orders"} 99',
    'gridkeep_region_writes_total{region="orders"} 5',
    'gridkeep_live_queries{way="followed"} 3',
    'gridkeep_live_queries{way="run-again"} 1',
    'gridkeep_live_rows 70',
    'gridkeep_live_bytes 800',
    'gridkeep_live_deltas_total 9',
    'gridkeep_live_evaluations_total 20',
    'gridkeep_live_runs_total 5',
    'gridkeep_live_run_seconds_total 0.5',
  ]) {
    assert.ok(lines.includes(line), line);
  }
  for (const start of [
    'gridkeep_event_loop_delay_seconds{quantile="0.99"} ',
    'process_resident_memory_bytes ',
    'process_cpu_seconds_total ',
    'gridkeep_memory_bytes{kind="heapUsed"} ',
    `gridkeep_info{version="1.2.3",node="${process.version}",server="http://a:1"} 1`,
  ]) {
    assert.ok(
      lines.some((line) => line.startsWith(start)),
      start,
    );
  }
});

test('the text meets the rules that promtool checks', async () => {
  const metrics = createProgramMetrics(SOURCES);
  const text = await metrics.print();
  metrics.close();
  const types = new Map<string, string>();
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    types.set(name, type);
  assert.ok(types.size > 20);
  for (const [name, type] of types) {
    assert.match(text, new RegExp(`^# HELP ${name} \\S`, 'm'));
    assert.match(name, /^[a-z][a-z0-9_]*$/);
    assert.equal(name.endsWith('_total'), type === 'counter', name);
    assert.doesNotMatch(name, /_(?:ms|milliseconds|kb|mb|count|sum|bucket|counter|gauge)$/);
    const series = text.split('\n').filter((line) => line.startsWith(`${name}{`));
    const hasQuantile = series.some((line) => line.includes('quantile='));
    assert.equal(hasQuantile, type === 'summary', name);
  }
});

test('a total beyond 2^31 keeps the hidden class that all counters have', async () => {
  // Loaded again: in this copy no counter has had a fraction yet.
  const { href } = new URL('./metrics.ts?new', import.meta.url);
  const loaded: typeof import('./metrics.ts') = await import(href);
  const metrics = new loaded.Metrics();
  const sent = metrics.counter('sent_bytes_total', 'Bytes sent.');
  const [large, small] = [sent({ route: 'large' }), sent({ route: 'small' })];
  large.add(2 ** 31 - 1);
  small.add(1);
  large.add(2);
  // If the class changes, V8 compiles the code that counts requests again and again (0117).
  assert.ok(haveSameClass(large, small));
  assert.match(await metrics.print(), /^sent_bytes_total\{route="large"\} 2147483649$/m);
});

/** Calls a native function of V8, which an option makes available. */
function haveSameClass(a: object, b: object): boolean {
  setFlagsFromString('--allow-natives-syntax');
  try {
    return new Function('a', 'b', 'return %HaveSameMap(a, b)')(a, b) === true;
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}
