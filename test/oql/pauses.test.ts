// Whatever a row costs, others get a turn after some of them: a query that is slow for every row can
// be cancelled as soon as one that is quick.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { QueryColumns } from '../../src/grid/query/query-columns.ts';
import { createCatalog } from '../../src/oql/execute/testing/memory-source.ts';
import { bindQuery, parseQuery } from '../../src/oql/index.ts';

const ROWS = 3000;
/** So many rows may be looked at without a pause. */
const MOST_AT_A_TIME = 64;

const QUERIES = [
  "SELECT r.id FROM /r r WHERE r.s.matches('(a|b)*c')",
  "SELECT r.id FROM /r r WHERE r.s.toUpperCase() LIKE '%A_B%'",
  "SELECT r.s.replaceAll('a', 'b') FROM /r r",
  'SELECT r.id FROM /r r WHERE (SELECT x.id FROM /r x WHERE x.id = r.id).size = 2',
];

describe('a query that is slow for every row', () => {
  const engine = new MemoryEngine();
  const catalog = createCatalog({ r: { entries: [] } });
  let columns: QueryColumns;

  before(async () => {
    const base = { type: 'REPLICATE', keyConstraint: null, valueConstraint: null } as const;
    await engine.createRegion({ ...base, name: 'r' });
    columns = new QueryColumns(engine, 1 << 30);
    const region = await engine.openRegion('r');
    for (let id = 0; id < ROWS; id += 1) {
      await region?.write([{ kind: 'put', key: `${id}`, value: `{"id":${id},"s":"abab"}` }]);
    }
  });

  after(async () => {
    columns.close();
    await engine.close();
  });

  for (const text of QUERIES) {
    it(`pauses often and can be cancelled: ${text}`, async () => {
      let clock = 0;
      let pauses = 0;
      const stopping = new AbortController();
      const context = {
        parameters: [],
        now: () => {
          clock += 2;
          return clock;
        },
        pause: async () => {
          pauses += 1;
        },
      };
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
