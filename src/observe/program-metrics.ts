// All metrics of gridkeep: observations become counters, and the state of the parts is sampled when
// /metrics is read. Figures about the store come through `MetricSources`, so this file knows
// neither grid nor engine.

import { type LiveFigures, NO_LIVE_QUERIES, sampleLive } from './live-metrics.ts';
import { type Counter, type Histogram, Metrics, type Sample, single } from './metrics.ts';
import type {
  EntriesExpired,
  Observe,
  QueryFinished,
  QueryOutcome,
  RequestFinished,
  StreamEnded,
} from './observation.ts';
import { sampleProcess } from './process-metrics.ts';

export interface MetricSources {
  readonly version: string;
  /** Address of this server. */
  server(): string;
  /** Requests that are not answered yet. */
  inFlightRequests(): number;
  /** Requests among them whose answers wait for their clients. */
  waitingRequests(): number;
  /** Streamed answers in progress. */
  streams(): number;
  /** Long streams, by kind. */
  openStreams(): readonly StreamFigures[];
  regions(): Promise<readonly RegionFigures[]>;
  /** Changes of every region since the start. */
  regionWrites(): readonly { readonly region: string; readonly writes: number }[];
  store(): StoreFigures;
  /** A member is present while that operation fails. */
  health(): { readonly unreadable?: string; readonly unwritable?: string };
  runningQueries(): number;
  waitingQueries(): number;
  /** Undefined while there is no grid. */
  liveQueries(): LiveFigures | undefined;
}

export interface StreamFigures {
  readonly kind: string;
  readonly open: number;
  /** Events sent since the start. */
  readonly events: number;
}

export interface RegionFigures {
  readonly name: string;
  readonly entryCount: number;
  readonly valueBytes: number;
}

export interface StoreFigures {
  readonly commits: number;
  readonly writes: number;
  readonly commitSeconds: number;
  readonly openSnapshots: number;
  readonly fileBytes: number;
  /** Number of commits with up to 1, 2, 4, 8, … writes. */
  readonly batchSizes: readonly number[];
}

export interface ProgramMetrics {
  readonly observe: Observe;
  /** The Prometheus text. */
  print(): Promise<string>;
  /** Stops the event-loop monitor. */
  close(): void;
}

const LATENCY_BOUNDS_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30,
];

const QUERY_OUTCOMES: readonly QueryOutcome[] = [
  'completed',
  'failed',
  'timed-out',
  'cancelled',
  'low-memory',
  'refused',
];

export function createProgramMetrics(sources: MetricSources): ProgramMetrics {
  const metrics = new Metrics();
  const requestFinished = countRequests(metrics);
  const queryFinished = countQueries(metrics);
  const streamEnded = countStreams(metrics, sources);
  const bulkFinished = countBulk(metrics);
  const entriesExpired = countExpired(metrics);
  const replays = metrics.counter(
    'gridkeep_idempotent_replays_total',
    'Repeats of requests with an idempotency key that got the first answer.',
  )({});
  sampleService(metrics, sources);
  sampleLive(metrics, () => sources.liveQueries() ?? NO_LIVE_QUERIES);
  sampleStore(metrics, sources);
  const close = sampleProcess(metrics);
  return {
    observe: (observation) => {
      if (observation.kind === 'request-finished') requestFinished(observation);
      else if (observation.kind === 'query-finished') queryFinished(observation);
      else if (observation.kind === 'stream-ended') streamEnded(observation);
      else if (observation.kind === 'entries-expired') entriesExpired(observation);
      else if (observation.kind === 'answer-replayed') replays.add(1);
      else if (observation.kind === 'bulk-finished') bulkFinished(observation);
    },
    print: () => metrics.print(),
    close,
  };
}

function countExpired(metrics: Metrics): (expired: EntriesExpired) => void {
  const entries = metrics.counter(
    'gridkeep_expired_entries_total',
    'Expiry records that were due and were removed.',
  )({});
  const lag = metrics.histogram(
    'gridkeep_expiry_lag_seconds',
    'Time from when the first entry of a batch was due to its removal.',
    LATENCY_BOUNDS_SECONDS,
  )({});
  return (expired) => {
    entries.add(expired.entries);
    lag.record(expired.lagMs / 1000);
  };
}

