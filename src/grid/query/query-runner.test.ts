// A query has one time limit, however often it is attempted. Short queries need not wait for others.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { defaultLimits } from '../../app/testing/default-limits.ts';
import { MemoryEngine } from '../../engine/memory/memory-engine.ts';
import { plainRegion } from '../../engine/testing/plain-region.ts';
import { joinPieces } from '../testing/join-pieces.ts';
import { QueryRunner } from './query-runner.ts';

const ROWS = 120;

/** Queries that are attempted more than once, because their last row is of another kind. */
const QUERIES = [
  'SELECT r.id FROM /r r WHERE r.s > 1 LIMIT 1000',
  'SELECT r.id FROM /r r WHERE r.s + 1 > 1 ORDER BY r.id LIMIT 1000',
  'SELECT r.id FROM /r r WHERE r.id IN (SELECT x.id FROM /r x WHERE x.s > 1)',
  'SELECT r.id FROM /r r WHERE (SELECT x.id FROM /r x WHERE x.id = r.id AND x.s > 1).size > 5',
];

describe('the time limit of a query that falls back', () => {
  let engine: MemoryEngine;
  let runner: QueryRunner;
  let clock: number;
  let isMemoryLow: () => boolean;

  beforeEach(async () => {
    engine = new MemoryEngine();
    await engine.createRegion(plainRegion('r'));
    const region = await engine.openRegion('r');
    for (let id = 0; id < ROWS; id += 1) {
      const key = `${id}`.padStart(4, '0');
      const s = id === ROWS - 1 ? '"x"' : id;
      await region?.write([{ kind: 'put', key, value: `{"id":${id},"s":${s}}` }]);
    }
    clock = 0;
    isMemoryLow = () => false;
    runner = new QueryRunner({
      engine,
      limits: { ...defaultLimits, maxQueryMs: 0 },
      observe: () => undefined,
      // Every reading of the clock uses up a slice, so that time passes with the work.
      wallClock: () => 0,
      now: () => {
        clock += 2;
        return clock;
      },
      pause: async () => undefined,
      isMemoryLow: () => isMemoryLow(),
    });
  });

  afterEach(async () => {
    runner.close();
    await engine.close();
  });

  async function run(oql: string, timeoutMs: number, signal = { aborted: false }): Promise<void> {
    for await (const _ of runner.run({ oql, parameters: [], timeoutMs, signal }));
  }

  for (const oql of QUERIES) {
    it(`covers all attempts: ${oql}`, async () => {
      // Twice, since the first run also builds columns.
      await assert.rejects(run(oql, 1e9), { code: 'oql/type-mismatch' });
      const before = clock;
      await assert.rejects(run(oql, 1e9), { code: 'oql/type-mismatch' });
      const took = clock - before;
      await assert.rejects(run(oql, took + 100), { code: 'oql/type-mismatch' });
      await assert.rejects(run(oql, Math.floor(took * 0.95)), { code: 'oql/timeout' });
    });

    it(`and the memory check and the abort signal cover all attempts: ${oql}`, async () => {
      await assert.rejects(run(oql, 1e9), { code: 'oql/type-mismatch' });
      const before = clock;
      await assert.rejects(run(oql, 1e9), { code: 'oql/type-mismatch' });
      const late = (clock - before) * 0.95;
      let start = clock;
      isMemoryLow = () => clock - start > late;
      await assert.rejects(run(oql, 1e9), { code: 'oql/low-memory' });
      isMemoryLow = () => false;
      start = clock;
      const signal = {
        get aborted() {
          return clock - start > late;
        },
      };
      await assert.rejects(run(oql, 1e9, signal), { code: 'oql/cancelled' });
    });
  }
});

describe('a short query beside long ones that hold every slot', () => {
  const engine = new MemoryEngine();
  const limits = { ...defaultLimits, maxQueriesAtOnce: 1, maxQueryWaitMs: 50 };
  let runner: QueryRunner;
  let long: AsyncGenerator<Uint8Array>;

  /** A clock that moves only while a query waits, so that durations do not depend on the machine. */
  let timeMs = 0;

  before(async () => {
    await engine.createRegion(plainRegion('r'));
    const region = await engine.openRegion('r');
    const byId = { name: 'byId', kind: 'range', expression: 'r.id', from: '/r r' } as const;
    await engine.addIndex('r', byId);
    const changes = Array.from({ length: 3000 }, (_, id) => ({
      kind: 'put' as const,
      key: `${id}`,
      value: JSON.stringify({ id, text: 'x'.repeat(200) }),
    }));
    await region?.write(changes);
    runner = new QueryRunner({
      engine,
      limits,
      observe: () => undefined,
      now: () => timeMs,
      wallClock: Date.now,
      pause: async () => undefined,
      delay: async (ms) => {
        timeMs += ms;
      },
      isMemoryLow: () => false,
    });
  });

  beforeEach(async () => {
    // Its client reads only the first piece.
    long = run('SELECT * FROM /r r');
    await long.next();
  });

  afterEach(() => long.return(undefined));

  after(async () => {
    runner.close();
    await engine.close();
  });

  function run(oql: string): AsyncGenerator<Uint8Array> {
    return runner.run({ oql, parameters: [], signal: { aborted: false } });
  }

  function collect(oql: string): Promise<string> {
    return joinPieces(run(oql));
  }

  it('runs at once if an index leads to its rows', async () => {
    const oql = "SELECT r.id FROM /r r WHERE r.id = 7 AND r.text <> 'y'";
    assert.equal(await collect(oql), '7');
  });

  it('runs at once if it took little time before', async () => {
    const oql = 'SELECT COUNT(*) FROM /r r WHERE r.id > 2990';
    await assert.rejects(collect(oql), { code: 'grid/too-many-queries' });
    await long.return(undefined);
    // The first run builds columns, which takes longer than later ones.
    await collect(oql);
    await collect(oql);
    long = run('SELECT * FROM /r r');
    await long.next();
    assert.equal(await collect(oql), '9');
  });
});

describe('many short queries that wait for slots', () => {
  const COUNT = 60;

  it('run in fewer rounds of the event loop than there are queries, but not all in one', async () => {
    const engine = new MemoryEngine();
    await engine.createRegion(plainRegion('r'));
    const region = await engine.openRegion('r');
    await region?.write([{ kind: 'put', key: 'a', value: '{"n":1}' }]);
    let clock = 0;
    let rounds = 0;
    const runner = new QueryRunner({
      engine,
      limits: { ...defaultLimits, maxQueriesAtOnce: 2 },
      observe: () => undefined,
      // Each reading of the clock takes some time.
      now: () => {
        clock += 0.01;
        return clock;
      },
      wallClock: () => 0,
      pause: async () => {
        rounds += 1;
        await new Promise((resolve) => setImmediate(resolve));
      },
      isMemoryLow: () => false,
    });
    const run = (): Promise<string> => {
      const oql = 'SELECT COUNT(*) FROM /r r WHERE r.n < 40';
      return joinPieces(runner.run({ oql, parameters: [], signal: { aborted: false } }));
    };
    await run();
    rounds = 0;
    const results = await Promise.all(Array.from({ length: COUNT }, run));
    runner.close();
    await engine.close();
    assert.deepEqual(new Set(results), new Set(['1']));
    assert.ok(rounds > 1 && rounds <= COUNT / 2, `${rounds} rounds`);
  });
});
