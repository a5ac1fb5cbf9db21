// npm run bench:servers: compares the engines over PostgreSQL and SQLite in one run, and measures a second
// and a third server. Only ratios count; each is shown with its bar.
//
//   --quick        few documents and short rounds: shows that it works, measures nothing
//   --documents N  number of documents (default 200000)
//   --only NAME    only one part: engine, http, standby, catch-up

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultLimits } from '../../src/app/testing/default-limits.ts';
import type { Engine, Region } from '../../src/engine/engine.ts';
import { openPostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { openSqliteEngine } from '../../src/engine/sqlite/sqlite-engine.ts';
import { PostgresServer } from '../../src/engine/testing/postgres-server.ts';
import { Grid } from '../../src/grid/index.ts';
import { copyServer, REPLICATED } from '../../test/cluster/replicated-pair.ts';
import { median, printTable } from '../shared/tables.ts';
import { fillRegion, keyOf, type Measured, makeDocument, measure, spread } from './engine-work.ts';
import { measureCatchingUp, measureServers } from './several-servers.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    documents: { type: 'string' },
    only: { type: 'string' },
  },
});
const documents = options.quick ? 5000 : Number(options.documents ?? 200_000);
const work = { documents, clients: 64, seconds: options.quick ? 0.3 : 4 };

const QUERIES = {
  'warm count': "SELECT COUNT(*) FROM /orders o WHERE o.status = 'paid' AND o.total > 5000",
  'warm GROUP BY': 'SELECT o.status, COUNT(*), SUM(o.total) FROM /orders o GROUP BY o.status',
  'warm top 10': 'SELECT o.id, o.total FROM /orders o ORDER BY o.total DESC LIMIT 10',
  'top 10 documents': 'SELECT o FROM /orders o ORDER BY o.total DESC LIMIT 10',
} as const;

interface Subject {
  readonly engine: Engine;
  readonly region: Region;
  readonly grid: Grid;
}

