// npm run bench:query: gridkeep's queries beside DuckDB and SQLite, in one run,
// interleaved, medians. Only ratios count; the bar stands beside each.
//
//   --orders N   rows (default 1,000,000)
//   --rounds N   measured rounds (default 5)

import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openGridkeep } from './gridkeep.ts';
import { openDuckDb, openSqlite, sqliteStore } from './stores.ts';
import { type Work, work } from './work.ts';

interface Measured {
  readonly work: Work;
  readonly ms: Readonly<Record<'gridkeep' | 'http' | 'duckdb' | 'jsonb' | 'text', number>>;
}

const { values: options } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    text: { type: 'boolean', default: false },
  },
});
const orders = Number(options.orders);
const rounds = Number(options.rounds);

console.log(`Loading ${orders} orders into gridkeep, DuckDB and SQLite …`);
const gridkeep = await openGridkeep(orders);
const duckdb = await openDuckDb(orders);
const database = openSqlite(orders);
const jsonb = sqliteStore(database, 'jsonb');
const text = sqliteStore(database, 'text');

const cold = await measureCold();
const results: Measured[] = [];
for (const item of work) results.push(await measure(item));
print(results, cold);
await mkdir(new URL('../results/', import.meta.url), { recursive: true });
await writeFile(
  new URL('../results/query.json', import.meta.url),
  JSON.stringify({ orders, rounds, cold, results }, null, 2),
);
await gridkeep.close();
duckdb.close();
database.close();

/** The first query on a region without columns, against one scan with json_extract. */
async function measureCold(): Promise<{ readonly gridkeep: number; readonly scan: number }> {
  const first = work[0];
  if (first === undefined) throw new Error('There is no work');
  const scan = await time(() =>
    text.run(
      "SELECT count(*) FROM {orders} WHERE json_extract({x}, '$.status') = 'paid' AND json_extract({x}, '$.quantity') > 50",
    ),
  );
  return { gridkeep: await time(() => gridkeep.run(first.oql)), scan };
}

async function measure(item: Work): Promise<Measured> {
  const runs = {
    gridkeep: () => gridkeep.run(item.oql),
    http: () => gridkeep.runOverHttp(item.oql),
    duckdb: () => duckdb.run(item.duckdb),
    jsonb: () => jsonb.run(item.sqlite),
    text: () => (options.text ? text.run(item.sqlite) : Promise.resolve(0)),
  };
  const names = Object.keys(runs) as (keyof typeof runs)[]; // the literal above has no others
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]]));
  // One round to warm up; SQLite needs none and is slow.
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      if (round > 2 && (name === 'jsonb' || name === 'text')) continue;
      const ms = await time(runs[name]);
      if (round > 0) times[name]?.push(ms);
    }
  }
  const ms = Object.fromEntries(names.map((name) => [name, median(times[name] ?? [])]));
  process.stderr.write(`${item.name}: ${Math.round(ms['gridkeep'] ?? 0)} ms\n`);
  return { work: item, ms: ms as Measured['ms'] }; // every name of Measured was measured
}

async function time(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

function print(measured: readonly Measured[], coldTimes: typeof cold): void {
  const rows = measured.map(({ work: { name, bars }, ms }) => ({
    query: name,
    'ns/row': round((ms.gridkeep / orders) * 1e6),
    'http ns/row': round((ms.http / orders) * 1e6),
    'DuckDB ns/row': round((ms.duckdb / orders) * 1e6),
    'jsonb ns/row': round((ms.jsonb / orders) * 1e6),
    '÷ DuckDB': verdict(ms.gridkeep / ms.duckdb, bars.duckdb),
    '÷ jsonb': verdict(ms.gridkeep / ms.jsonb, bars.jsonb),
  }));
  console.table(rows);
  console.log(`cold: ${verdict(coldTimes.gridkeep / coldTimes.scan, 1.5)} of a json_extract scan`);
}

function verdict(ratio: number, bar: number): string {
  return `${ratio.toFixed(3)} (bar ${bar}) ${ratio <= bar ? 'met' : 'MISSED'}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
