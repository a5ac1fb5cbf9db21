// Compares queries with DuckDB and SQLite, interleaved, in process and over HTTP; the first query on a
// cold region; and the memory of columns.

import { showStep } from '../shared/progress.ts';
import { measureUndisturbed } from '../shared/stolen-time.ts';
import { median, printTable } from '../shared/tables.ts';
import type { BenchRun } from './bench-run.ts';
import { type Figure, judge } from './figures.ts';
import { type Work, work } from './work.ts';

const NAMES = ['gridkeep', 'http', 'duckdb', 'jsonb', 'text'] as const;
type Name = (typeof NAMES)[number];

/** Milliseconds of one round; SQLite runs only in some rounds. */
type Times = Readonly<Partial<Record<Name, number>>>;

export interface Measured {
  readonly work: Work;
  readonly rounds: readonly Times[];
  /** Bytes of the result as JSON. */
  readonly bytes: number;
}

/** Queries over columns take milliseconds, so medians of many runs are cheap and stable. */
const RUNS_PER_ROUND = 3;
/** SQLite is slow and needs no warm-up. JSON text, which has no bar, runs once. */
const ROUNDS_OF: Readonly<Partial<Record<Name, number>>> = { jsonb: 5, text: 1 };
const COLD_ROUNDS = 5;
const MEMORY_BAR_MIB = 150;
const COLD_BAR = 1.5;
const COLD_SCAN =
  "SELECT count(*) FROM {orders} WHERE json_extract({x}, '$.status') = 'paid' AND json_extract({x}, '$.quantity') > 50";

/** Runs every query once, which loads their columns. */
export async function measureMemory({ service }: BenchRun): Promise<Figure> {
  const before = await service.call('memory');
  for (const { name, oql } of work) {
    showStep(`loading columns for ${name}`);
    await service.call('run', oql);
  }
  const mib = ((await service.call('memory')) - before) / 2 ** 20;
  return judge({
    title: 'columns of these queries',
    value: mib,
    shown: `${mib.toFixed(0)} MiB`,
    bar: { most: MEMORY_BAR_MIB },
    detail: 'growth of heap and buffers, garbage collected',
  });
}

/** The first query on a region without columns, compared with one scan with json_extract. */
export async function measureCold({ service, stores, settings }: BenchRun): Promise<Figure> {
  const { text } = await stores();
  const [first] = work;
  if (first === undefined) throw new Error('There is no work');
  const ours: number[] = [];
  const scans: number[] = [];
  for (let round = 1; round <= Math.min(COLD_ROUNDS, settings.rounds); round += 1) {
    showStep(`first query on a cold region: ${round}`);
    const ms = await measureUndisturbed(async () => ({
      scan: await time(() => text.run(COLD_SCAN)),
      query: (await service.call('runCold', first.oql)).ms,
    }));
    scans.push(ms.scan);
    ours.push(ms.query);
  }
  // The machine changes its speed between rounds.
  const value = median(ours.map((ms, round) => ms / (scans[round] ?? 0)));
  return judge({
    title: 'first query on a cold region ÷ json_extract scan',
    value,
    shown: value.toFixed(2),
    bar: { most: COLD_BAR },
    detail: `${median(ours).toFixed(0)} ms, ${median(scans).toFixed(0)} ms`,
  });
}

export async function compareQueries(
  run: BenchRun,
  isWanted: (item: Work) => boolean,
): Promise<readonly Measured[]> {
  const measured: Measured[] = [];
  for (const item of work) if (isWanted(item)) measured.push(await compare(run, item));
  return measured;
}

async function compare({ service, stores, settings }: BenchRun, item: Work): Promise<Measured> {
  const { duckdb, jsonb, text } = await stores();
  let bytes = 0;
  const runs: Record<Name, () => Promise<number>> = {
    gridkeep: async () => {
      const ran = await service.call('run', item.oql);
      bytes = ran.bytes;
      return ran.ms;
    },
    http: async () => (await service.runOverHttp(item.oql)).ms,
    duckdb: () => time(() => duckdb.run(item.duckdb)),
    jsonb: () => time(() => jsonb.run(item.sqlite)),
    text: () => time(() => text.run(item.sqlite)),
  };
  const rounds: Times[] = [];
  const runsOfEach = settings.rounds * RUNS_PER_ROUND;
  const runEach = async (round: number): Promise<Times> => {
    showStep(`${item.name}: ${round} of ${runsOfEach}`);
    // They alternate in going first, because each finds the caches that the previous one filled.
    const first = round % NAMES.length;
    const ran: Partial<Record<Name, number>> = {};
    for (const name of [...NAMES.slice(first), ...NAMES.slice(0, first)]) {
      const most = ROUNDS_OF[name];
      if (most !== undefined && (round === 0 || round > most)) continue;
      ran[name] = await runs[name]();
    }
    return ran;
  };
  await runEach(0);
  for (let round = 1; round <= runsOfEach; round += 1) {
    rounds.push(await measureUndisturbed(() => runEach(round)));
  }
  return { work: item, rounds, bytes };
}

function medianOf(rounds: readonly Times[], name: Name): number {
  return median(rounds.flatMap((times) => times[name] ?? []));
}

async function time(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

/** The ratios with their bars. */
export function toFigures(measured: readonly Measured[]): readonly Figure[] {
  return measured.flatMap(({ work: { name, bars }, rounds }) => [
    ratio(`${name} ÷ DuckDB`, rounds, 'duckdb', bars.duckdb),
    ratio(`${name} ÷ SQLite jsonb`, rounds, 'jsonb', bars.jsonb),
  ]);
}

/** The median of the ratios of each round, because the machine changes its speed between rounds. */
function ratio(title: string, rounds: readonly Times[], other: Name, most: number): Figure {
  const both = rounds.filter((times) => times[other] !== undefined);
  const value = median(both.map((times) => (times.gridkeep ?? 0) / (times[other] ?? 0)));
  const detail = `${medianOf(both, 'gridkeep').toFixed(1)} ms, ${medianOf(both, other).toFixed(1)} ms`;
  return judge({ title, value, shown: value.toFixed(3), bar: { most }, detail });
}

export function printTimes(measured: readonly Measured[], rows: number): string {
  const perRow = (ms: number): string => ((ms / rows) * 1e6).toFixed(1);
  const header = ['ns per row', 'gridkeep', 'over HTTP', 'DuckDB', 'jsonb', 'json text', 'answer'];
  const lines = measured.map(({ work: { name }, rounds, bytes }) => [
    name,
    ...NAMES.map((store) => perRow(medianOf(rounds, store))),
    `${bytes} B`,
  ]);
  return printTable([header, ...lines]);
}