/** Series of one route and method, made at its first request and found by two map look-ups after. */
interface RouteSeries {
  readonly byStatus: Map<number, Counter>;
  readonly seconds: Histogram;
  readonly bytes: Counter;
}

function countRequests(metrics: Metrics): (finished: RequestFinished) => void {
  const requests = metrics.counter('gridkeep_http_requests_total', 'Requests answered.');
  const seconds = metrics.histogram(
    'gridkeep_http_request_duration_seconds',
    'Time from the request head to the last byte handed to the socket.',
    LATENCY_BOUNDS_SECONDS,
  );
  const bytes = metrics.counter('gridkeep_http_response_bytes_total', 'Body bytes sent.');
  const cuts = metrics.counter(
    'gridkeep_http_answers_cut_total',
    'Answers cut off half-way because the service failed, by the code of the failure.',
  );
  const cutsByCode = new Map<string, Counter>();
  const byMethod = new Map<string, Map<string, RouteSeries>>();

  function findSeries(method: string, route: string): RouteSeries {
    let routes = byMethod.get(method);
    if (routes === undefined) {
      routes = new Map();
      byMethod.set(method, routes);
    }
    let series = routes.get(route);
    if (series === undefined) {
      const labels = { method, route };
      series = { byStatus: new Map(), seconds: seconds(labels), bytes: bytes(labels) };
      routes.set(route, series);
    }
    return series;
  }

  function countCut(code: string): void {
    const counter = cutsByCode.get(code) ?? cuts({ code });
    cutsByCode.set(code, counter);
    counter.add(1);
  }

  return ({ method, route, status, ms, bytes: sent, cutBy }) => {
    if (cutBy !== undefined) countCut(cutBy);
    const series = findSeries(method, route);
    let counter = series.byStatus.get(status);
    if (counter === undefined) {
      counter = requests({ method, route, status: String(status) });
      series.byStatus.set(status, counter);
    }
    counter.add(1);
    series.seconds.record(ms / 1000);
    series.bytes.add(sent);
  };
}

function countBulk(
  metrics: Metrics,
): (finished: { readonly succeeded: number; readonly failed: number }) => void {
  const items = metrics.counter('gridkeep_bulk_items_total', 'Items of bulk loads, by outcome.');
  const succeeded = items({ outcome: 'succeeded' });
  const failed = items({ outcome: 'failed' });
  return (finished) => {
    succeeded.add(finished.succeeded);
    failed.add(finished.failed);
  };
}

function countQueries(metrics: Metrics): (finished: QueryFinished) => void {
  const total = metrics.counter('gridkeep_queries_total', 'Queries ended, by outcome.');
  const rows = metrics.counter('gridkeep_query_rows_total', 'Rows returned by queries.')({});
  const seconds = metrics.histogram(
    'gridkeep_query_duration_seconds',
    'Time of a query until its last row was taken.',
    LATENCY_BOUNDS_SECONDS,
  )({});
  const waitSeconds = metrics.histogram(
    'gridkeep_query_wait_seconds',
    'Time a query waited for its turn; most wait for nothing.',
    LATENCY_BOUNDS_SECONDS,
  )({});
  // Every outcome exists from the start: a rate over an absent series misses the first failure.
  const byOutcome = new Map(QUERY_OUTCOMES.map((outcome) => [outcome, total({ outcome })]));
  return (finished) => {
    byOutcome.get(finished.outcome)?.add(1);
    rows.add(finished.rows);
    seconds.record(finished.ms / 1000);
    waitSeconds.record(finished.waitedMs / 1000);
  };
}

