// No two entries have the same value of a unique index, after any writes through any server, on every
// engine.

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { defaultLimits } from '../../src/app/testing/default-limits.ts';
import type { Engine, RegionWrite } from '../../src/engine/engine.ts';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { openPostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { openSqliteEngine } from '../../src/engine/sqlite/sqlite-engine.ts';
import { createLateEngine } from '../../src/engine/testing/late-engine.ts';
import { PostgresServer } from '../../src/engine/testing/postgres-server.ts';
import { Grid } from '../../src/grid/index.ts';
import { createRandom } from '../../src/sample/random.ts';
import { TemporaryDirectory } from '../faults/directory.ts';
import { pickSize } from '../faults/sizes.ts';
import {
  codeOf,
  findDuplicates,
  RandomWrites,
  REGION,
  readAll,
  UNIQUE_INDEXES,
} from './unique-model.ts';

function openGrid(engine: Engine, pause = nextRound): Promise<Grid> {
  return Grid.open({
    engine,
    limits: defaultLimits,
    observe: () => undefined,
    servers: () => [],
    wallClock: Date.now,
    now: () => performance.now(),
    pause,
    isMemoryLow: () => false,
  });
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Two servers of one new store. */
interface Store extends AsyncDisposable {
  readonly engines: readonly [Engine, Engine];
}

async function openMemory(): Promise<Store> {
  const engine = new MemoryEngine();
  const late = createLateEngine(engine);
  return { engines: [engine, late.engine], [Symbol.asyncDispose]: () => engine.close() };
}

async function openSqlite(): Promise<Store> {
  const directory = new TemporaryDirectory();
  const engine = await openSqliteEngine({ directory: directory.join('data') });
  return {
    engines: [engine, createLateEngine(engine).engine],
    [Symbol.asyncDispose]: async () => {
      await engine.close();
      directory[Symbol.dispose]();
    },
  };
}

let database: Promise<PostgresServer> | undefined;
let schemas = 0;

async function openPostgres(): Promise<Store> {
  database ??= PostgresServer.start();
  schemas += 1;
  const url = (await database).url(`unique${schemas}`);
  // The second server receives commits only when it catches up.
  const engines = [
    await openPostgresEngine({ url }),
    await openPostgresEngine({ url, testing: { pollMs: 1_000_000 } }),
  ] as const;
  return {
    engines,
    [Symbol.asyncDispose]: async () => {
      for (const engine of engines) await engine.close();
    },
  };
}

after(async () => (await database)?.[Symbol.asyncDispose]());

const ENGINES = [
  { name: 'memory', open: openMemory, steps: pickSize({ quick: 300, short: 1000 }) },
  { name: 'SQLite', open: openSqlite, steps: pickSize({ quick: 60, short: 200 }) },
  { name: 'PostgreSQL', open: openPostgres, steps: pickSize({ quick: 50, short: 100 }) },
];

for (const { name, open, steps } of ENGINES) {
  describe(`unique indexes over ${name}`, () => {
    it('every write has the outcome that a scan of all entries predicts', async () => {
      await using store = await open();
      const [first, second] = [await openGrid(store.engines[0]), await openGrid(store.engines[1])];
      await first.createRegion({ name: REGION });
      for (const index of UNIQUE_INDEXES) await first.createIndex(REGION, index);
      const writes = new RandomWrites([first, second], 7);
      for (let step = 0; step < steps; step += 1) {
        await writes.step();
        if (step % 25 === 0) await writes.check();
      }
      await writes.check();
      assert.ok(writes.refused > steps / 10 && writes.done > steps / 10, 'both outcomes occur');
      const regions = await store.engines[0].describeRegions();
      const records = regions.filter(({ name: each }) => each.startsWith('_unique/'));
      assert.equal(records.length, UNIQUE_INDEXES.length);
      // Unused values are released, except those that a clear leaves to be purged.
      assert.ok(records.every(({ entryCount }) => entryCount <= 40));
      await first.destroyRegion(REGION);
      const left = await store.engines[0].describeRegions();
      assert.ok(left.every(({ name: each }) => !each.startsWith('_unique/')));
      for (const grid of [first, second]) grid.close();
    });

    it('holds for concurrent writes while the indexes are created', async () => {
      await using store = await open();
      const grids = [await openGrid(store.engines[0]), await openGrid(store.engines[1])] as const;
      await grids[0].createRegion({ name: REGION });
      const codes = await storm(grids, async () => {
        for (const index of UNIQUE_INDEXES) {
          // If entries have the same value, creating the index is refused and retried.
          for (;;) {
            const code = await codeOf(grids[0].createIndex(REGION, index));
            if (code === 'done') break;
            assert.equal(code, 'grid/not-unique');
            await (await grids[0].region(REGION)).clear();
          }
        }
      });
      assert.deepEqual(findDuplicates(await readAll(grids[0])), []);
      assert.ok(codes.has('grid/not-unique') && codes.has('done'));
      assert.ok([...codes].every((code) => code === 'grid/not-unique' || code === 'done'));
      for (const grid of grids) grid.close();
    });

    it('a server that has not received the index cannot bypass it', async () => {
      await using store = await open();
      const grids = [await openGrid(store.engines[0]), await openGrid(store.engines[1])] as const;
      assert.equal(await bypassIndex(grids), 'grid/not-unique');
      for (const grid of grids) grid.close();
    });
  });
}

it('control: without the check of the engine, a server that has not received the index bypasses it', async () => {
  await using store = await openMemory();
  const grids = [
    await openGrid(store.engines[0]),
    await openGrid(createCarelessEngine(store.engines[1], store.engines[0])),
  ] as const;
  assert.equal(await bypassIndex(grids), 'done');
  for (const grid of grids) grid.close();
});

it('an index is built before it is visible, or finished after a crash', async () => {
  const engine = new MemoryEngine();
  const grid = await openGrid(engine);
  await grid.createRegion({ name: REGION });
  const region = await grid.region(REGION);
  const entries = Array.from({ length: 1200 }, (_, i) => {
    return { key: `e${i}`, value: JSON.stringify({ n: i }) };
  });
  await region.put(entries, []);
  const index = UNIQUE_INDEXES[1] ?? { name: '', expression: '' };
  // The state after a crash that followed the definition.
  const definition = { ...index, kind: 'hash', from: '/people p', unique: true } as const;
  await engine.addIndex(REGION, { ...definition, records: '_unique/crashed' });
  const value = JSON.stringify({ n: 7 });
  await grid.unique.resume();
  assert.equal(await codeOf(region.put([{ key: 'other', value }], [])), 'grid/not-unique');
  assert.equal(await codeOf(region.put([{ key: 'e7', value }], [])), 'done');
  assert.equal(await codeOf(grid.createIndex(REGION, index)), 'grid/index-exists');

  await grid.dropIndex(REGION, index.name);
  assert.equal(await codeOf(region.put([{ key: 'other', value }], [])), 'done');
  const refused = await grid.createIndex(REGION, index).catch((error: unknown) => error);
  assert.match(String(refused), /keys \(e7\) and \(other\) both have the value 7/);
  assert.deepEqual((await grid.describeRegion(REGION)).indexes, []);
  const regions = await engine.describeRegions();
  assert.ok(regions.every(({ name }) => !name.startsWith('_unique/')));
  // The same without a running server.
  await engine.addIndex(REGION, { ...definition, records: '_unique/crashed' });
  await grid.unique.resume();
  assert.deepEqual((await grid.describeRegion(REGION)).indexes, []);
  grid.close();
  await engine.close();
});

it('two servers that create one index over duplicates are both refused for these', async () => {
  const engine = new MemoryEngine();
  const index = UNIQUE_INDEXES[1] ?? { name: '', expression: '' };
  // The second server builds the same index, and waits until the first one has dropped it.
  const hasBegun = Promise.withResolvers<void>();
  const isDropped = Promise.withResolvers<void>();
  const second = await openGrid(engine, async () => {
    hasBegun.resolve();
    await isDropped.promise;
  });
  let secondCode: Promise<string> | undefined;
  const first = await openGrid(engine, async () => {
    secondCode ??= codeOf(second.createIndex(REGION, index));
    await hasBegun.promise;
  });
  await first.createRegion({ name: REGION });
  const entries = Array.from({ length: 1200 }, (_, i) => {
    return {
      key: `e${String(i).padStart(4, '0')}`,
      value: JSON.stringify({ n: Math.min(i, 1198) }),
    };
  });
  await (await first.region(REGION)).put(entries, []);
  assert.equal(await codeOf(first.createIndex(REGION, index)), 'grid/not-unique');
  isDropped.resolve();
  assert.equal(await secondCode, 'grid/not-unique');
  for (const grid of [first, second]) grid.close();
  await engine.close();
});

it('an index that is dropped while it is built is created again', async () => {
  const engine = new MemoryEngine();
  const index = UNIQUE_INDEXES[1] ?? { name: '', expression: '' };
  let drops = 0;
  const grid = await openGrid(engine, async () => {
    if (drops === 2) return;
    const outcome = await engine.dropIndex(REGION, index.name);
    if (outcome === 'dropped') drops += 1;
  });
  await grid.createRegion({ name: REGION });
  const region = await grid.region(REGION);
  await region.put([{ key: 'a', value: '{"n":1}' }], []);
  await grid.createIndex(REGION, index);
  assert.equal(drops, 2);
  assert.equal((await grid.describeRegion(REGION)).indexes.length, 1);
  assert.equal(await codeOf(region.put([{ key: 'b', value: '{"n":1}' }], [])), 'grid/not-unique');
  const records = (await engine.describeRegions()).filter(({ name }) =>
    name.startsWith('_unique/'),
  );
  assert.equal(records.length, 1);
  grid.close();
  await engine.close();
});

/** Runs writers through both servers during `work`; returns the codes they received. */
async function storm(
  grids: readonly [Grid, Grid],
  work: () => Promise<void>,
): Promise<ReadonlySet<string>> {
  const codes = new Set<string>();
  let isOver = false;
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    const random = createRandom(writer);
    const region = await grids[writer % 2 === 0 ? 0 : 1].region(REGION);
    for (let left = 30; left > 0; left -= isOver ? 1 : 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const entries = [random.between(0, 3), random.between(4, 7)].map((key) => {
        const value = {
          mail: `m${random.between(0, 49)}`,
          n: random.between(0, 49),
          row: 1,
          seat: key,
        };
        return { key: `k${key}`, value: JSON.stringify(value) };
      });
      codes.add(await codeOf(region.put(entries.slice(random.between(0, 1)), [])));
    }
  });
  await work();
  isOver = true;
  await Promise.all(writers);
  return codes;
}

