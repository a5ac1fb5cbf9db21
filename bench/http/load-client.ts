// The load generator: a closed loop over raw sockets, in a separate process that spends little CPU time
// per request. It answers each job with its figures.

import { Connection } from '../shared/connection.ts';
import { makeRequests, readEverything, type WorkName } from './work.ts';

export interface Job {
  readonly port: number;
  /** `everything` is a single request, and ends with its answer. */
  readonly work: WorkName | 'everything';
  readonly entries: number;
  readonly connections: number;
  readonly ms: number;
}

export interface JobResult {
  readonly requests: number;
  readonly bytes: number;
  readonly ms: number;
  /** 99th percentile of latencies. */
  readonly p99Ms: number;
  /** CPU time of this process in milliseconds. */
  readonly clientCpuMs: number;
}

async function run({ connections, entries, ms, port, work }: Job): Promise<JobResult> {
  const host = `127.0.0.1:${port}`;
  const requests =
    work === 'everything' ? [readEverything(host)] : makeRequests(work, host, entries);
  const method = requests[0]?.toString('latin1', 0, 4).trimEnd() ?? 'GET';
  const latencies: number[] = [];
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const stride = Math.floor(requests.length / connections);
  const opened = Array.from({ length: connections }, (_, i) => {
    let next = i * stride;
    let sentMs = 0;
    const send = (): void => {
      const request = requests[next % requests.length];
      next += 1;
      sentMs = performance.now();
      if (request !== undefined) connection.send(request);
    };
    const connection = new Connection(method, () => {
      latencies.push(performance.now() - sentMs);
      if (work === 'everything') finish();
      else send();
    });
    return { connection, send };
  });
  await Promise.all(opened.map(({ connection }) => connection.open(port)));
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  for (const { send } of opened) send();
  if (work !== 'everything') setTimeout(finish, ms);
  await finished;
  const elapsed = performance.now() - started;
  const cpu = process.cpuUsage(cpuBefore);
  const bytes = opened.reduce((sum, { connection }) => sum + connection.bytes, 0);
  for (const { connection } of opened) connection.close();
  return {
    requests: latencies.length,
    bytes,
    ms: elapsed,
    p99Ms: latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length * 0.99)] ?? 0,
    clientCpuMs: (cpu.user + cpu.system) / 1000,
  };
}

process.on('message', (job: Job) => {
  void run(job).then((result) => process.send?.(result));
});
