// A hash join frees the memory of its tables at the end of the run. Left to the garbage collector,
// the tables of a frequent join make it collect the whole heap about once a second.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { QueryColumns } from '../../src/grid/query/query-columns.ts';
import { bindQuery, parseQuery } from '../../src/oql/index.ts';
import { createCatalog } from '../../src/oql/reference/testing/memory-source.ts';
import { createYieldingContext } from '../../src/oql/reference/testing/run-query.ts';

const ROWS = 40_000;
const RUNS = 5;
/** Each table has at least three numbers of four bytes per row. */
const TABLE_BYTES = ROWS * 3 * 4;

const QUERIES = [
  'SELECT b.c, COUNT(*) FROM /a a, /b b WHERE a.id = b.id GROUP BY b.c',
  'SELECT COUNT(*) FROM /a a LEFT JOIN /b b ON a.id = b.id WHERE a.id > 39990',
];

test('a join frees the memory of its tables', async () => {
  const engine = new MemoryEngine();
  const catalog = createCatalog({ a: { entries: [] }, b: { entries: [] } });
  for (const name of ['a', 'b']) {
    await engine.createRegion(plainRegion(name));
    const region = await engine.openRegion(name);
    await region?.write(
      Array.from({ length: ROWS }, (_, id) => ({
        kind: 'put',
        key: `${id}`.padStart(6, '0'),
        value: `{"id":${id},"c":${id % 7}}`,
      })),
    );
  }
  const columns = new QueryColumns(engine, 1 << 30);
  const context = createYieldingContext(async () => undefined);
  for (const text of QUERIES) {
    const query = bindQuery(parseQuery(text), catalog);
    const grown: number[] = [];
    for (let run = 0; run <= RUNS; run += 1) {
      const before = process.memoryUsage().arrayBuffers;
      for await (const _ of columns.execute(query, catalog, context));
      grown.push(process.memoryUsage().arrayBuffers - before);
    }
    // The first run loads columns. The garbage collector may run at any time, but not in each run.
    const most = Math.max(...grown.slice(1));
    assert.ok(most < TABLE_BYTES / 2, `${text}: ${grown.join(', ')} bytes`);
  }
  columns.close();
  await engine.close();
});
