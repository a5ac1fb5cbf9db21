// Queries compared with other requests: point queries with GET by key, GETs while scans run, and writes
// with columns and indexes to maintain.

import { showStep } from '../shared/progress.ts';
import { measureUndisturbed } from '../shared/stolen-time.ts';
import { median } from '../shared/tables.ts';
import type { BenchRun } from './bench-run.ts';
import { type Figure, judge, percentile } from './figures.ts';
import type { Job, JobResult } from './load-client.ts';
import { ORDERS, UNQUERIED_REGION } from './orders.ts';
import { POINT_OQL, POINT_QUERY, type RequestKind } from './requests.ts';
import { type Work, work } from './work.ts';

const CONNECTIONS = 64;
const GETS_PER_SECOND = 1000;
const WATCH_ROUNDS = 3;
/** Less than elsewhere: the slowest hundredth of the requests decides the p99 of a round. */
const MOST_STOLEN = 0.01;
const POINT_BAR = 0.5;
const P99_BAR_MS = 20;
const WRITE_BAR = 1.3;
/** CPU time of all threads, in microseconds, for a query that finds about 20 entries by an index. */
const CUSTOMER_BAR_US = 250;
const BURST_WRITES = 60_000;
const BURST_BAR_MS = 50;
const BURSTS = 3;
const SLICE_BAR_MS = 5;

interface Round {
  /** Requests per second. */
  readonly rate: number;
  /** CPU time per request in microseconds, of the main thread and of all threads. */
  readonly mainUs: number;
  readonly allUs: number;
  /** Bytes of an answer with its head. */
  readonly bytes: number;
}

async function runRound(
  run: BenchRun,
  job: Omit<Job, 'port' | 'rows' | 'connections'>,
): Promise<Round> {
  const { service, client, settings } = run;
  const port = service.port;
  const before = await service.call('cpu');
  const result = await client.run({
    ...job,
    port,
    rows: settings.rows,
    connections: CONNECTIONS,
  });
  const after = await service.call('cpu');
  const requests = Math.max(1, result.requests);
  return {
    rate: (requests / result.ms) * 1000,
    mainUs: ((after.main - before.main) * 1000) / requests,
    allUs: ((after.process - before.process) * 1000) / requests,
    bytes: result.bytes / requests,
  };
}

interface TurnOptions {
  readonly turnsPerRound: number;
  /** Length of a turn as a share of that of a round. */
  readonly turnShare: number;
  /** Called before each job, unmeasured. */
  readonly prepare?: () => Promise<unknown>;
}

/**
 * Repeats the jobs in short turns, each time with another one first, so that other work on the machine
 * affects all of them alike.
 */
async function takeTurns<Name extends string>(
  run: BenchRun,
  jobs: Readonly<Record<Name, Pick<Job, 'work' | 'region'>>>,
  { turnsPerRound, turnShare, prepare }: TurnOptions,
): Promise<Readonly<Record<Name, readonly Round[]>>> {
  const { rounds, roundMs, warmUpMs } = run.settings;
  const names = Object.keys(jobs) as Name[]; // an object literal has no other keys
  const taken = new Map<Name, Round[]>(names.map((name) => [name, []]));
  const turns = rounds * turnsPerRound;
  const take = async (turn: number, ms: number): Promise<readonly [Name, Round][]> => {
    const first = turn % names.length;
    const figures: [Name, Round][] = [];
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      showStep(`${jobs[name].work}: ${turn} of ${turns}`);
      await prepare?.();
      figures.push([name, await runRound(run, { ...jobs[name], ms })]);
    }
    return figures;
  };
  await take(0, warmUpMs);
  for (let turn = 1; turn <= turns; turn += 1) {
    const figures = await measureUndisturbed(() => take(turn, roundMs * turnShare));
    for (const [name, round] of figures) taken.get(name)?.push(round);
  }
  return Object.fromEntries(taken) as Record<Name, Round[]>; // one entry for each name
}

/** Many and short, because the machine changes its speed within seconds. */
const READ_TURNS = { turnsPerRound: 6, turnShare: 1 / 4 };
/** Long enough for several commits: a busy machine may make ten per second. */
const WRITE_TURNS = { turnsPerRound: 12, turnShare: 1 / 3 };

/** Ratios of one job to another, per turn. */
function compareTurns(
  ours: readonly Round[],
  theirs: readonly Round[],
  pick: (round: Round) => number,
): readonly number[] {
  return ours.flatMap((round, turn) => {
    const other = theirs[turn];
    return other === undefined ? [] : [pick(round) / pick(other)];
  });
}

/** The quartiles between which half of the turns are. */
function showSpread(ratios: readonly number[]): string {
  return `${percentile(ratios, 0.25).toFixed(2)} to ${percentile(ratios, 0.75).toFixed(2)}`;
}

