import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { printJson } from '../../value/json-print.ts';
import { bindQuery } from '../bind/bind-query.ts';
import type { BoundQuery } from '../bind/bound-query.ts';
import { executeReference } from '../reference/execute-reference.ts';
import { createCatalog, MemorySource } from '../reference/testing/memory-source.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { dropKeyOrder } from './plan-rows.ts';

const REGIONS = {
  r: {
    entries: Array.from({ length: 40 }, (_, at) => ({ key: `k${at + 10}`, value: `{"n":${at}}` })),
  },
};
const catalog = createCatalog(REGIONS);
const context = { parameters: [], now: () => 0, pause: async () => undefined };

function bind(text: string): BoundQuery {
  return bindQuery(parseQuery(text), catalog);
}

async function run(query: BoundQuery): Promise<readonly string[]> {
  const rows: string[] = [];
  for await (const batch of executeReference(query, new MemorySource(REGIONS), context)) {
    rows.push(...batch.map((row) => printJson(row)));
  }
  return rows;
}

describe('an order by key', () => {
  for (const text of [
    'SELECT * FROM /r.entries e ORDER BY e.key LIMIT 3',
    'SELECT e.key, e.value FROM /r.entrySet e ORDER BY e.getKey() LIMIT 2 OFFSET 4',
    'SELECT k FROM /r.keys k ORDER BY k LIMIT 5',
    'SELECT e.key FROM /r.entries e WHERE e.value.n = 7 ORDER BY e.key',
  ]) {
    it(`is dropped, and the rows are the same: ${text}`, async () => {
      const query = bind(text);
      const dropped = dropKeyOrder(query);
      assert.notEqual(dropped, query);
      assert.deepEqual(await run(dropped), await run(query));
    });
  }

  for (const text of [
    'SELECT * FROM /r.entries e ORDER BY e.key DESC LIMIT 3',
    'SELECT * FROM /r.entries e ORDER BY e.value.n LIMIT 3',
    'SELECT * FROM /r.entries e ORDER BY e.key, e.value.n LIMIT 3',
    'SELECT e.value.n + 1 FROM /r.entries e ORDER BY e.key LIMIT 3',
    'SELECT * FROM /r.entries e WHERE e.value.n > 1 ORDER BY e.key LIMIT 3',
    'SELECT * FROM /r.entries e, /r f ORDER BY e.key LIMIT 3',
    'SELECT * FROM /r o ORDER BY o.key LIMIT 3',
  ]) {
    it(`is kept where another order is wanted, or a row may fail: ${text}`, () => {
      const query = bind(text);
      assert.equal(dropKeyOrder(query), query);
    });
  }
});