/** A write through a region that was opened before the index was created elsewhere. */
async function bypassIndex([first, second]: readonly [Grid, Grid]): Promise<string> {
  await first.createRegion({ name: REGION });
  const region = await second.region(REGION);
  await region.put([{ key: 'a', value: '{"n":1}' }], []);
  await first.createIndex(REGION, UNIQUE_INDEXES[1] ?? { name: '', expression: '' });
  return codeOf(region.put([{ key: 'b', value: '{"n":1}' }], []));
}

/** Marks every write as one that maintains all indexes. */
function createCarelessEngine(engine: Engine, store: Engine): Engine {
  const commit = async (writes: readonly RegionWrite[]): Promise<unknown> => {
    const regions = await store.describeRegions();
    return store.commit(
      writes.map((write) => {
        const found = regions.find(({ name }) => name === write.region);
        return { ...write, unique: found?.indexes.flatMap(({ records }) => records ?? []) ?? [] };
      }),
    );
  };
  return new Proxy(engine, {
    get(_, property) {
      const member: unknown = Reflect.get(engine, property);
      if (property !== 'openRegion') return member;
      return async (name: string): Promise<unknown> => {
        const region = await engine.openRegion(name);
        if (region === undefined) return undefined;
        return Object.assign(Object.create(region), {
          definition: region.definition,
          write: (changes: RegionWrite['changes']) => commit([{ region: name, changes }]),
        });
      };
    },
  });
}
