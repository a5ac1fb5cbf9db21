// Shared by the load tests: a filled service, the process that loads it, and a probe that pings all the
// time.

import { LoadProcess } from '../../bench/shared/load-process.ts';
import { Client } from '../faults/client.ts';
import { GridkeepProcess, type ProcessOptions } from '../faults/gridkeep-process.ts';
import type { Job, JobResult } from './load-client.ts';

export const KEYS = 400;
const REGION = 'load';

/** A service with the region `load` of `KEYS` small entries. */
export async function startLoaded(options: ProcessOptions): Promise<GridkeepProcess> {
  const process = await GridkeepProcess.start({
    ...options,
    yaml: `regions: [{ name: ${REGION} }]\n`,
  });
  using client = new Client(process.port);
  const keys = Array.from({ length: KEYS }, (_, i) => `k${i}`);
  const body = `[${keys.map((_, i) => `{"n":${i},"pad":"${'x'.repeat(150)}"}`).join(',')}]`;
  await client.require('PUT', `/${REGION}?keys=${keys.join(',')}`, { body });
  return process;
}

/** The process that loads the service; its jobs use the keys of `startLoaded` unless they name others. */
export class LoadGenerator implements Disposable {
  readonly #process = new LoadProcess<Job, JobResult>(new URL('./load-client.ts', import.meta.url));

  run(job: Omit<Job, 'keys' | 'work'> & Partial<Job>): Promise<JobResult> {
    return this.#process.run({ keys: KEYS, work: 'mixed', ...job });
  }

  [Symbol.dispose](): void {
    this.#process.stop();
  }
}

/** Sends pings one after another on one connection, until stopped. */
export class PingProbe {
  readonly #times: number[] = [];
  readonly #statuses = new Set<number>();
  readonly #done: Promise<void>;
  #isOver = false;

  constructor(port: number) {
    this.#done = this.#run(port);
  }

  async stop(): Promise<{
    readonly p99Ms: number;
    readonly count: number;
    readonly statuses: readonly number[];
  }> {
    this.#isOver = true;
    await this.#done;
    const times = this.#times.sort((a, b) => a - b);
    const p99Ms = times[Math.floor(times.length * 0.99)] ?? 0;
    return { p99Ms, count: times.length, statuses: [...this.#statuses].sort() };
  }

  async #run(port: number): Promise<void> {
    using client = new Client(port, 1);
    while (!this.#isOver) {
      const started = performance.now();
      const reply = await client.send('GET', '/ping');
      this.#times.push(performance.now() - started);
      this.#statuses.add(reply?.status ?? 0);
      // A pause, so that the probe does not use a whole core.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
