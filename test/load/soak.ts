// L1: runs at 70 % of the measured maximum for a while. There is no unexpected answer, and neither
// memory nor open files grow.

import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '../faults/client.ts';
import type { ProcessOptions } from '../faults/gridkeep-process.ts';
import { LoadGenerator, median, startLoaded } from './load-generator.ts';

export interface SoakOptions extends ProcessOptions {
  readonly ms: number;
  readonly clients: number;
  readonly onProgress?: (doneMs: number, anonymousBytes: number) => void;
}

export interface SoakFigures {
  readonly maximumPerSecond: number;
  readonly ratePerSecond: number;
  readonly statuses: Readonly<Record<string, number>>;
  /**
   * Growth of the memory after collections. Between two of them V8 lets memory vary by tens of
   * mebibytes.
   */
  readonly slopeMiBPerTenMinutes: number;
  readonly anonymousMiB: number;
  readonly filesBefore: number;
  readonly filesAfter: number;
  readonly loopDelayP99Ms: number;
}

const SAMPLE_MS = 1_000;
/** Samples between two readings of memory, each one sample after a collection. */
const COLLECTED_EVERY = 5;
/** Warm-up until code is compiled and caches are filled: a fifth of the time, at most this. */
const LONGEST_WARM_UP_MS = 300_000;
/** Fixed size of the young generation, which otherwise varies with the load. */
const NODE_OPTIONS = `--max-semi-space-size=2 --import ${new URL('./collect-on-signal.ts', import.meta.url)}`;

export async function runSoak(options: SoakOptions): Promise<SoakFigures> {
  const { clients, ms, onProgress } = options;
  const environment = { ...options.environment, NODE_OPTIONS };
  await using process = await startLoaded({ ...options, environment });
  using generator = new LoadGenerator();
  const { port } = process;
  const warmUpMs = Math.min(3_000, ms / 4);
  await generator.run({ port, connections: clients, ms: warmUpMs });
  const maximum = await generator.run({ port, connections: clients, ms: warmUpMs });
  const rate = maximum.goodPerSecond * 0.7;
  const load = generator.run({ port, connections: clients, ms, rate });
  using client = new Client(port, 1);
  await readLoopDelay(client);
  const samples: (Sample & { readonly files: number })[] = [];
  const delays: number[] = [];
  const started = performance.now();
  let atMs = 0;
  for (let i = 0; atMs < ms - SAMPLE_MS; i += 1) {
    if (i % COLLECTED_EVERY === 0) process.signal('SIGUSR2');
    await delay(SAMPLE_MS);
    atMs = performance.now() - started;
    delays.push(await readLoopDelay(client));
    if (i % COLLECTED_EVERY !== 0) continue;
    const bytes = process.anonymousBytes();
    samples.push({ atMs, bytes, files: process.openFiles() });
    onProgress?.(atMs, bytes);
  }
  const { goodPerSecond, statuses } = await load;
  const steadyFromMs = Math.min(ms / 5, LONGEST_WARM_UP_MS);
  const steady = samples.filter((sample) => sample.atMs >= steadyFromMs);
  return {
    maximumPerSecond: maximum.goodPerSecond,
    ratePerSecond: goodPerSecond,
    statuses,
    slopeMiBPerTenMinutes: slope(steady) * (600_000 / 2 ** 20),
    anonymousMiB: process.anonymousBytes() / 2 ** 20,
    filesBefore: steady[0]?.files ?? 0,
    filesAfter: steady.at(-1)?.files ?? 0,
    loopDelayP99Ms: median(delays) * 1000,
  };
}

/** The delay since the last call. */
async function readLoopDelay(client: Client): Promise<number> {
  const text = (await client.sendTo('GET', '/metrics'))?.text ?? '';
  return Number(/^gridkeep_event_loop_delay_seconds\{quantile="0\.99"\} (\S+)/m.exec(text)?.[1]);
}

interface Sample {
  readonly atMs: number;
  readonly bytes: number;
}

/**
 * Bytes per millisecond: the median of the slopes between all pairs of samples, which ignores a few
 * outliers.
 */
function slope(samples: readonly Sample[]): number {
  const slopes = samples.flatMap((later, i) =>
    samples.slice(0, i).map(({ atMs, bytes }) => (later.bytes - bytes) / (later.atMs - atMs)),
  );
  return median(slopes);
}
