// The views `keys` and `entries` of a region run over columns, and return the same as rows.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { createCatalog } from '../../src/oql/reference/testing/memory-source.ts';
import { indexRegion, openStore, runBoth } from './both-engines.ts';

/** More than one chunk; no chunk is read where a null makes a query fall back. */
const ROWS = 4200;
const ROWS_BESIDE_NULLS = 300;

const QUERIES = [
  'SELECT k FROM /r.keys k',
  'SELECT COUNT(*) FROM /r.keys k',
  "SELECT k FROM /r.keys k WHERE k > 'k40' AND k <> 'k4199' ORDER BY k DESC LIMIT 20",
  "SELECT k FROM /r.keys k WHERE k LIKE '%9_1'",
  "SELECT k FROM /r.keys k WHERE k IN SET('k7', 'k4044', 'k5001', 7)",
  "SELECT k.length, COUNT(*) FROM /r.keys k WHERE k.startsWith('k1') GROUP BY k.length",
  'SELECT MIN(k), MAX(k), COUNT(DISTINCT k) FROM /r.keys k',
  'SELECT a FROM /r.keys a, /q.keys b WHERE a = b',
  'SELECT k, q.id FROM /r.keys k, /q q WHERE k = q.s',
  'SELECT e.key, e.value.id FROM /r.entries e',
  'SELECT e.value FROM /r.entries e WHERE e.value.id < 3',
  "SELECT e.key FROM /r.entries e WHERE e.key = 'k4111' OR e.value.id = 3",
  'SELECT e.key, e.value.id + e.key.length FROM /r.entries e WHERE e.key = e.value.s',
  'SELECT DISTINCT e.value.n FROM /r.entries e ORDER BY e.value.n',
  'SELECT e.value.n, COUNT(*), MAX(e.key) FROM /r.entries e GROUP BY e.value.n',
  "SELECT e.key, i FROM /r.entries e, e.value.items i WHERE i > 1 AND e.key < 'k2'",
  'SELECT e.value.id FROM /r.entries e WHERE e.value.missing = UNDEFINED LIMIT 3 OFFSET 2',
  "SELECT e.value FROM /r.entries e WHERE e.key = 'k05'",
  "SELECT e.key FROM /r.entries e WHERE e.key = 17 OR e.key = 'k17' OR e.key = 'k18'",
  "SELECT e.key FROM /r.entries e WHERE e.key BETWEEN 'k03' AND 'k11' AND e.value.n <> 2",
  "SELECT k FROM /r.keys k WHERE k >= 'k5\u{1f600}' AND k <= 'k5\uffee'",
  "SELECT k FROM /r.keys k WHERE k = 'k5\ud83d' OR k = 'k5\ufffd'",
  "SELECT COUNT(*) FROM /r.keys k WHERE k < 'k5\ud83d'",
  "SELECT COUNT(*) FROM /r.keys k WHERE k LIKE 'k5%'",
  "SELECT COUNT(*) FROM /r.keys k WHERE k IN ('k17', 'k18', 'k05')",
  "SELECT MIN(e.key), MAX(e.key) FROM /r.entries e WHERE e.key > 'k04' AND e.key < 'k5'",
  'SELECT e.key, e.value.n FROM /r.entries e ORDER BY e.key',
  'SELECT e.key, e.value.n FROM /r.entries e ORDER BY e.key DESC LIMIT 4100',
  "SELECT e.key FROM /r.entries e WHERE e.key < 'k5\uffff' ORDER BY e.key DESC LIMIT 5 OFFSET 1",
  "SELECT DISTINCT e.key FROM /r.entries e WHERE e.key LIKE 'k0%' ORDER BY e.key DESC",
  'SELECT q.id, e.value.n FROM /q q, /r.entries e WHERE e.key = q.s',
  'SELECT q.id, e.key FROM /q q, /r.entries e WHERE e.key = q.id',
];

describe('views of a region', () => {
  for (const nulls of [0, 3]) {
    it(`${nulls === 0 ? 'run over columns' : 'with null values fall back to rows'}`, async () => {
      const engine = new MemoryEngine();
      const catalog = createCatalog({ r: { entries: [] }, q: { entries: [] } });
      for (const name of ['r', 'q']) await engine.createRegion(plainRegion(name));
      const store = openStore(engine);
      const region = await engine.openRegion('r');
      const other = await engine.openRegion('q');
      for (let id = 0; id < 8; id += 1) {
        const value = `{"id":${id},"s":"k${id * 11}"}`;
        await other?.write([{ kind: 'put', key: `k${id * 7}`, value }]);
      }
      const put = async (id: number, value: string): Promise<void> => {
        await region?.write([{ kind: 'put', key: `k${id}`, value }]);
      };
      await region?.write(
        Array.from({ length: nulls === 0 ? ROWS : ROWS_BESIDE_NULLS }, (_, id) => {
          const s = id % 3 === 0 ? `k${id}` : 'other';
          const value = `{"id":${id},"s":"${s}","n":${id % 7},"items":[${id % 4}]}`;
          return { kind: 'put', key: `k${id}`, value };
        }),
      );
      const indexes = indexRegion('r', catalog, []);
      // Columns are loaded before keys are added, removed and changed out of order.
      await runBoth({ engine, store, catalog, indexes, text: 'SELECT e.key FROM /r.entries e' });
      await region?.write([{ kind: 'remove', key: 'k17' }]);
      await put(4111, '{"id":3,"s":"k4111"}');
      await put(12_345, '"no document"');
      for (const key of ['k05', 'k5\u{1f600}', 'k5\uffee', 'k5\ufffd', 'k039', 'a', 'z']) {
        await region?.write([{ kind: 'put', key, value: '{"id":-1,"n":2}' }]);
      }
      await region?.write([{ kind: 'remove', key: 'k039' }]);
      for (let at = 0; at < nulls; at += 1) await put(100 + at, 'null');
      for (const text of QUERIES) {
        const outcome = await runBoth({ engine, store, catalog, indexes, text });
        assert.equal(outcome.reference.failure, undefined, text);
        assert.equal(outcome.fallback, nulls === 0 ? undefined : 'some entries are null', text);
        if (nulls === 0) assert.deepEqual(outcome.vector, outcome.reference, text);
        else assert.equal(outcome.answer?.rows, outcome.reference.rows, text);
      }
      await engine.close();
    });
  }
});
