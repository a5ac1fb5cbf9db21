// L5: an endless query with a time limit, then many at once.

import { Client, codeOf } from '../faults/client.ts';
import { GridkeepProcess } from '../faults/gridkeep-process.ts';
import { PingProbe } from './load-generator.ts';

export interface CostlyFigures {
  /** Milliseconds from the request to the refusal. */
  readonly tookMs: readonly number[];
  readonly outcomes: readonly string[];
  readonly pingP99Ms: number;
  /** Largest number of running queries that the service reported. */
  readonly mostRunning: number;
  readonly outcomesAtOnce: Readonly<Record<string, number>>;
}

const LIMIT_MS = 200;
const ENTRIES = 100;
const AT_ONCE = 20;

export async function runCostlyQueries(options: {
  readonly runs: number;
  readonly maxConcurrent: number;
}): Promise<CostlyFigures> {
  await using process = await GridkeepProcess.start({
    yaml: 'regions: [{ name: a }]\n',
    // As many may wait, so that the others of `AT_ONCE` are refused.
    flags: ['max-concurrent', 'max-waiting'].flatMap((name) => [
      `--query-${name}`,
      String(options.maxConcurrent),
    ]),
  });
  using client = new Client(process.port);
  const keys = Array.from({ length: ENTRIES }, (_, i) => `k${i}`);
  const body = `[${keys.map((_, i) => `{"n":${i}}`).join(',')}]`;
  await client.require('PUT', `/a?keys=${keys.join(',')}`, { body });
  const from = ['v', 'w', 'x', 'y', 'z'].map((name) => `/a ${name}`).join(', ');
  const oql = `SELECT COUNT(*) FROM ${from} WHERE v.n + w.n + x.n + y.n + z.n < 0`;
  const path = `/queries/adhoc?timeout=${LIMIT_MS}&q=${encodeURIComponent(oql)}`;
  const tookMs: number[] = [];
  const outcomes = new Set<string>();
  await client.send('GET', path);
  const probe = new PingProbe(process.port);
  for (let run = 0; run < options.runs; run += 1) {
    const started = performance.now();
    const reply = await client.send('GET', path);
    tookMs.push(performance.now() - started);
    outcomes.add(`${reply?.status} ${codeOf(reply)}`);
  }
  const { p99Ms } = await probe.stop();

  const outcomesAtOnce: Record<string, number> = {};
  let isOver = false;
  let mostRunning = 0;
  const watch = (async () => {
    while (!isOver) {
      const reply = await client.sendTo('GET', '/metrics');
      const running = Number(/^gridkeep_queries_running (\d+)/m.exec(reply?.text ?? '')?.[1] ?? 0);
      mostRunning = Math.max(mostRunning, running);
    }
  })();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const reply = await client.send('GET', path);
      const outcome = `${reply?.status} ${codeOf(reply)}`;
      outcomesAtOnce[outcome] = (outcomesAtOnce[outcome] ?? 0) + 1;
    }),
  );
  isOver = true;
  await watch;
  return { tookMs, outcomes: [...outcomes], pingP99Ms: p99Ms, mostRunning, outcomesAtOnce };
}
