// L1: at 70 % of the measured maximum for a while. Nothing unexpected is
// answered, and neither memory nor open files grow.

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
   * Least squares over the lowest sample of each tenth of the time after the
   * warm-up: between two collections memory rises and falls by itself.
   */
  readonly slopeMiBPerTenMinutes: number;
  readonly anonymousMiB: number;
  readonly filesBefore: number;
  readonly filesAfter: number;
  readonly loopDelayP99Ms: number;
}

const SAMPLE_MS = 1_000;
const WARM_UP = 0.2;

export async function runSoak(options: SoakOptions): Promise<SoakFigures> {
  const { clients, ms, onProgress } = options;
  await using process = await startLoaded(options);
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
  for (let atMs = 0; atMs < ms - SAMPLE_MS; atMs = performance.now() - started) {
    await delay(SAMPLE_MS);
    const bytes = process.anonymousBytes();
    samples.push({ atMs: performance.now() - started, bytes, files: process.openFiles() });
    delays.push(await readLoopDelay(client));
    onProgress?.(atMs, bytes);
  }
  const { goodPerSecond, statuses } = await load;
  const steady = samples.filter(({ atMs }) => atMs >= ms * WARM_UP);
  return {
    maximumPerSecond: maximum.goodPerSecond,
    ratePerSecond: goodPerSecond,
    statuses,
    slopeMiBPerTenMinutes: slope(lowest(steady)) * (600_000 / 2 ** 20),
    anonymousMiB: process.anonymousBytes() / 2 ** 20,
    filesBefore: steady[0]?.files ?? 0,
    filesAfter: steady.at(-1)?.files ?? 0,
    loopDelayP99Ms: median(delays) * 1000,
  };
}

/** Since it was last asked. */
async function readLoopDelay(client: Client): Promise<number> {
  const text = (await client.sendTo('GET', '/metrics'))?.text ?? '';
  return Number(/^gridkeep_event_loop_delay_seconds\{quantile="0\.99"\} (\S+)/m.exec(text)?.[1]);
}

interface Sample {
  readonly atMs: number;
  readonly bytes: number;
}

const WINDOWS = 10;

function lowest(samples: readonly Sample[]): readonly Sample[] {
  const length = Math.max(1, Math.ceil(samples.length / WINDOWS));
  const windows = Array.from({ length: Math.ceil(samples.length / length) }, (_, i) =>
    samples.slice(i * length, (i + 1) * length),
  );
  return windows.map((window) => window.reduce((low, it) => (it.bytes < low.bytes ? it : low)));
}

/** Bytes per millisecond. */
function slope(samples: readonly Sample[]): number {
  const n = samples.length;
  if (n < 2) return 0;
  const meanAt = samples.reduce((sum, { atMs }) => sum + atMs, 0) / n;
  const meanBytes = samples.reduce((sum, { bytes }) => sum + bytes, 0) / n;
  let above = 0;
  let below = 0;
  for (const { atMs, bytes } of samples) {
    above += (atMs - meanAt) * (bytes - meanBytes);
    below += (atMs - meanAt) ** 2;
  }
  return above / below;
}
