// npm run bench:query: compares gridkeep's queries with DuckDB and SQLite, and with its own other
// requests, interleaved in one run, with medians. Only ratios count; each is shown with its bar. Results
// are written to bench/results/query.json.
//
//   --rows N     orders (default 1,000,000)
//   --rounds N   measured rounds (default 5)
//   --quick      100,000 orders and short rounds: under 30 seconds, judges little
//   --only A,B   parts: table, cold, point, latency, write; or words of a query's name

import { mkdir, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { endProgress } from '../shared/progress.ts';
import { describeRepeats } from '../shared/stolen-time.ts';
import { BenchRun, type Settings } from './bench-run.ts';
import {
  compareQueries,
  type Measured,
  measureCold,
  measureMemory,
  printTimes,
  toFigures,
} from './compare-stores.ts';
import { type Figure, printFigures } from './figures.ts';
import { measureLatency, measurePoint, measureWrites } from './measure-serving.ts';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string' },
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});
const settings: Settings = {
  rows: Number(options.rows ?? (options.quick ? 100_000 : 1_000_000)),
  rounds: Number(options.rounds ?? (options.quick ? 2 : 5)),
  ...(options.quick
    ? { roundMs: 300, warmUpMs: 300, watchMs: 500 }
    : { roundMs: 1500, warmUpMs: 1500, watchMs: 2000 }),
};
const only = options.only.split(',').filter(Boolean);
const PARTS = ['table', 'cold', 'point', 'latency', 'write'];

const run = await BenchRun.open(settings);
const loadBefore = loadavg()[0];
const figures: Figure[] = [];
let measured: readonly Measured[] = [];
try {
  report([await measureMemory(run)]);
  if (isWanted('cold')) report([await measureCold(run)]);
  measured = await compareQueries(run, ({ name }) => isWanted('table') || isNamed(name));
  if (measured.length > 0) console.log(`\n${printTimes(measured, settings.rows)}\n`);
  report(toFigures(measured));
  if (isWanted('point')) report(await measurePoint(run));
  if (isWanted('latency')) report(await measureLatency(run));
  if (isWanted('write')) report(await measureWrites(run));
} finally {
  await run.close();
}
endProgress();
const missed = figures.filter(({ isMet }) => isMet === false).length;
console.log(
  `\n${settings.rows} orders, ${settings.rounds} rounds, medians; ${missed} bars missed; load of the machine ${loadBefore?.toFixed(1)} before, ${loadavg()[0]?.toFixed(1)} after${describeRepeats()}`,
);
await save();

/** Prints figures at once, because a run may be stopped. */
function report(some: readonly Figure[]): void {
  figures.push(...some);
  endProgress();
  if (some.length > 0) console.log(printFigures(some));
}

function isWanted(part: string): boolean {
  return only.length === 0 || only.includes(part);
}

function isNamed(query: string): boolean {
  return only.some((word) => !PARTS.includes(word) && query.includes(word));
}

async function save(): Promise<void> {
  const folder = new URL('../results/', import.meta.url);
  const isWhole = only.length === 0 && !options.quick;
  await mkdir(folder, { recursive: true });
  const { version: node } = process;
  const load = { before: loadBefore, after: loadavg()[0] };
  await writeFile(
    new URL(isWhole ? 'query.json' : 'query-part.json', folder),
    JSON.stringify({ at: new Date(), node, load, settings, figures, measured }, null, 2),
  );
}
