// The throughput of an engine with clients in a closed loop; the same work for every engine.

import type { Engine, Region } from '../../src/engine/engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';

export interface WorkOptions {
  readonly documents: number;
  readonly clients: number;
  readonly seconds: number;
}

export interface Measured {
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** About 360 bytes, like an order. */
export function makeDocument(number: number): string {
  return JSON.stringify({
    id: number,
    status: ['new', 'paid', 'late', 'done'][number % 4],
    total: (number * 37) % 10_000,
    customer: number % 997,
    note: 'x'.repeat(280),
  });
}

export function keyOf(number: number): string {
  return `k${String(number).padStart(8, '0')}`;
}

export async function fillRegion(engine: Engine, documents: number): Promise<Region> {
  await engine.createRegion(plainRegion('orders'));
  const region = await engine.openRegion('orders');
  if (region === undefined) throw new Error('The region was not made');
  let next = 0;
  const fill = async (): Promise<void> => {
    while (next < documents) {
      const from = next;
      next += 500;
      const changes = Array.from({ length: Math.min(500, documents - from) }, (_, i) => ({
        kind: 'put' as const,
        key: keyOf(from + i),
        value: makeDocument(from + i),
      }));
      await region.write(changes);
    }
  };
  await Promise.all(Array.from({ length: 4 }, fill));
  return region;
}

/** Runs `work` with this many clients until the time is over. */
export async function measure(
  { clients, seconds }: WorkOptions,
  work: (turn: number) => unknown,
): Promise<Measured> {
  const latencies: number[] = [];
  let turn = 0;
  const startMs = performance.now();
  const endMs = startMs + seconds * 1000;
  const client = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const begin = performance.now();
      turn += 1;
      await work(turn);
      latencies.push(performance.now() - begin);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const elapsed = (performance.now() - startMs) / 1000;
  latencies.sort((a, b) => a - b);
  return {
    perSecond: latencies.length / elapsed,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  };
}

/** A pseudo-random key, the same for every engine. */
export function spread(turn: number, documents: number): number {
  return (turn * 7919) % documents;
}