function countStreams(metrics: Metrics, sources: MetricSources): (ended: StreamEnded) => void {
  const perKind = (pick: (figures: StreamFigures) => number) => (): readonly Sample[] =>
    sources.openStreams().map((figures) => ({
      labels: { stream: figures.kind },
      value: pick(figures),
    }));
  metrics.sampled(
    'gauge',
    'gridkeep_streams_open',
    'Change feeds and live queries that are open, long polls included.',
    perKind(({ open }) => open),
  );
  metrics.sampled(
    'counter',
    'gridkeep_stream_events_total',
    'Events sent on change feeds and live queries.',
    perKind(({ events }) => events),
  );
  const total = metrics.counter(
    'gridkeep_streams_ended_total',
    'Change feeds and live queries that ended, by cause.',
  );
  const byCause = new Map<string, Counter>();
  return ({ cause, stream }) => {
    const name = `${stream} ${cause}`;
    const counter = byCause.get(name) ?? total({ stream, cause });
    byCause.set(name, counter);
    counter.add(1);
  };
}

function sampleService(metrics: Metrics, sources: MetricSources): void {
  metrics.sampled('gauge', 'gridkeep_info', 'The running version.', () => [
    {
      labels: { version: sources.version, node: process.version, server: sources.server() },
      value: 1,
    },
  ]);
  metrics.sampled('gauge', 'gridkeep_http_requests_in_flight', 'Requests being answered.', () =>
    single(sources.inFlightRequests() - sources.waitingRequests()),
  );
  metrics.sampled(
    'gauge',
    'gridkeep_http_requests_waiting',
    'Requests whose answers wait for their clients, or wait to be refused.',
    () => single(sources.waitingRequests()),
  );
  metrics.sampled('gauge', 'gridkeep_http_streams', 'Streamed answers in progress.', () =>
    single(sources.streams()),
  );
  metrics.sampled('gauge', 'gridkeep_queries_running', 'Queries running now.', () =>
    single(sources.runningQueries()),
  );
  metrics.sampled('gauge', 'gridkeep_queries_waiting', 'Queries waiting for their turn.', () =>
    single(sources.waitingQueries()),
  );
}

function sampleStore(metrics: Metrics, sources: MetricSources): void {
  const perRegion =
    (pick: (region: RegionFigures) => number) => async (): Promise<readonly Sample[]> =>
      (await sources.regions()).map((region) => ({
        labels: { region: region.name },
        value: pick(region),
      }));
  metrics.sampled(
    'gauge',
    'gridkeep_region_entries',
    'Entries of a region.',
    perRegion((region) => region.entryCount),
  );
  metrics.sampled(
    'gauge',
    'gridkeep_region_value_bytes',
    'Bytes of all values of a region.',
    perRegion((region) => region.valueBytes),
  );
  metrics.sampled(
    'counter',
    'gridkeep_region_writes_total',
    'Changes of a region: entries put or removed, and clears.',
    () =>
      sources.regionWrites().map(({ region, writes }) => ({ labels: { region }, value: writes })),
  );
  metrics.sampled('gauge', 'gridkeep_store_readable', '1 while the store can be read.', () =>
    single(sources.health().unreadable === undefined ? 1 : 0),
  );
  metrics.sampled('gauge', 'gridkeep_store_writable', '1 while the store can be written.', () =>
    single(sources.health().unwritable === undefined ? 1 : 0),
  );
  const store = (
    type: 'counter' | 'gauge',
    name: string,
    help: string,
    pick: (figures: StoreFigures) => number,
  ) => metrics.sampled(type, name, help, () => single(pick(sources.store())));
  store('counter', 'gridkeep_store_commits_total', 'Commits of the store.', (s) => s.commits);
  store('counter', 'gridkeep_store_writes_total', 'Writes committed.', (s) => s.writes);
  store(
    'counter',
    'gridkeep_store_commit_seconds_total',
    'Time spent committing.',
    (s) => s.commitSeconds,
  );
  store('gauge', 'gridkeep_store_open_snapshots', 'Snapshots held.', (s) => s.openSnapshots);
  store('gauge', 'gridkeep_store_file_bytes', 'Size of the data files.', (s) => s.fileBytes);
  metrics.sampled(
    'counter',
    'gridkeep_store_commit_batches_total',
    'Commits by the number of writes they held, up to the label `writes_up_to`.',
    () =>
      sources.store().batchSizes.map((value, power) => ({
        labels: { writes_up_to: String(2 ** power) },
        value,
      })),
  );
}
