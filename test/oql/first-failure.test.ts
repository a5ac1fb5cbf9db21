// A failure that columns determine with certainty is raised at once, without reading the rows again.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ColumnStore } from '../../src/columns/index.ts';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { createColumnSource, pinRegions } from '../../src/grid/query/open-columns.ts';
import { readPointOf } from '../../src/grid/query/read-point.ts';
import { createSnapshotSource } from '../../src/grid/query/snapshot-source.ts';
import { executeQuery } from '../../src/oql/execute/execute-query.ts';
import { bindQuery, parseQuery, type QuerySource } from '../../src/oql/index.ts';
import { executeReference } from '../../src/oql/reference/execute-reference.ts';
import { createCatalog } from '../../src/oql/reference/testing/memory-source.ts';
import { createContext } from '../../src/oql/reference/testing/run-query.ts';
import { indexRegion, openStore } from './both-engines.ts';

const SURE = [
  'SELECT r.id FROM /r r WHERE r.s > 1',
  'SELECT COUNT(*) FROM /r r WHERE r.s > 1 AND r.id >= 0',
  'SELECT r.s + 1 FROM /r r',
  'SELECT r.id, 1 / (50 - r.id) FROM /r r WHERE r.id > 5 LIMIT 60',
  // Also for a row that OFFSET skips.
  'SELECT CASE WHEN r.s <= 2.0 THEN 1 ELSE 0 END FROM /r r LIMIT 1 OFFSET 61',
  // Nothing after WHERE can fail.
  'SELECT DISTINCT r.id FROM /r r WHERE r.s > 1',
  'SELECT r.id FROM /r r WHERE r.s > 1 ORDER BY r.id',
  'SELECT DISTINCT r.id FROM /r r WHERE r.s > 1 ORDER BY r.id DESC OFFSET 5',
  'SELECT COUNT(r.id) FROM /r r WHERE r.s > 1',
  'SELECT r.id, COUNT(*) AS n FROM /r r WHERE r.s > 1 GROUP BY r.id ORDER BY n LIMIT 2',
];
/** Another row may fail first, or none at all. */
const UNSURE = [
  'SELECT r.id / (50 - r.id) FROM /r r WHERE r.s > 1',
  'SELECT r.id FROM /r r WHERE r.s > 1 LIMIT 1000',
  'SELECT DISTINCT r.id / (50 - r.id) FROM /r r WHERE r.s > 1',
  'SELECT r.id FROM /r r WHERE r.s > 1 ORDER BY r.id LIMIT 3',
  'SELECT r.id FROM /r r WHERE r.s > 1 ORDER BY 1 / (50 - r.id)',
  'SELECT r.id FROM /r r WHERE r.s > 1 ORDER BY r.s',
  'SELECT r.id FROM /r r WHERE r.s > 1 ORDER BY r.o',
  'SELECT r.id / (50 - r.id) AS k, COUNT(*) FROM /r r WHERE r.s > 1 GROUP BY r.id / (50 - r.id)',
  'SELECT SUM(r.id) FROM /r r WHERE r.s > 1',
  'SELECT r.id / (99 - r.id) FROM /r r WHERE r.s > 1',
];

describe('a query that fails over columns', () => {
  const engine = new MemoryEngine();
  const catalog = createCatalog({ r: { entries: [] } });
  let store: ColumnStore;

  before(async () => {
    await engine.createRegion(plainRegion('r'));
    store = openStore(engine);
    const region = await engine.openRegion('r');
    for (let id = 0; id < 100; id += 1) {
      const s = id === 60 ? '"x"' : id;
      const key = `${id}`.padStart(3, '0');
      await region?.write([{ kind: 'put', key, value: `{"id":${id},"s":${s},"o":{}}` }]);
    }
  });

  after(() => engine.close());

  /** The failure, and how often rows were read. */
  async function fail(text: string): Promise<{ readonly message: string; readonly reads: number }> {
    const query = bindQuery(parseQuery(text), catalog);
    const pins = pinRegions(store, query.regions);
    const snapshot = await engine.openSnapshot();
    const source = createSnapshotSource(snapshot, catalog);
    let reads = 0;
    const counted: QuerySource = {
      findRegion: async (name) => {
        const region = await source.findRegion(name);
        if (region === undefined) return undefined;
        const entries: typeof region.entries = () => {
          reads += 1;
          return region.entries();
        };
        return { type: region.type, size: region.size, get: region.get, entries };
      },
    };
    try {
      const columns = createColumnSource(
        readPointOf(snapshot, catalog),
        pins,
        indexRegion('r', catalog, []),
      );
      const expected = await messageOf(executeReference(query, source, createContext()));
      const message = await messageOf(
        executeQuery(query, { columns, source: counted, context: createContext() }),
      );
      assert.equal(message, expected);
      return { message, reads };
    } finally {
      snapshot.close();
      for (const pin of pins.values()) pin.release();
    }
  }

  for (const text of SURE) {
    it(`runs once where its first failure is certain: ${text}`, async () => {
      const { message, reads } = await fail(text);
      assert.notEqual(message, '');
      assert.equal(reads, 0);
    });
  }

  for (const text of UNSURE) {
    it(`falls back to rows where it is not: ${text}`, async () => {
      const { reads } = await fail(text);
      assert.equal(reads, 1);
    });
  }
});

async function messageOf(result: AsyncIterable<unknown>): Promise<string> {
  try {
    for await (const _ of result);
    return '';
  } catch (error) {
    return String(error);
  }
}
