// The load generator of the query benchmark, in a separate process: either a closed loop for throughput,
// or a fixed rate for latencies, at which a stalled request does not delay others.

import { Connection } from '../shared/connection.ts';
import { makeRequests, type RequestKind } from './requests.ts';

export interface Job {
  readonly port: number;
  readonly work: RequestKind;
  readonly region: string;
  readonly rows: number;
  readonly connections: number;
  readonly ms: number;
  /** Requests per second; a closed loop when absent. */
  readonly perSecond?: number;
}

export interface JobResult {
  readonly requests: number;
  readonly bytes: number;
  readonly ms: number;
  /** For a job with a rate: milliseconds of each request. */
  readonly latencies: readonly number[];
}

/** Created once; a repeated job continues where it stopped. */
class RequestRing {
  readonly method: string;
  readonly #requests: readonly Buffer[];
  #next = 0;

  constructor(requests: readonly Buffer[]) {
    this.#requests = requests;
    this.method = requests[0]?.toString('latin1', 0, 4).trimEnd() ?? 'GET';
  }

  send(connection: Connection): void {
    const request = this.#requests[this.#next % this.#requests.length];
    this.#next += 1;
    if (request !== undefined) connection.send(request);
  }
}

const rings = new Map<string, RequestRing>();

function findRing({ port, region, rows, work }: Job): RequestRing {
  const name = `${work} ${region} ${rows} ${port}`;
  const known = rings.get(name);
  if (known !== undefined) return known;
  const ring = new RequestRing(makeRequests(work, { host: `127.0.0.1:${port}`, region, rows }));
  rings.set(name, ring);
  return ring;
}

async function run(job: Job): Promise<JobResult> {
  const ring = findRing(job);
  return job.perSecond === undefined
    ? runClosed(job, ring)
    : runPaced(job, ring, { perSecond: job.perSecond });
}

async function runClosed({ connections, ms, port }: Job, ring: RequestRing): Promise<JobResult> {
  let answered = 0;
  const opened = Array.from({ length: connections }, () => {
    const connection: Connection = new Connection(ring.method, () => {
      answered += 1;
      ring.send(connection);
    });
    return connection;
  });
  await Promise.all(opened.map((connection) => connection.open(port)));
  const started = performance.now();
  for (const connection of opened) ring.send(connection);
  await new Promise((resolve) => setTimeout(resolve, ms));
  return finish(opened, { requests: answered, ms: performance.now() - started, latencies: [] });
}

/** Times a request from its scheduled time, even if it waits for a connection. */
async function runPaced(
  { connections, ms, port }: Job,
  ring: RequestRing,
  { perSecond }: { readonly perSecond: number },
): Promise<JobResult> {
  const latencies: number[] = [];
  const waiting: number[] = [];
  const idle: Lane[] = [];
  const lanes = Array.from({ length: connections }, () => {
    const lane: Lane = {
      dueMs: 0,
      connection: new Connection(ring.method, () => {
        latencies.push(performance.now() - lane.dueMs);
        idle.push(lane);
        sendWaiting();
      }),
    };
    return lane;
  });
  function sendWaiting(): void {
    for (let lane = idle.pop(); lane !== undefined; lane = idle.pop()) {
      const dueMs = waiting.shift();
      if (dueMs === undefined) {
        idle.push(lane);
        return;
      }
      lane.dueMs = dueMs;
      ring.send(lane.connection);
    }
  }
  const opened = lanes.map(({ connection }) => connection);
  await Promise.all(opened.map((connection) => connection.open(port)));
  idle.push(...lanes);
  const started = performance.now();
  let planned = 0;
  await new Promise<void>((resolve) => {
    const tick = (): void => {
      const now = performance.now();
      const wanted = ((now - started) / 1000) * perSecond;
      // Timers are coarse, so all requests that became due are sent now.
      for (; planned < wanted; planned += 1) waiting.push(now);
      sendWaiting();
      if (now - started < ms) setTimeout(tick, 1);
      else resolve();
    };
    tick();
  });
  // Waits for the requests in flight, and counts them.
  while (latencies.length < planned) await new Promise((resolve) => setTimeout(resolve, 5));
  return finish(opened, {
    requests: latencies.length,
    ms: performance.now() - started,
    latencies,
  });
}

interface Lane {
  readonly connection: Connection;
  /** Scheduled time of the request in flight. */
  dueMs: number;
}

function finish(opened: readonly Connection[], result: Omit<JobResult, 'bytes'>): JobResult {
  const bytes = opened.reduce((total, connection) => total + connection.bytes, 0);
  for (const connection of opened) connection.close();
  return { ...result, bytes };
}

process.on('message', (job: Job) => {
  void run(job).then((result) => process.send?.(result));
});
