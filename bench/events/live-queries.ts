// The cost of live queries per commit, in one process and one run: consecutive writes, with no live query
// and with 1, 10 and 100 of each kind, over regions of two sizes. Every query has a different literal, so
// that no two share their work. Each has a consumer that reads every event.

import { defaultLimits } from '../../src/app/testing/default-limits.ts';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { Grid } from '../../src/grid/index.ts';
import { printTable } from '../shared/tables.ts';

export interface LiveWork {
  readonly documents: number;
  readonly commits: number;
}

interface QueryKind {
  readonly name: string;
  readonly oql: (place: number) => string;
}

const FOLLOWED: QueryKind = {
  name: 'followed',
  oql: (place) =>
    `SELECT o.id, o.total FROM /orders o WHERE o.total > ${place} AND o.status = 'paid'`,
};

const RUN_AGAIN: QueryKind = {
  name: 'run again',
  oql: (place) =>
    `SELECT o.status AS s, COUNT(*) AS n, SUM(o.total) AS t FROM /orders o WHERE o.total > ${place} GROUP BY o.status`,
};

/** Large enough for results of half the region, for every query. */
const LIMITS = { ...defaultLimits, maxLiveBytes: 8 * 2 ** 30, maxLiveRows: 10_000_000 };

interface Subject {
  readonly grid: Grid;
  readonly engine: MemoryEngine;
}

interface Cost {
  /** CPU time of the process. */
  readonly microsecondsPerCommit: number;
  readonly runs: number;
  readonly runMs: number;
  readonly evaluated: number;
}

/** Returns the figures as a table. */
export async function measureLiveQueries({ commits, documents }: LiveWork): Promise<string> {
  const rows = [
    [
      'live queries',
      'documents',
      'CPU µs/commit',
      'for each',
      'entries evaluated/commit',
      'runs',
      'ms/run',
    ],
  ];
  for (const size of [documents / 100, documents]) {
    const { engine, grid } = await openGrid(size);
    // Twice, because the first round is a warm-up.
    await measure({ engine, grid }, commits, size);
    const without = await measure({ engine, grid }, commits, size);
    rows.push(print('none', size, without, without, 0, commits));
    for (const kind of [FOLLOWED, RUN_AGAIN]) {
      for (const count of [1, 10, 100]) {
        // A separate grid, because results of closed queries are kept for a while.
        const own = { engine, grid: await openOver(engine) };
        await follow(own.grid, kind, count);
        await measure(own, Math.ceil(commits / 4), size);
        const cost = await measure(own, commits, size);
        rows.push(print(`${count} ${kind.name}`, size, cost, without, count, commits));
        own.grid.close();
      }
    }
    const stream = await follow(grid, FOLLOWED, 1);
    for (const each of stream) each.close();
    const after = await measure({ engine, grid }, commits, size);
    rows.push(print('one, closed', size, after, without, 0, commits));
    const fresh = await openOver(engine);
    const again = await measure({ engine, grid: fresh }, commits, size);
    fresh.close();
    rows.push(print('none, once more', size, again, without, 0, commits));
    grid.close();
    await engine.close();
  }
  return printTable(rows);
}

async function openGrid(documents: number): Promise<Subject> {
  const engine = new MemoryEngine();
  await engine.createRegion(plainRegion('orders'));
  const region = await engine.openRegion('orders');
  for (let start = 0; start < documents; start += 1_000) {
    const keys = Array.from({ length: Math.min(1_000, documents - start) }, (_, at) => start + at);
    await region?.write(
      keys.map((id) => ({ kind: 'put', key: keyOf(id), value: document(id, 0) })),
    );
  }
  return { engine, grid: await openOver(engine) };
}

function openOver(engine: MemoryEngine): Promise<Grid> {
  return Grid.open({
    engine,
    limits: LIMITS,
    observe: () => undefined,
    servers: () => [],
    now: () => performance.now(),
    wallClock: Date.now,
    pause: () =>
      new Promise((resolve) => {
        setImmediate(resolve);
      }),
    isMemoryLow: () => false,
  });
}

function keyOf(id: number): string {
  return String(id).padStart(8, '0');
}

/** 340 bytes. */
function document(id: number, round: number): string {
  const status = ['placed', 'paid', 'shipped', 'lost'][(id + round) % 4];
  const order = { id, status, total: ((id * 7919 + round) % 10_000) / 10, note: '' };
  const missing = 340 - JSON.stringify(order).length;
  return JSON.stringify({ ...order, note: 'x'.repeat(Math.max(0, missing)) });
}

type Stream = Awaited<ReturnType<Grid['openLiveQuery']>>;

/** Opens this many live queries, each with a consumer that reads all events. */
async function follow(grid: Grid, kind: QueryKind, count: number): Promise<readonly Stream[]> {
  const streams: Stream[] = [];
  for (let place = 0; place < count; place += 1) {
    const oql = kind.oql(place);
    const stream = await grid.openLiveQuery({ readText: () => oql, parameters: [] });
    streams.push(stream);
    void drain(stream);
  }
  return streams;
}

async function drain(stream: Stream): Promise<void> {
  for await (const _ of stream.events());
}

/** Makes consecutive writes, each in its own turn, and waits until all their effects are done. */
async function measure(
  { engine, grid }: Subject,
  commits: number,
  documents: number,
): Promise<Cost> {
  const region = await engine.openRegion('orders');
  const before = grid.liveFigures();
  const cpu = process.cpuUsage();
  for (let round = 0; round < commits; round += 1) {
    const id = (round * 7919) % documents;
    await region?.write([{ kind: 'put', key: keyOf(id), value: document(id, round) }]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { system, user } = process.cpuUsage(cpu);
  const after = grid.liveFigures();
  const runs = after.runs - before.runs;
  return {
    microsecondsPerCommit: (user + system) / commits,
    runs,
    runMs: runs === 0 ? 0 : (1000 * (after.runSeconds - before.runSeconds)) / runs,
    evaluated: after.entriesEvaluated - before.entriesEvaluated,
  };
}

function print(
  name: string,
  documents: number,
  cost: Cost,
  without: Cost,
  queries: number,
  commits: number,
): string[] {
  const more = cost.microsecondsPerCommit - without.microsecondsPerCommit;
  return [
    name,
    String(documents),
    cost.microsecondsPerCommit.toFixed(1),
    queries === 0 ? '' : (more / queries).toFixed(2),
    (cost.evaluated / commits).toFixed(1),
    String(cost.runs),
    cost.runMs.toFixed(1),
  ];
}
