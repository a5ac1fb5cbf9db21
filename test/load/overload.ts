// L2: many times the clients that reach the maximum. The service sheds the excess, and keeps its
// throughput.

import type { ProcessOptions } from '../faults/gridkeep-process.ts';
import type { Work } from './load-client.ts';
import { LoadGenerator, median, PingProbe, startLoaded } from './load-generator.ts';

export interface OverloadOptions extends ProcessOptions {
  readonly rounds: number;
  readonly roundMs: number;
  readonly clients: number;
  /** How many times the clients overload it; absent: 10. */
  readonly factor?: number;
  readonly work?: Work;
}

export interface OverloadFigures {
  readonly maximumPerSecond: number;
  readonly goodputPerSecond: number;
  readonly goodputRatio: number;
  /** Time after the overload until the first window that reaches 95 % of the maximum. */
  readonly recoverySeconds: number;
  readonly statuses: readonly string[];
  readonly shed: number;
  readonly withoutRetryAfter: number;
  readonly pingP99Ms: number;
  readonly isAlive: boolean;
}

const RECOVERY_WINDOWS = 20;
/** Time to open the connections, the same for few and many. */
const warmUpMs = 700;

export async function runOverload(options: OverloadOptions): Promise<OverloadFigures> {
  await using process = await startLoaded(options);
  using generator = new LoadGenerator();
  const { clients, factor = 10, roundMs: ms, rounds, work = 'mixed' } = options;
  const { port } = process;
  const probe = new PingProbe(port);
  await generator.run({ port, connections: clients, ms, work });
  const calm: number[] = [];
  const good: number[] = [];
  const statuses = new Set<string>();
  let shed = 0;
  let withoutRetryAfter = 0;
  for (let round = 0; round < rounds; round += 1) {
    calm.push(
      (await generator.run({ port, connections: clients, ms, warmUpMs, work })).goodPerSecond,
    );
    const overload = await generator.run({
      port,
      connections: clients * factor,
      ms,
      warmUpMs,
      work,
    });
    good.push(overload.goodPerSecond);
    for (const status of Object.keys(overload.statuses)) statuses.add(status);
    shed += overload.statuses['503'] ?? 0;
    withoutRetryAfter += overload.withoutRetryAfter;
  }
  const maximumPerSecond = median(calm);
  const goodputPerSecond = median(good);
  const windowMs = 500;
  let windows = 0;
  for (let rate = 0; rate < maximumPerSecond * 0.95 && windows < RECOVERY_WINDOWS; windows += 1) {
    rate = (await generator.run({ port, connections: clients, ms: windowMs, work })).goodPerSecond;
  }
  const { p99Ms } = await probe.stop();
  return {
    maximumPerSecond,
    goodputPerSecond,
    goodputRatio: goodputPerSecond / maximumPerSecond,
    recoverySeconds: (windows * windowMs) / 1000,
    statuses: [...statuses].sort(),
    shed,
    withoutRetryAfter,
    pingP99Ms: p99Ms,
    isAlive: !process.hasEnded,
  };
}
