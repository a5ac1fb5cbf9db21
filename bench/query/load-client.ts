// The load of the query benchmark, in a process of its own. Either as much as the
// service takes (closed loop, for throughput) or so many requests a second
// whatever it takes (for latencies: one that stalls does not keep others from being sent).

import { Connection } from '../shared/connection.ts';
import { makeRequests, type RequestKind } from './requests.ts';

export interface Job {
  readonly port: number;
  readonly work: RequestKind;
  readonly region: string;
  readonly rows: number;
  readonly connections: number;
  readonly ms: number;
  /** Absent: as many as are answered. */
  readonly perSecond?: number;
}

export interface JobResult {
  readonly requests: number;
  readonly bytes: number;
  readonly ms: number;
  /** Of a job with a rate: milliseconds of each request. */
  readonly latencies: readonly number[];
}

async function run(job: Job): Promise<JobResult> {
  const requests = makeRequests(job.work, {
    host: `127.0.0.1:${job.port}`,
    region: job.region,
    rows: job.rows,
  });
  const method = requests[0]?.toString('latin1', 0, 4).trimEnd() ?? 'GET';
  return job.perSecond === undefined
    ? runClosed(job, requests, method)
    : runPaced(job, requests, { method, perSecond: job.perSecond });
}

async function runClosed(
  { connections, ms, port }: Job,
  requests: readonly Buffer[],
  method: string,
): Promise<JobResult> {
  let answered = 0;
  let next = 0;
  const send = (connection: Connection): void => {
    const request = requests[next % requests.length];
    next += 1;
    if (request !== undefined) connection.send(request);
  };
  const opened = Array.from({ length: connections }, () => {
    const connection: Connection = new Connection(method, () => {
      answered += 1;
      send(connection);
    });
    return connection;
  });
  await Promise.all(opened.map((connection) => connection.open(port)));
  const started = performance.now();
  for (const connection of opened) send(connection);
  await new Promise((resolve) => setTimeout(resolve, ms));
  return finish(opened, { requests: answered, ms: performance.now() - started, latencies: [] });
}

/** A request is timed from when it was to be sent, though it may wait for a connection. */
async function runPaced(
  { connections, ms, port }: Job,
  requests: readonly Buffer[],
  { method, perSecond }: { readonly method: string; readonly perSecond: number },
): Promise<JobResult> {
  const latencies: number[] = [];
  const waiting: number[] = [];
  const idle: Lane[] = [];
  let sent = 0;
  const lanes = Array.from({ length: connections }, () => {
    const lane: Lane = {
      dueMs: 0,
      connection: new Connection(method, () => {
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
      const request = requests[sent % requests.length];
      if (dueMs === undefined || request === undefined) {
        idle.push(lane);
        return;
      }
      lane.dueMs = dueMs;
      sent += 1;
      lane.connection.send(request);
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
      // Timers are coarse: what became due since the last one is due now.
      for (; planned < wanted; planned += 1) waiting.push(now);
      sendWaiting();
      if (now - started < ms) setTimeout(tick, 1);
      else resolve();
    };
    tick();
  });
  // Those still on their way count as long as the rest of them takes.
  while (latencies.length < planned) await new Promise((resolve) => setTimeout(resolve, 5));
  return finish(opened, {
    requests: latencies.length,
    ms: performance.now() - started,
    latencies,
  });
}

interface Lane {
  readonly connection: Connection;
  /** When the request under way was to be sent. */
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