const directory = await mkdtemp(join(tmpdir(), 'gridkeep-bench-'));
const server = await PostgresServer.start({
  settings: { ...REPLICATED, shared_buffers: '512MB', max_wal_size: '4GB' },
});
const wants = (part: string): boolean => (options.only ?? part) === part;
const changes = options.quick ? [100] : [1000, 10_000, 100_000];
const httpHead = ['HTTP, requests/s', 'GET', 'PUT', 'named query', 'warm scan'];
try {
  const isCompared = wants('engine') || wants('http');
  const sqlite = isCompared ? await open(await openSqliteEngine({ directory })) : undefined;
  const postgres = await open(await openPostgresEngine({ url: server.url() }));
  if (wants('engine') && sqlite !== undefined) {
    const head = ['work', 'SQLite', 'PostgreSQL', 'ratio', 'bar'];
    print([head, ...(await compare(sqlite, postgres))]);
    print([['servers', 'PUT/s', 'p99 ms', 'GET/s'], ...(await addServers(postgres))]);
  }
  if (wants('catch-up')) {
    const rows = await measureCatchingUp(server, postgres, changes, documents);
    print([['changes while away', 'first answer'], ...rows]);
  }
  for (const subject of [sqlite, postgres]) {
    subject?.grid.close();
    await subject?.engine.close();
  }
  if (wants('http')) {
    const one = await measureServers({ data: directory }, [1], work, 'SQLite');
    const store = server.url();
    print([httpHead, ...one, ...(await measureServers({ store }, [1, 2, 3], work, 'PostgreSQL'))]);
  }
  if (wants('standby')) {
    await using standby = await copyServer(server, server.port, REPLICATED);
    await server.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await server.query('SELECT pg_reload_conf()');
    const title = 'synchronous standby';
    print([httpHead, ...(await measureServers({ store: server.url() }, [1, 2], work, title))]);
    await standby.kill();
  }
} finally {
  await server[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
}

function print(rows: string[][]): void {
  console.log(printTable(rows));
}

async function open(engine: Engine): Promise<Subject> {
  const region = await fillRegion(engine, documents);
  const grid = await Grid.open({
    engine,
    limits: defaultLimits,
    observe: () => undefined,
    servers: () => [],
    now: () => performance.now(),
    wallClock: () => Date.now(),
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    isMemoryLow: () => false,
  });
  return { engine, region, grid };
}

/** Ratios of rates are PostgreSQL to SQLite, those of times SQLite to PostgreSQL: more is better. */
async function compare(sqlite: Subject, postgres: Subject): Promise<string[][]> {
  const rows: string[][] = [];
  const rate = async (title: string, run: (subject: Subject) => Promise<Measured>, bar: string) => {
    const [one, two] = [await run(sqlite), await run(postgres)];
    const show = ({ p99Ms, perSecond }: Measured) =>
      `${Math.round(perSecond)}/s, p99 ${p99Ms.toFixed(1)} ms`;
    rows.push([title, show(one), show(two), (two.perSecond / one.perSecond).toFixed(2), bar]);
  };
  const time = async (title: string, run: (subject: Subject) => Promise<number>, bar: string) => {
    const [one, two] = [await run(sqlite), await run(postgres)];
    rows.push([title, `${one.toFixed(1)} ms`, `${two.toFixed(1)} ms`, (one / two).toFixed(2), bar]);
  };
  await rate('PUT one', ({ region }) => measure(work, (turn) => put(region, turn)), '>= 0.6');
  await rate('REPLACE 10', ({ region }) => measure(work, (turn) => replace(region, turn)), '');
  await rate(
    'GET one',
    ({ region }) => measure(work, (turn) => region.read([keyOf(spread(turn, documents))])),
    '>= 0.3',
  );
  await rate('GET 100', ({ region }) => measure(work, (turn) => region.read(keysFrom(turn))), '');
  await time('scan', scan, '>= 0.5');
  await time('first query', ({ grid }) => ask(grid, QUERIES['warm count']), '');
  for (const [title, oql] of Object.entries(QUERIES)) {
    const askOften = async ({ grid }: Subject): Promise<number> => {
      const times: number[] = [];
      for (let i = 0; i < 9; i += 1) times.push(await ask(grid, oql));
      return median(times);
    };
    await time(title, askOften, '>= 0.67');
  }
  return rows;
}

/** All servers run in this process, to measure the store without the cost of processes. */
async function addServers({ engine, region }: Subject): Promise<string[][]> {
  const rows: string[][] = [];
  const regions = [region];
  const others: Engine[] = [];
  for (let count = 1; count <= 3; count += 1) {
    const of = (turn: number): Region => regions[turn % count] ?? region;
    // Each server has its own clients.
    const load = { ...work, clients: count * work.clients };
    const puts = await measure(load, (turn) => put(of(turn), turn));
    const gets = await measure(load, (turn) => of(turn).read([keyOf(spread(turn, documents))]));
    rows.push([
      String(count),
      String(Math.round(puts.perSecond)),
      puts.p99Ms.toFixed(1),
      String(Math.round(gets.perSecond)),
    ]);
    const another = await openPostgresEngine({ url: server.url() });
    others.push(another);
    regions.push((await another.openRegion('orders')) ?? region);
  }
  for (const other of others) await other.close();
  // The first server has received all commits.
  await engine.catchUp();
  return rows;
}

function put(region: Region, turn: number): unknown {
  const key = keyOf(spread(turn, documents));
  return region.write([{ kind: 'put', key, value: makeDocument(turn) }]);
}

function replace(region: Region, turn: number): unknown {
  const changes = Array.from({ length: 10 }, (_, i) => ({
    kind: 'put' as const,
    key: keyOf(spread(turn * 10 + i, documents)),
    value: makeDocument(turn),
  }));
  return region.write(changes, [{ kind: 'all-present' }]);
}

function keysFrom(turn: number): readonly string[] {
  return Array.from({ length: 100 }, (_, i) => keyOf(spread(turn * 100 + i, documents)));
}

async function scan({ engine }: Subject): Promise<number> {
  const snapshot = await engine.openSnapshot();
  const startMs = performance.now();
  let count = 0;
  for await (const { keys } of snapshot.scan('orders', {}, 'entries')) count += keys.ends.length;
  snapshot.close();
  if (count !== documents) throw new Error(`The scan shows ${count} entries`);
  return performance.now() - startMs;
}

async function ask(grid: Grid, oql: string): Promise<number> {
  const startMs = performance.now();
  const answer = await grid.answerQuery({ oql, parameters: [], signal: { aborted: false } });
  if (typeof answer !== 'string') for await (const _ of answer);
  return performance.now() - startMs;
}
