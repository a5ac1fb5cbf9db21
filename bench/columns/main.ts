// node bench/columns/main.ts [orders] [repeats]: the queries of the benchmark over columns alone, without
// store and HTTP, in nanoseconds per order. For work on the executor: every figure is CPU time, beside
// that of a plain loop over bytes, because on a shared machine only ratios within one run are meaningful.

import { ColumnStore } from '../../src/columns/index.ts';
import type { Snapshot } from '../../src/engine/engine.ts';
import { findLines, joinTexts } from '../../src/engine/joined-texts.ts';
import type { ScanBatches, ScanForm } from '../../src/engine/scan-batches.ts';
import { createColumnSource, pinRegions } from '../../src/grid/query/open-columns.ts';
import { readPointOf } from '../../src/grid/query/read-point.ts';
import { shapeSelect } from '../../src/oql/columnar/shape.ts';
import { executeVector } from '../../src/oql/execute/vector/execute-vector.ts';
import { bindQuery, parseQuery } from '../../src/oql/index.ts';
import { createCatalog } from '../../src/oql/reference/testing/memory-source.ts';
import type { EntryBytes } from '../../src/value/entry-bytes.ts';
import { CUSTOMERS, makeCustomer, makeOrder, orderJson } from '../query/orders.ts';
import { work } from '../query/work.ts';

const orders = Number(process.argv[2] ?? 300_000);
const repeats = Number(process.argv[3] ?? 7);
const only = process.argv[4];
const BATCH = 512;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function makeBatches(count: number, make: (row: number) => string): EntryBytes[] {
  const encoder = new TextEncoder();
  const batches: EntryBytes[] = [];
  for (let start = 0; start < count; start += BATCH) {
    const rows = Array.from(
      { length: Math.min(BATCH, count - start) },
      (_, index) => start + index,
    );
    const keys = joinTexts(rows.map((row) => String(row).padStart(8, '0')));
    batches.push({ keys, values: findLines(encoder.encode(rows.map(make).join('\n'))) });
  }
  return batches;
}

const regions = new Map([
  ['orders', makeBatches(orders, (row) => orderJson(makeOrder(row)))],
  ['customers', makeBatches(CUSTOMERS, (row) => JSON.stringify(makeCustomer(row)))],
]);

const notScanned = (): never => {
  throw new Error('entries are scanned as bytes');
};
const scans: { [Form in ScanForm]: (region: string) => AsyncIterable<ScanBatches[Form]> } = {
  async *entries(region) {
    yield* regions.get(region) ?? [];
  },
  values: notScanned,
  keys: notScanned,
};

const snapshot: Snapshot = {
  sequence: 1,
  count: (region) => (region === 'orders' ? orders : CUSTOMERS),
  read: () => Promise.reject(new Error('nothing is read by key')),
  readNext: () => Promise.reject(new Error('nothing is read by key')),
  scan: (region, _range, form) => scans[form](region),
  close: () => undefined,
};

const catalog = createCatalog({ orders: { entries: [] }, customers: { entries: [] } });
const store = new ColumnStore(1 << 30, 1);
const yieldToLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function run(text: string): Promise<{ rows: number; buildMs: number; ms: number }> {
  const query = bindQuery(parseQuery(text), catalog);
  const shape = shapeSelect(query.body);
  if (!('select' in shape)) throw new Error(shape.reason);
  const pins = pinRegions(store, query.regions);
  const columns = createColumnSource(readPointOf(snapshot, catalog), pins);
  const begun = cpuMs();
  const tables = await columns.openTables(shape.requests, {
    isSliceOver: () => false,
    pause: yieldToLoop,
  });
  const built = cpuMs();
  if (tables === undefined) throw new Error('no tables');
  let rows = 0;
  const context = { parameters: [], now: () => performance.now(), pause: yieldToLoop };
  for await (const piece of executeVector({ query, shape, tables, context })) rows += piece.rows;
  const ms = cpuMs() - built;
  for (const pin of pins.values()) pin.release();
  return { rows, buildMs: built - begun, ms };
}

function measurePlainLoop(): number {
  const bytes = regions.get('orders')?.[0]?.values.bytes ?? new Uint8Array();
  const begun = cpuMs();
  let quotes = 0;
  for (let round = 0; round < 100; round += 1) {
    for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === 0x22) quotes += 1;
  }
  return ((cpuMs() - begun) * 1e6) / bytes.length / 100 + (quotes < 0 ? 1 : 0);
}

const nsPerOrder = (ms: number): number => Math.round(((ms * 1e6) / orders) * 10) / 10;
const table = [];
for (const { name, oql } of work) {
  if (only !== undefined && !name.includes(only)) continue;
  const first = await run(oql);
  const times: number[] = [];
  for (let index = 0; index < repeats; index += 1) times.push((await run(oql)).ms);
  const median = times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
  table.push({
    name,
    rows: first.rows,
    'build ns/order': nsPerOrder(first.buildMs),
    'ns/order': nsPerOrder(median),
    best: nsPerOrder(times[0] ?? 0),
    'ns/byte, plain loop': Math.round(measurePlainLoop() * 100) / 100,
  });
}
console.table(table);
console.log(`columns: ${Math.round(store.sizeBytes() / 2 ** 20)} MiB`);
