// Computes rates and latency quantiles between two readings of the metrics.

import type { MetricsText, Sample } from '../../api/metrics-text.ts';

export interface Reading {
  /** Seconds since 1970, by the clock of the browser. */
  readonly time: number;
  readonly metrics: MetricsText;
}

/** One point of every chart. An unknown figure, such as a quantile without requests, is null. */
export interface Figures {
  readonly time: number;
  readonly requestsPerSecond: number;
  readonly errorsPerSecond: number;
  readonly p50Seconds: number | null;
  readonly p99Seconds: number | null;
  readonly commitsPerSecond: number;
  readonly writesPerCommit: number | null;
  readonly loopDelaySeconds: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly runningQueries: number;
  readonly waitingQueries: number;
  readonly openStreams: number;
  readonly regions: ReadonlyMap<string, RegionFigures>;
}

export interface RegionFigures {
  readonly entries: number;
  readonly bytes: number;
  readonly writesPerSecond: number;
}

/** The console itself reads this periodically, so it is not counted. */
const OWN_ROUTE = '/metrics';

const isTraffic = ({ route }: Sample['labels']): boolean => route !== OWN_ROUTE;

/** Undefined when the service restarted in between, because its counters were reset. */
export function figuresBetween(earlier: Reading, later: Reading): Figures | undefined {
  const seconds = later.time - earlier.time;
  const a = earlier.metrics;
  const b = later.metrics;
  const grown = (name: string, fits?: (labels: Sample['labels']) => boolean): number =>
    b.sum(name, fits) - a.sum(name, fits);
  const requests = grown('gridkeep_http_requests_total', isTraffic);
  if (seconds <= 0 || requests < 0) return undefined;
  const isError = (labels: Sample['labels']): boolean =>
    isTraffic(labels) && (labels['status'] ?? '').startsWith('5');
  const commits = grown('gridkeep_store_commits_total');
  const buckets = bucketsBetween(a, b);
  return {
    time: later.time,
    requestsPerSecond: requests / seconds,
    errorsPerSecond: grown('gridkeep_http_requests_total', isError) / seconds,
    p50Seconds: quantile(buckets, 0.5),
    p99Seconds: quantile(buckets, 0.99),
    commitsPerSecond: Math.max(0, commits) / seconds,
    writesPerCommit: commits > 0 ? grown('gridkeep_store_writes_total') / commits : null,
    loopDelaySeconds: b.sum('gridkeep_event_loop_delay_seconds', (l) => l['quantile'] === '0.99'),
    residentBytes: b.sum('process_resident_memory_bytes'),
    heapBytes: b.sum('gridkeep_memory_bytes', (labels) => labels['kind'] === 'heapUsed'),
    runningQueries: b.sum('gridkeep_queries_running'),
    waitingQueries: b.sum('gridkeep_queries_waiting'),
    openStreams: b.sum('gridkeep_streams_open'),
    regions: regionsBetween(a, b, seconds),
  };
}

function regionsBetween(
  a: MetricsText,
  b: MetricsText,
  seconds: number,
): ReadonlyMap<string, RegionFigures> {
  const regions = new Map<string, RegionFigures>();
  for (const { labels, value } of b.list('gridkeep_region_entries')) {
    const name = labels['region'] ?? '';
    // Reserved regions.
    if (name.startsWith('_')) continue;
    const isRegion = (other: Sample['labels']): boolean => other['region'] === name;
    const writes = (metrics: MetricsText): number =>
      metrics.sum('gridkeep_region_writes_total', isRegion);
    regions.set(name, {
      entries: value,
      bytes: b.sum('gridkeep_region_value_bytes', isRegion),
      writesPerSecond: Math.max(0, writes(b) - writes(a)) / seconds,
    });
  }
  return regions;
}

/** Requests by the upper bound of their duration, each bucket including all shorter ones. */
type Buckets = readonly { readonly upTo: number; readonly count: number }[];

function bucketsBetween(a: MetricsText, b: MetricsText): Buckets {
  const counts = new Map<number, number>();
  const add = (metrics: MetricsText, sign: 1 | -1): void => {
    for (const { labels, value } of metrics.list('gridkeep_http_request_duration_seconds_bucket')) {
      if (!isTraffic(labels)) continue;
      const upTo = labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels['le']);
      counts.set(upTo, (counts.get(upTo) ?? 0) + sign * value);
    }
  };
  add(b, 1);
  add(a, -1);
  return [...counts]
    .map(([upTo, count]) => ({ upTo, count }))
    .sort((left, right) => left.upTo - right.upTo);
}

/** By linear interpolation inside the bucket, as Prometheus does it; null for no requests. */
export function quantile(buckets: Buckets, share: number): number | null {
  const total = buckets.at(-1)?.count ?? 0;
  if (total <= 0) return null;
  const rank = share * total;
  let lower = 0;
  let below = 0;
  for (const { count, upTo } of buckets) {
    if (count >= rank) {
      if (!Number.isFinite(upTo)) return lower;
      const inside = count - below;
      return inside <= 0 ? upTo : lower + (upTo - lower) * ((rank - below) / inside);
    }
    lower = upTo;
    below = count;
  }
  return lower;
}
