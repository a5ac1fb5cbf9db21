// A query yields after some rows, whatever a row costs. So a query with expensive rows can be cancelled
// as soon as one with cheap rows.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { QueryColumns } from '../../src/grid/query/query-columns.ts';
import { bindQuery, parseQuery } from '../../src/oql/index.ts';
import { createCatalog } from '../../src/oql/reference/testing/memory-source.ts';
import { createYieldingContext } from '../../src/oql/reference/testing/run-query.ts';
import type { Value } from '../../src/value/value.ts';

const ROWS = 3000;
/** Rows that may be processed without a pause. */
const MOST_AT_A_TIME = 64;

const QUERIES = [
  "SELECT r.id FROM /r r WHERE r.s.matches('(a|b)*c')",
  "SELECT r.id FROM /r r WHERE r.s.toUpperCase() LIKE '%A_B%'",
  "SELECT r.s.replaceAll('a', 'b') FROM /r r",
  'SELECT r.id FROM /r r WHERE (SELECT x.id FROM /r x WHERE x.id = r.id).size = 2',
  'SELECT r.id FROM /r r ORDER BY r.s.length, r.id LIMIT 3',
  'SELECT MAX(r.s.length) FROM /r r',
  'SELECT r.id % 2, SUM(r.id * 2), COUNT(DISTINCT r.s.trim) FROM /r r GROUP BY r.id % 2',
  'SELECT r.s.length, COUNT(*) FROM /r r GROUP BY r.s.length',
  'SELECT DISTINCT r.s.toUpperCase() FROM /r r',
  'SELECT DISTINCT COUNT(*) FROM /r r WHERE r.s.length > 0',
  'SELECT r.s.length FROM /r r LIMIT 1 OFFSET 2990',
  'SELECT r.id FROM /r r WHERE r.id IN (SELECT x.s.length FROM /r x)',
];

describe('a query with expensive rows', () => {
  const engine = new MemoryEngine();
  const catalog = createCatalog({ r: { entries: [] } });
  let columns: QueryColumns;

  before(async () => {
    await engine.createRegion(plainRegion('r'));
    columns = new QueryColumns(engine, 1 << 30);
    const region = await engine.openRegion('r');
    await region?.write(
      Array.from({ length: ROWS }, (_, id) => ({
        kind: 'put',
        key: `${id}`,
        value: `{"id":${id},"s":"abab${id}"}`,
      })),
    );
  });

  after(async () => {
    columns.close();
    await engine.close();
  });

  for (const text of QUERIES) {
    it(`yields often and can be cancelled: ${text}`, async () => {
      let pauses = 0;
      const stopping = new AbortController();
      const context = createYieldingContext(async () => {
        pauses += 1;
      });
      const query = bindQuery(parseQuery(text), catalog);
      for await (const _ of columns.execute(query, catalog, context));
      assert.ok(pauses >= ROWS / MOST_AT_A_TIME, `${pauses} pauses`);
      const pause = async (): Promise<void> => stopping.abort();
      const cancelled = { ...context, pause, signal: stopping.signal };
      await assert.rejects(
        async () => {
          for await (const _ of columns.execute(query, catalog, cancelled));
        },
        { code: 'oql/cancelled' },
      );
    });
  }
});

describe('a query over few but large values', () => {
  const engine = new MemoryEngine();
  const catalog = createCatalog({ r: { entries: [] } });
  const LARGE = 50_000;
  let columns: QueryColumns;

  before(async () => {
    await engine.createRegion(plainRegion('r'));
    columns = new QueryColumns(engine, 1 << 30);
    const region = await engine.openRegion('r');
    for (let id = 0; id < 60; id += 1) {
      const s = `${id}`.padEnd(LARGE, 'ab');
      await region?.write([{ kind: 'put', key: `${id}`, value: `{"id":${id},"s":"${s}"}` }]);
    }
  });

  after(async () => {
    columns.close();
    await engine.close();
  });

  /** Pauses, and the length of the largest piece of the result. */
  async function run(text: string, parameters: readonly Value[] = []) {
    let pauses = 0;
    let largest = 0;
    const context = createYieldingContext(async () => {
      pauses += 1;
    }, parameters);
    const query = bindQuery(parseQuery(text), catalog);
    for await (const { json } of columns.execute(query, catalog, context)) {
      largest = Math.max(largest, json.length);
    }
    return { pauses, largest };
  }

  it('yields after each of its strings', async () => {
    await run('SELECT COUNT(*) FROM /r r WHERE r.s = 1');
    const { pauses: idle } = await run('SELECT COUNT(*) FROM /r r WHERE r.s = 2');
    for (const condition of ["r.s LIKE '%x%'", "r.s > '5'"]) {
      const { pauses } = await run(`SELECT COUNT(*) FROM /r r WHERE ${condition}`);
      assert.ok(pauses - idle >= 59, `${condition}: ${pauses} pauses`);
    }
  });

  it('returns its result in pieces that are full or one row', async () => {
    for (const projection of ['r.s', 'r.s.toUpperCase()', '*']) {
      const { largest } = await run(`SELECT ${projection} FROM /r r`);
      assert.ok(largest < 3 * LARGE, `${projection}: ${largest} bytes`);
    }
  });

  it('yields while it reads a long collection', async () => {
    const text = 'SELECT COUNT(*) FROM /r r WHERE r.id IN $1';
    await run(text, [[1]]);
    const { pauses: idle } = await run(text, [[1]]);
    const many = Array.from({ length: 100_000 }, (_, index) =>
      index % 2 === 0 ? index : `${index}`,
    );
    const { pauses } = await run(text, [many]);
    assert.ok(pauses - idle >= 40, `${pauses} pauses`);
  });
});
