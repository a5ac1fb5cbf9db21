// A grid whose store has other servers. A write that another server acknowledged must be visible in
// every later answer, whatever this grid has cached.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultLimits } from '../app/testing/default-limits.ts';
import { MemoryEngine } from '../engine/memory/memory-engine.ts';
import { createLateEngine, type LateEngine } from '../engine/testing/late-engine.ts';
import type { PageMaker } from './first-page.ts';
import { Grid } from './grid.ts';
import type { FirstEntries } from './grid-region.ts';
import type { RegionPage } from './region-page.ts';
import { joinPieces } from './testing/join-pieces.ts';

/** Makes pages that are the batches themselves. */
const keepFirst: PageMaker<FirstEntries> = (_region, _limit, first) => first;

interface Servers {
  /** The tests write through this server. */
  readonly first: Grid;
  /** The tests read through this server. */
  readonly second: Grid;
  readonly late: LateEngine;
}

async function open(): Promise<Servers> {
  const engine = new MemoryEngine();
  const late = createLateEngine(engine);
  const openGrid = (each: MemoryEngine | LateEngine['engine']): Promise<Grid> =>
    Grid.open({
      engine: each,
      limits: defaultLimits,
      observe: () => undefined,
      servers: () => [],
      wallClock: () => 0,
      now: () => performance.now(),
      pause: async () => undefined,
      isMemoryLow: () => false,
    });
  const servers = { first: await openGrid(engine), second: await openGrid(late.engine), late };
  await servers.first.createRegion({ name: 'orders' });
  return servers;
}

async function put(grid: Grid, key: string, value: string): Promise<void> {
  await (await grid.region('orders')).put([{ key, value }], []);
}

async function run(grid: Grid, oql: string): Promise<string> {
  const request = { oql, parameters: [], signal: { aborted: false } };
  const answer = await grid.answerQuery(request);
  return typeof answer === 'string' ? answer : joinPieces(answer);
}

const COUNT = 'SELECT COUNT(*) FROM /orders';
const POINT = 'SELECT o.n FROM /orders o WHERE o.id = 7';

/** For everything that a grid caches: two reads that fill the cache, and a change on the other server. */
const CACHES: readonly {
  readonly name: string;
  readonly prepare?: (grid: Grid) => Promise<void>;
  readonly ask: (grid: Grid) => Promise<unknown>;
  readonly change: (grid: Grid) => Promise<unknown>;
  readonly before: unknown;
  readonly after: unknown;
}[] = [
  {
    name: 'the page of a region',
    prepare: (grid) => put(grid, 'a', '{"n":1}'),
    ask: async (grid) => (await (await grid.region('orders')).makePage(50, keepFirst)).page.keys,
    change: (grid) => put(grid, 'b', '{"n":2}'),
    before: ['a'],
    after: ['a', 'b'],
  },
  {
    name: 'the text of a named query',
    prepare: (grid) => grid.createQuery({ id: 'q', oql: 'SELECT 1' }),
    ask: async (grid) => grid.readQueryText('q'),
    change: (grid) => grid.updateQuery({ id: 'q', oql: 'SELECT 2' }),
    before: 'SELECT 1',
    after: 'SELECT 2',
  },
  {
    name: 'a region that was destroyed and created again',
    prepare: (grid) => put(grid, 'a', '{"n":1}'),
    ask: async (grid) => {
      const region = await grid.region('orders');
      return [region.definition.type, await region.count()];
    },
    change: async (grid) => {
      await grid.destroyRegion('orders');
      await grid.createRegion({ name: 'orders', type: 'EMPTY' });
    },
    before: ['REPLICATE', 1],
    after: ['EMPTY', 0],
  },
  {
    name: 'the columns of a region',
    prepare: (grid) => put(grid, 'a', '{"n":1}'),
    ask: (grid) => run(grid, COUNT),
    change: (grid) => put(grid, 'b', '{"n":2}'),
    before: '1',
    after: '2',
  },
  {
    name: 'which regions a query may name',
    ask: async (grid) => {
      try {
        return await run(grid, 'SELECT COUNT(*) FROM /items');
      } catch (error) {
        return Object(error).code;
      }
    },
    change: (grid) => grid.createRegion({ name: 'items' }),
    before: 'oql/region-not-found',
    after: '0',
  },
  {
    name: 'a point look-up',
    prepare: async (grid) => {
      await grid.createIndex('orders', { name: 'i', expression: 'o.id', from: '/orders o' });
      await put(grid, 'a', '{"id":7,"n":1}');
      await put(grid, 'b', '{"id":8,"n":2}');
    },
    ask: (grid) => run(grid, POINT),
    change: (grid) => put(grid, 'b', '{"id":7,"n":2}'),
    before: '1',
    after: '1,2',
  },
  {
    name: 'the indexes of a region',
    prepare: (grid) => put(grid, 'a', '{"id":7,"n":1}'),
    ask: async (grid) => {
      const request = { oql: POINT, parameters: [], signal: { aborted: false } };
      const explanation = await grid.explainQuery(request, 'estimate');
      return JSON.stringify(explanation).includes('by-id');
    },
    change: (grid) =>
      grid.createIndex('orders', { name: 'by-id', expression: 'o.id', from: '/orders o' }),
    before: false,
    after: true,
  },
];