/** Indexed point queries compared with GET of the same entries. */
export async function measurePoint(run: BenchRun): Promise<readonly Figure[]> {
  await prepareIndexes(run);
  await run.service.call('createQuery', POINT_QUERY, POINT_OQL);
  const jobs = {
    'get-one': { work: 'get-one', region: ORDERS },
    'point-named': { work: 'point-named', region: ORDERS },
    'point-adhoc': { work: 'point-adhoc', region: ORDERS },
    'customer-adhoc': { work: 'customer-adhoc', region: ORDERS },
    'get-hundred-keys': { work: 'get-hundred-keys', region: ORDERS },
  } as const;
  const rounds = await takeTurns(run, jobs, READ_TURNS);
  const describe = (kind: keyof typeof rounds): string => {
    const of = (pick: (round: Round) => number): string =>
      median(rounds[kind].map(pick)).toFixed(0);
    return `${of(({ rate }) => rate)}/s, ${of(({ mainUs }) => mainUs)} µs, ${of(({ bytes }) => bytes)} B`;
  };
  const figure = (title: string, kind: 'point-named' | 'point-adhoc'): Figure => {
    const ratios = compareTurns(rounds[kind], rounds['get-one'], ({ rate }) => rate);
    const value = median(ratios);
    return judge({
      title,
      value,
      shown: value.toFixed(2),
      bar: { least: POINT_BAR },
      detail: `half of the turns ${showSpread(ratios)}; ${describe(kind)}; GET ${describe('get-one')}`,
    });
  };
  return [
    figure('indexed point query, named ÷ GET by key', 'point-named'),
    figure('indexed point query, ad hoc ÷ GET by key', 'point-adhoc'),
    customerFigure(rounds['customer-adhoc'], rounds['get-hundred-keys']),
    await measureIndexBuilds(run),
  ];
}

/** How long other requests wait while a column and an index on it are built. */
async function measureIndexBuilds(run: BenchRun): Promise<Figure> {
  showStep('building indexes of a grid without columns');
  const slices: number[] = [];
  for (const oql of INDEXED) slices.push(await longestSlice(run, 'runCold', oql));
  const value = Math.max(...slices);
  return judge({
    title: 'longest slice of building an index',
    value,
    shown: `${value.toFixed(1)} ms`,
    bar: { most: SLICE_BAR_MS },
    detail: `${slices.map((ms) => ms.toFixed(1)).join(', ')} ms, minimum of ${run.settings.rounds} builds each`,
  });
}

/** A query by an index that finds about 20 entries, compared with GET of 100. */
function customerFigure(query: readonly Round[], gets: readonly Round[]): Figure {
  const value = median(query.map(({ allUs }) => allUs));
  const rates = compareTurns(query, gets, ({ rate }) => rate);
  const rate = median(query.map((round) => round.rate)).toFixed(0);
  const bytes = median(query.map((round) => round.bytes)).toFixed(0);
  const getUs = median(gets.map(({ allUs }) => allUs)).toFixed(0);
  return judge({
    title: 'processor time of an indexed equality, about 20 entries',
    value,
    shown: `${value.toFixed(0)} µs`,
    bar: { most: CUSTOMER_BAR_US },
    detail: `${rate}/s, ${bytes} B; GET 100 ${getUs} µs; rate ÷ GET 100 ${median(rates).toFixed(2)}`,
  });
}

/** Creates indexes on three members, and builds each with a query. */
async function prepareIndexes({ service }: BenchRun): Promise<void> {
  if (prepared) return;
  prepared = true;
  showStep('building indexes');
  await service.call('createIndex', 'by-id', 'hash', 'o.id');
  await service.call('createIndex', 'by-customer', 'hash', 'o.customerId');
  await service.call('createIndex', 'by-total', 'range', 'o.total');
  for (const oql of INDEXED) await service.call('run', oql);
}

/** One query for each index. */
const INDEXED = [
  `SELECT * FROM /${ORDERS} o WHERE o.id = 17`,
  `SELECT * FROM /${ORDERS} o WHERE o.customerId = 17`,
  `SELECT * FROM /${ORDERS} o WHERE o.total > 999.98`,
];

let prepared = false;

interface LatencyRound {
  readonly latencies: readonly number[];
  /** Number of query runs during the measurement. */
  readonly runs: number;
  readonly loop: { readonly p99: number; readonly max: number };
}

interface LatencyRounds {
  readonly title: string;
  readonly rounds: readonly LatencyRound[];
  /** Longest slice of a run without GETs. */
  readonly sliceMs: number;
}

