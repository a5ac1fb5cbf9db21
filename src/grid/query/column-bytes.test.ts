// The memory that queries leave in columns, in bytes per row and path that the query reads. A query
// that loads more than it reads returns the right rows, but is slow and wastes memory.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MemoryEngine } from '../../engine/memory/memory-engine.ts';
import { plainRegion } from '../../engine/testing/plain-region.ts';
import { bindQuery, type Catalog, parseQuery } from '../../oql/index.ts';
import { QueryColumns } from './query-columns.ts';

const catalog: Catalog = {
  findRegion: (name) =>
    name === 'orders' ? { type: 'REPLICATE', valueMembers: undefined } : undefined,
  regionNames: () => ['orders'].values(),
  findTypeMembers: () => undefined,
};
const context = { parameters: [], now: () => 0, pause: async () => undefined };
/** Whole chunks. */
const ROWS = 3 * 4096;
const ITEMS_PER_ROW = 3;
/** Allowance for objects and dictionaries, and for arrays of items, which grow by an eighth. */
const SLACK = 1.15;

/** Bytes per row: eight for a number, four for a string of few distinct ones, four per item. */
const KEY = 8 + 4;
const NUMBER = 8;
const STRING = 4;
const TAG = 1;
const LIST = 8 + 4 * ITEMS_PER_ROW;

function makeOrder(row: number): string {
  const items = Array.from({ length: ITEMS_PER_ROW }, (_, item) => ({
    sku: `S${(row * 7 + item) % 1000}`,
    qty: 1 + ((row + item) % 10),
    price: ((row * 31 + item * 17) % 9973) / 100 + 0.001,
  }));
  return JSON.stringify({
    id: row,
    status: ['new', 'paid', 'sent'][row % 3],
    total: (row % 1000) / 8 + 0.01,
    shipping: { city: `city ${row % 50}`, street: `${row} Main St` },
    items,
  });
}

async function openOrders(): Promise<MemoryEngine> {
  const engine = new MemoryEngine();
  await engine.createRegion(plainRegion('orders'));
  const orders = await engine.openRegion('orders');
  const rows = Array.from({ length: ROWS }, (_, row) => row);
  await orders?.write(
    rows.map((row) => ({
      kind: 'put' as const,
      key: String(row).padStart(8, '0'),
      value: makeOrder(row),
    })),
  );
  return engine;
}

/** Runs the query as a request does: warnings first, then rows. */
async function bytesPerRow(engine: MemoryEngine, oql: string): Promise<number> {
  const columns = new QueryColumns(engine, 1e9);
  const query = bindQuery(parseQuery(oql), catalog);
  assert.deepEqual(await columns.findUnknownMembers(query, catalog, context), []);
  for await (const _ of columns.execute(query, catalog, context));
  const bytes = columns.sizeBytes() / ROWS;
  columns.close();
  return bytes;
}

describe('the columns of a query', () => {
  let engine: MemoryEngine;
  before(async () => {
    engine = await openOrders();
  });
  after(() => engine.close());

  for (const { oql, most } of [
    {
      oql: "SELECT COUNT(*) FROM /orders o WHERE o.status = 'paid' AND o.id > 50",
      most: KEY + STRING + NUMBER,
    },
    {
      oql: 'SELECT o.total FROM /orders o ORDER BY o.total LIMIT 10',
      most: KEY + NUMBER,
    },
    {
      oql: "SELECT COUNT(*) FROM /orders o WHERE o.shipping.city = 'city 7'",
      most: KEY + STRING,
    },
    {
      oql: 'SELECT DISTINCT o.id FROM /orders o, o.items i WHERE i.qty >= 10 AND i.price > 90.0',
      most: KEY + NUMBER + LIST + ITEMS_PER_ROW * (NUMBER + NUMBER),
    },
    {
      oql: 'SELECT COUNT(*) FROM /orders o, o.items i WHERE i.sku = i.sku',
      most: KEY + LIST + ITEMS_PER_ROW * STRING,
    },
    {
      oql: 'SELECT o.id FROM /orders o WHERE EXISTS (SELECT i FROM o.items i WHERE i.qty = 11)',
      most: KEY + NUMBER + LIST + ITEMS_PER_ROW * NUMBER,
    },
  ]) {
    it(`take no more memory than the paths it reads: ${oql}`, async () => {
      const bytes = await bytesPerRow(engine, oql);
      assert.ok(bytes <= most * SLACK + TAG, `${bytes} bytes per row, ${most} expected`);
      // The expectation must not be too high either.
      assert.ok(bytes >= most * 0.9, `${bytes} bytes per row, ${most} expected`);
    });
  }
});