describe('a grid whose store has other servers', () => {
  for (const { name, prepare, ask, change, before, after } of CACHES) {
    it(`follows a change of ${name} by another server`, async () => {
      const { first, second } = await open();
      await prepare?.(first);
      for (let time = 0; time < 2; time += 1) assert.deepEqual(await ask(second), before);
      await change(first);
      for (let time = 0; time < 2; time += 1) assert.deepEqual(await ask(second), after);
    });

    it(`forgets ${name} when commits were missed`, async () => {
      const { first, late, second } = await open();
      await prepare?.(first);
      for (let time = 0; time < 2; time += 1) assert.deepEqual(await ask(second), before);
      await change(first);
      late.loseCommits();
      for (let time = 0; time < 2; time += 1) assert.deepEqual(await ask(second), after);
    });
  }

  const signal = { aborted: false };
  const READS: Readonly<Record<string, (grid: Grid) => Promise<unknown>>> = {
    count: async (grid) => (await grid.region('orders')).count(),
    keys: async (grid) => (await grid.region('orders')).read(['a', 'b']),
    'first page': async (grid) =>
      (await (await grid.region('orders')).makePage(50, keepFirst)).page.keys.length,
    scan: async (grid) => {
      const scan = await (await grid.region('orders')).openScan();
      const count = scan.count();
      scan.close();
      return count;
    },
    page: async (grid) => countPage(await grid.openPage({ ...PAGE, filter: undefined })),
    'page with a condition': async (grid) => {
      const filter = { where: 'n = 1', signal };
      return countPage(await grid.openPage({ ...PAGE, filter }));
    },
    schema: async (grid) => (await grid.inferSchema('orders', 10)).fields.length,
  };
  for (const [name, read] of Object.entries(READS)) {
    it(`never shows a region as empty while another server destroys it: ${name}`, async () => {
      const reference = await open();
      await put(reference.first, 'a', '{"n":1}');
      const full = await read(reference.second);
      const outcomes = new Set<unknown>();
      for (let turns = 0; turns < 40; turns += 1) {
        const { first, second } = await open();
        await put(first, 'a', '{"n":1}');
        const outcome = read(second).catch((error: unknown) => Object(error).code);
        for (let turn = 0; turn < turns; turn += 1) await undefined;
        await first.destroyRegion('orders');
        outcomes.add(toJson(await outcome));
      }
      const gone = ['grid/region-not-found', 'engine/region-gone'];
      const allowed = [full, ...gone].map(toJson);
      assert.deepEqual(
        [...outcomes].filter((outcome) => !allowed.includes(String(outcome))),
        [],
      );
    });
  }
});

const PAGE = { region: 'orders', range: {}, limit: 5, isCounted: false };

async function countPage(page: RegionPage): Promise<number> {
  let count = 0;
  for await (const keys of page.keys()) count += keys.length;
  page.close();
  return count;
}

function toJson(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined';
}