/** GETs at a constant rate: alone, beside each query run repeatedly, and beside a cold load. */
export async function measureLatency(run: BenchRun): Promise<readonly Figure[]> {
  const alone = await watchRounds(run, 'GETs alone', undefined);
  const beside: LatencyRounds[] = [];
  for (const item of scans()) {
    const sliceMs = await longestSlice(run, 'run', item.oql);
    const query = (): Promise<unknown> => run.service.runOverHttp(item.oql);
    beside.push({ ...(await watchRounds(run, item.name, query)), sliceMs });
  }
  const cold = work[0]?.oql ?? '';
  const sliceMs = await longestSlice(run, 'runCold', cold);
  const load = (): Promise<unknown> => run.service.call('runCold', cold);
  const loading = { ...(await watchRounds(run, 'loading a cold region', load)), sliceMs };
  const all = beside.flatMap(({ rounds }) => rounds.flatMap(({ latencies }) => latencies));
  return [
    toFigure(alone),
    judge({
      title: 'p99 of GETs beside scans back to back',
      value: percentile(all, 0.99),
      shown: `${percentile(all, 0.99).toFixed(1)} ms`,
      bar: { most: P99_BAR_MS },
      detail: spread(all),
    }),
    ...beside.map((latency) => toFigure(latency, P99_BAR_MS)),
    toFigure(loading, P99_BAR_MS),
  ];
}

/** Several rounds, because a single stall of the machine decides the p99 of a short one. */
async function watchRounds(
  run: BenchRun,
  title: string,
  query: (() => Promise<unknown>) | undefined,
): Promise<LatencyRounds> {
  const rounds: LatencyRound[] = [];
  for (let round = 1; round <= WATCH_ROUNDS; round += 1) {
    rounds.push(await measureUndisturbed(() => watch(run, title, query), MOST_STOLEN));
  }
  return { title, rounds, sliceMs: 0 };
}

/** The minimum of several runs, which other programs disturbed least. */
async function longestSlice(
  { service, settings }: BenchRun,
  how: 'run' | 'runCold',
  oql: string,
): Promise<number> {
  const slices: number[] = [];
  for (let round = 0; round < settings.rounds; round += 1) {
    slices.push((await service.call(how, oql)).sliceMs);
  }
  return Math.min(...slices);
}

/** The queries of the table, and some that hold many values. */
function scans(): readonly Pick<Work, 'name' | 'oql'>[] {
  return [
    ...work,
    { name: 'ORDER BY of all', oql: `SELECT o.id, o.total FROM /${ORDERS} o ORDER BY o.total` },
    { name: 'MEDIAN of all', oql: `SELECT MEDIAN(o.total) FROM /${ORDERS} o` },
    {
      name: 'GROUP BY, many groups',
      oql: `SELECT o.contact, COUNT(*) AS n FROM /${ORDERS} o GROUP BY o.contact`,
    },
  ];
}

async function watch(
  run: BenchRun,
  title: string,
  query: (() => Promise<unknown>) | undefined,
): Promise<LatencyRound> {
  const { service, client, settings } = run;
  showStep(`GETs beside: ${title}`);
  const port = service.port;
  if (query !== undefined) await query();
  await service.call('watchLoop');
  let isOver = false;
  const job: Job = {
    port,
    work: 'get-one',
    region: ORDERS,
    rows: settings.rows,
    connections: CONNECTIONS,
    ms: settings.watchMs,
    perSecond: GETS_PER_SECOND,
  };
  const load = client.run(job).then((result: JobResult) => {
    isOver = true;
    return result;
  });
  let runs = 0;
  for (; query !== undefined && !isOver; runs += 1) await query();
  const { latencies } = await load;
  return { latencies, runs, loop: await service.call('loopDelay') };
}

/** The p99 is the median of the rounds; the detail is that of all of them. */
function toFigure({ title, rounds, sliceMs }: LatencyRounds, most?: number): Figure {
  const p99s = rounds.map(({ latencies }) => percentile(latencies, 0.99));
  const runs = rounds.reduce((total, round) => total + round.runs, 0);
  const late = (pick: (loop: LatencyRound['loop']) => number): string =>
    Math.max(...rounds.map(({ loop }) => pick(loop))).toFixed(1);
  const all = rounds.flatMap(({ latencies }) => latencies);
  const list = p99s.map((p99) => p99.toFixed(1)).join(', ');
  return judge({
    title: `  p99 of GETs: ${title}`,
    value: median(p99s),
    shown: `${median(p99s).toFixed(1)} ms`,
    ...(most === undefined ? {} : { bar: { most } }),
    detail: `rounds ${list} ms; ${spread(all)}; ${runs} runs; loop late p99 ${late(({ p99 }) => p99)}, max ${late(({ max }) => max)}; slice ${sliceMs.toFixed(1)}`,
  });
}

