// The measured gridkeep in a separate process: a store on disk, a grid over it, and the same grid over
// HTTP. The benchmark calls it by messages; queries "in process" run and are timed here.
//
//   node --expose-gc service.ts ROWS

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { LoopRounds } from '../../src/app/loop-rounds.ts';
import { defaultLimits } from '../../src/app/testing/default-limits.ts';
import { tuneV8 } from '../../src/app/tune-v8.ts';
import type { Change, Engine } from '../../src/engine/engine.ts';
import { openSqliteEngine } from '../../src/engine/sqlite/sqlite-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { Grid } from '../../src/grid/index.ts';
import { startServer } from '../../src/http/server.ts';
import { observeNothing } from '../../src/observe/observation.ts';
import {
  CUSTOMERS,
  keyOf,
  makeCustomer,
  makeOrder,
  ORDERS,
  orderJson,
  UNQUERIED_REGION,
} from './orders.ts';

const ROWS_PER_WRITE = 5000;
const rounds = new LoopRounds();

export interface Ran {
  readonly ms: number;
  /** Bytes of the result as JSON. */
  readonly bytes: number;
  /** The longest time that this query blocked other requests; 0 if unknown. */
  readonly sliceMs: number;
}

/** The calls that the benchmark may make. */
export interface ServiceCalls {
  port(): number;
  /** Runs a query in this process and reads its whole result as JSON bytes. */
  run(oql: string): Promise<Ran>;
  /** `run` over a grid that has no columns yet. */
  runCold(oql: string): Promise<Ran>;
  createIndex(name: string, kind: string, expression: string): Promise<void>;
  createQuery(id: string, oql: string): Promise<void>;
  /** Bytes on the heap and in array buffers, after a garbage collection. */
  memory(): Promise<number>;
  /** CPU time in milliseconds, of the main thread and of the whole process. */
  cpu(): { readonly main: number; readonly process: number };
  /** Starts to measure the delay of the event loop. */
  watchLoop(): void;
  /** Ends the measurement; returns milliseconds. */
  loopDelay(): { readonly p99: number; readonly max: number };
  close(): Promise<void>;
}

export type Call = {
  [Name in keyof ServiceCalls]: {
    readonly name: Name;
    readonly args: Parameters<ServiceCalls[Name]>;
  };
}[keyof ServiceCalls];

export type FromService =
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly message: string };

const COLLECT_MS = 200;

tuneV8();
const rows = Number(process.argv[2]);
const directory = await mkdtemp(join(tmpdir(), 'gridkeep-bench-'));
await fillStore();
const engine = await openSqliteEngine({ directory });
const grid = await openGrid(engine);
const server = await startServer(serverOptions(grid));
server.open();
/** For the running query: when its slice began, and the longest slice so far. */
let sliceFromMs = 0;
let longestSliceMs = 0;
let delay: ReturnType<typeof monitorEventLoopDelay> | undefined;

const calls: ServiceCalls = {
  port: () => server.port,
  run: (oql) => runWhole(grid, oql),
  runCold: async (oql) => {
    const cold = await openGrid(engine);
    try {
      return await runWhole(cold, oql);
    } finally {
      cold.close();
    }
  },
  createIndex: (name, kind, expression) =>
    grid.createIndex(ORDERS, { name, kind, expression, from: `/${ORDERS} o` }),
  createQuery: (id, oql) => grid.createQuery({ id, oql }),
  memory: async () => {
    globalThis.gc?.();
    // Another thread frees array buffers, which the next collection counts.
    await setTimeout(COLLECT_MS);
    globalThis.gc?.();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  },
  cpu: () => ({ main: sum(process.threadCpuUsage()), process: sum(process.cpuUsage()) }),
  watchLoop: () => {
    delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
  },
  loopDelay: () => {
    delay?.disable();
    // The sampling interval counts as delay.
    const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - 1);
    return {
      p99: late(delay?.percentile(99) ?? 0),
      max: late(delay?.max ?? 0),
    };
  },
  close: async () => {
    await server.close();
    grid.close();
    await engine.close();
    setImmediate(() => process.disconnect?.());
  },
};

process.on('message', (call: Call) => void answer(call));
// The parent process may have died.
process.on('disconnect', () => {
  void rm(directory, { recursive: true, force: true }).finally(() => process.exit());
});
send({ kind: 'ready' });