function spread(latencies: readonly number[]): string {
  const at = (share: number): string => percentile(latencies, share).toFixed(1);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}, max ${at(1)} ms of ${latencies.length}`;
}

/** Writes to a region with columns and indexes, compared with the same region without. */
export async function measureWrites(run: BenchRun): Promise<readonly Figure[]> {
  await prepareIndexes(run);
  // The columns of all queries, also if only this part is measured.
  for (const { oql } of scans()) await run.service.call('run', oql);
  return [
    ...(await compareWrites(run, 'put-one', 'PUT one entry')),
    ...(await compareWrites(run, 'put-many', 'PUT 20 entries')),
    await measureBursts(run),
  ];
}

/** Of all columns that the other queries load. */
const ALL_COLUMNS = `SELECT COUNT(*) FROM /${ORDERS} o, o.items i WHERE i.qty >= 10 AND i.price > 90.0
  AND o.status = 'paid' AND o.quantity > 50 AND o.id >= 0 AND o.customerId >= 0 AND o.total >= 0
  AND o.contact LIKE 'Ada B%'`;

/** Lets all columns and indexes have all changes. */
async function applyAll({ service }: BenchRun): Promise<void> {
  await service.call('run', ALL_COLUMNS);
  for (const oql of INDEXED) await service.call('run', oql);
}

interface Burst {
  readonly firstMs: number;
  /** Of the main thread, during the first query. */
  readonly cpuMs: number;
  readonly sliceMs: number;
  readonly nextMs: number;
  /** Of a query that needs all columns, after these two. */
  readonly allMs: number;
}

/** The cost of a burst of writes for the first query after it. */
async function measureBursts(run: BenchRun): Promise<Figure> {
  const bursts: Burst[] = [];
  for (let burst = 1; burst <= BURSTS; burst += 1) {
    showStep(`a burst of writes: ${burst} of ${BURSTS}`);
    bursts.push(await measureUndisturbed(() => measureBurst(run)));
  }
  const value = median(bursts.map(({ firstMs }) => firstMs));
  const list = (pick: (burst: Burst) => number, digits = 0): string =>
    bursts.map((burst) => pick(burst).toFixed(digits)).join(', ');
  return judge({
    title: `first query after a burst of ${BURST_WRITES} writes, median of ${BURSTS} bursts`,
    value,
    shown: `${value.toFixed(0)} ms`,
    bar: { most: BURST_BAR_MS },
    detail: `${list(({ firstMs }) => firstMs)} ms; processor ${list(({ cpuMs }) => cpuMs)} ms; longest slices ${list(({ sliceMs }) => sliceMs, 1)} ms; the next query ${list(({ nextMs }) => nextMs)} ms; then one of all columns ${list(({ allMs }) => allMs)} ms`,
  });
}

async function measureBurst(run: BenchRun): Promise<Burst> {
  const { client, service, settings } = run;
  const oql = work[0]?.oql ?? '';
  await applyAll(run);
  const job = { work: 'put-one', region: ORDERS, port: service.port, rows: settings.rows } as const;
  let written = 0;
  for (const wanted = settings.rows < BURST_WRITES * 4 ? BURST_WRITES / 10 : BURST_WRITES; ; ) {
    written += (await client.run({ ...job, connections: CONNECTIONS, ms: 500 })).requests;
    if (written >= wanted) break;
  }
  const before = await service.call('cpu');
  const first = await service.call('run', oql);
  const after = await service.call('cpu');
  const second = await service.call('run', oql);
  const third = await service.call('run', ALL_COLUMNS);
  return {
    firstMs: first.ms,
    cpuMs: after.main - before.main,
    sliceMs: first.sliceMs,
    nextMs: second.ms,
    allMs: third.ms,
  };
}

async function compareWrites(
  run: BenchRun,
  kind: RequestKind,
  title: string,
): Promise<readonly Figure[]> {
  const jobs = {
    queried: { work: kind, region: ORDERS },
    unqueried: { work: kind, region: UNQUERIED_REGION },
  };
  const rounds = await takeTurns(run, jobs, {
    ...WRITE_TURNS,
    // Changes that one turn left pending would be applied during the next one.
    prepare: () => applyAll(run),
  });
  const figure = (what: string, unit: string, pick: (round: Round) => number): Figure => {
    const ratios = compareTurns(rounds.queried, rounds.unqueried, pick);
    const [ours, plain] = [median(rounds.queried.map(pick)), median(rounds.unqueried.map(pick))];
    return judge({
      title: `${title}, with columns and indexes ÷ without: ${what}`,
      value: median(ratios),
      shown: median(ratios).toFixed(2),
      bar: { most: WRITE_BAR },
      detail: `half of the turns ${showSpread(ratios)}; ${ours.toFixed(1)} ${unit}, ${plain.toFixed(1)} ${unit}`,
    });
  };
  return [
    figure('time', 'µs', ({ rate }) => 1e6 / rate),
    figure('processor, main thread', 'µs', ({ mainUs }) => mainUs),
    figure('processor, all threads', 'µs', ({ allUs }) => allUs),
  ];
}