async function answer({ name, args }: Call): Promise<void> {
  try {
    // Each name goes with its own arguments: see Call.
    const call = calls[name] as (...given: Call['args']) => unknown;
    send({ kind: 'answer', value: await call(...args) });
  } catch (error) {
    send({ kind: 'failed', message: String(error) });
  }
}

function send(message: FromService): void {
  process.send?.(message);
}

function sum({ user, system }: { readonly user: number; readonly system: number }): number {
  return (user + system) / 1000;
}

async function runWhole(on: Grid, oql: string): Promise<Ran> {
  const started = performance.now();
  longestSliceMs = 0;
  sliceFromMs = performance.now();
  let bytes = 0;
  const request = { oql, parameters: [], signal: new AbortController().signal };
  for await (const piece of on.runQuery(request)) bytes += piece.length;
  endSlice();
  return { ms: performance.now() - started, bytes, sliceMs: longestSliceMs };
}

/** Fills the store without syncing, then opens it again with normal settings. */
async function fillStore(): Promise<void> {
  const relaxed = await openSqliteEngine({ directory, durability: 'relaxed' });
  const makeJson = (row: number): string => orderJson(makeOrder(row));
  await fill(relaxed, ORDERS, rows, makeJson);
  await fill(relaxed, UNQUERIED_REGION, rows, makeJson);
  await fill(relaxed, 'customers', CUSTOMERS, (row) => JSON.stringify(makeCustomer(row)));
  await relaxed.close();
}

async function fill(
  into: Engine,
  name: string,
  count: number,
  json: (row: number) => string,
): Promise<void> {
  await into.createRegion(plainRegion(name));
  const region = await into.openRegion(name);
  for (let from = 0; from < count; from += ROWS_PER_WRITE) {
    const changes = Array.from(
      { length: Math.min(ROWS_PER_WRITE, count - from) },
      (_, i): Change => ({ kind: 'put', key: keyOf(from + i), value: json(from + i) }),
    );
    await region?.write(changes);
    const share = Math.round(((from + changes.length) / count) * 100);
    send({ kind: 'progress', text: `filling region ${name}: ${share} %` });
  }
}

async function pauseAndTime(): Promise<void> {
  endSlice();
  await rounds.pause();
  sliceFromMs = performance.now();
}

function endSlice(): void {
  longestSliceMs = Math.max(longestSliceMs, performance.now() - sliceFromMs);
}

function openGrid(over: Engine): Promise<Grid> {
  return Grid.open({
    engine: over,
    limits: defaultLimits,
    observe: observeNothing,
    servers: () => [],
    now: () => performance.now(),
    wallClock: Date.now,
    pause: pauseAndTime,
    busyMs: () => performance.eventLoopUtilization().active,
    isMemoryLow: () => false,
  });
}

function serverOptions(served: Grid): Parameters<typeof startServer>[0] {
  return {
    host: '127.0.0.1',
    port: 0,
    trace: 'safe',
    observe: observeNothing,
    now: () => performance.now(),
    pause: () => rounds.pause(),
    atRoundEnd: (callback) => rounds.atEnd(callback),
    api: {
      grid: served,
      limits: {
        maxBodyBytes: 8 << 20,
        maxJsonDepth: 200,
        maxKeysPerRequest: 1000,
        maxAtomicItems: 10_000,
        maxUnpackedBytes: 1 << 30,
      },
      newKey: () => crypto.randomUUID(),
      printMetrics: async () => '',
      printConfig: () => '{}',
    },
    limits: {
      headersTimeoutMs: 10_000,
      requestTimeoutMs: 60_000,
      timeoutCheckMs: 1000,
      keepAliveTimeoutMs: 5000,
      idleSocketMs: 60_000,
      stalledClientMs: 30_000,
      minAnswerBytesPerSecond: 2048,
      maxAnswerMs: 0,
      maxStreams: 2048,
      maxStreamsPerClient: 1024,
      maxOpenStreams: 256,
      maxOpenStreamsPerLogin: 16,
      maxConnections: 4096,
      maxRequestsInFlight: 4096,
      maxBodyBytesInFlight: 64 << 20,
      maxHeaderBytes: 32_768,
      maxHeaders: 100,
      maxUrlBytes: 32_768,
    },
  };
}
