// The events that consumers of live queries receive. test/oql/live-oracle.cases.ts tests that rows
// are right for all queries and writes.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { defaultLimits } from '../../app/testing/default-limits.ts';
import { MemoryEngine } from '../../engine/memory/memory-engine.ts';
import { createLateEngine, type LateEngine } from '../../engine/testing/late-engine.ts';
import type { ParameterRequest } from '../../oql/index.ts';
import { Grid } from '../grid.ts';
import type { GridLimits } from '../limits.ts';
import type { LiveEvent } from './live-event.ts';
import type { LiveRequest } from './live-queries.ts';
import type { LiveStream } from './live-stream.ts';

let engine: MemoryEngine;
let grid: Grid;
let wallClock: number;
/** Added to the clock of query runs. */
let passedMs = 0;

async function openGrid(limits: Partial<GridLimits> = {}, late?: LateEngine): Promise<Grid> {
  return Grid.open({
    engine: late?.engine ?? engine,
    limits: { ...defaultLimits, liveIntervalMs: 1, ...limits },
    observe: () => undefined,
    servers: () => [],
    wallClock: () => wallClock,
    now: () => performance.now() + passedMs,
    pause: () =>
      new Promise((resolve) => {
        setImmediate(resolve);
      }),
    isMemoryLow: () => false,
  });
}

async function put(key: string, value: object | string, region = 'orders'): Promise<void> {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  await (await grid.region(region)).put([{ key, value: text }], []);
}

async function remove(...keys: readonly string[]): Promise<void> {
  await (await grid.region('orders')).remove(keys, []);
}

/** Reads the events of one stream, each as a line. */
class Reader {
  readonly stream: LiveStream;
  readonly #events: AsyncGenerator<LiveEvent>;
  /** The last sequence that it received. */
  sequence = 0;

  constructor(stream: LiveStream) {
    this.stream = stream;
    this.#events = stream.events();
  }

  async next(): Promise<string> {
    const { done, value } = await this.#events.next();
    if (done === true) return 'end';
    if ('sequence' in value) this.sequence = value.sequence;
    return printEvent(value);
  }

  /** Reads the events up to `ready`. */
  async begin(): Promise<readonly string[]> {
    const lines: string[] = [];
    while (lines.at(-1) !== 'ready') lines.push(await this.next());
    return lines;
  }
}

function printEvent(event: LiveEvent): string {
  switch (event.kind) {
    case 'snapshot': {
      const rows = event.rows.map(({ id, row }) => `${id} ${row}`).join(', ');
      return `${event.isReset ? 'reset' : 'snapshot'} ${rows}`.trimEnd();
    }
    case 'ready':
      return 'ready';
    case 'deltas':
      return event.deltas
        .map((delta) => `${delta.kind} ${delta.id}${'row' in delta ? ` ${delta.row}` : ''}`)
        .join(', ');
  }
}

async function open(oql: string, more: Partial<LiveRequest> = {}): Promise<Reader> {
  return new Reader(await grid.openLiveQuery({ readText: () => oql, parameters: [], ...more }));
}

/** Opens a new grid for every test of the suite. */
function withFreshGrid(): void {
  beforeEach(async () => {
    wallClock = 0;
    engine = new MemoryEngine();
    grid = await openGrid();
    await grid.createRegion({ name: 'orders' });
    await grid.createRegion({ name: 'customers' });
  });
  afterEach(async () => {
    grid.close();
    await engine.close();
  });
}

describe('a live query over one region', () => {
  withFreshGrid();

  const OPEN = "SELECT o.n FROM /orders o WHERE o.state = 'open'";

  it('begins with its rows and continues with their changes', async () => {
    await put('1', { n: 1, state: 'open' });
    await put('2', { n: 2, state: 'done' });
    const reader = await open(OPEN);
    assert.deepEqual(await reader.begin(), ['snapshot "1" 1', 'ready']);
    await put('2', { n: 2, state: 'open' });
    assert.equal(await reader.next(), 'enter "2" 2');
    await put('2', { n: 3, state: 'open' });
    assert.equal(await reader.next(), 'update "2" 3');
    await put('1', { n: 1, state: 'done' });
    assert.equal(await reader.next(), 'leave "1"');
    await remove('2');
    assert.equal(await reader.next(), 'leave "2"');
    assert.equal(reader.sequence, grid.stats().sequence);
  });

  it('reports no change that leaves the row as it was', async () => {
    await put('1', { n: 1, state: 'open' });
    const reader = await open(OPEN);
    await reader.begin();
    await put('1', { n: 1, state: 'open', note: 'x' });
    await put('2', { n: 2, state: 'done' });
    await put('3', { n: 3, state: 'open' });
    assert.equal(await reader.next(), 'enter "3" 3');
  });

  it('reports the changes of one commit together', async () => {
    const reader = await open(OPEN);
    assert.deepEqual(await reader.begin(), ['snapshot', 'ready']);
    const entry = (key: string) => ({ key, value: '{"n":1,"state":"open"}' });
    await (await grid.region('orders')).put(['b', 'a'].map(entry), []);
    assert.equal(await reader.next(), 'enter "a" 1, enter "b" 1');
    await (await grid.region('orders')).clear();
    assert.equal(await reader.next(), 'leave "a", leave "b"');
  });

  it('reports an expired entry as removed', async () => {
    await put('1', { n: 1, state: 'open' });
    const reader = await open(OPEN);
    await reader.begin();
    const region = await engine.openRegion('orders');
    const version = grid.stats().sequence;
    await region?.write([{ kind: 'expire', key: '1', version }]);
    assert.equal(await reader.next(), 'leave "1"');
  });

  it('evaluates only changed entries, however large the region is', async () => {
    for (let key = 0; key < 300; key += 1) await put(`${key}`, { n: key, state: 'open' });
    const reader = await open(OPEN);
    const other = await open('SELECT * FROM /orders o WHERE o.n > 290 ORDER BY o.n');
    await reader.begin();
    await other.begin();
    const before = grid.liveFigures();
    assert.equal(before.entriesEvaluated, 0);
    assert.equal(before.runs, 2);
    for (let key = 0; key < 10; key += 1) await put(`${key}`, { n: key + 1000, state: 'open' });
    while (reader.sequence < grid.stats().sequence) await reader.next();
    while (other.sequence < grid.stats().sequence) await other.next();
    const after = grid.liveFigures();
    assert.equal(after.entriesEvaluated, 20);
    assert.equal(after.runs, 2);
  });

  it('identifies the rows of one entry by its key and their number', async () => {
    const reader = await open('SELECT i.q FROM /orders o, o.items i WHERE i.q > 0');
    await reader.begin();
    await put('1', { items: [{ q: 1 }, { q: 0 }, { q: 3 }] });
    assert.equal(await reader.next(), 'enter ["1",0] 1, enter ["1",1] 3');
    await put('1', { items: [{ q: 3 }] });
    assert.equal(await reader.next(), 'update ["1",0] 3, leave ["1",1]');
  });

  it('returns whole documents as they were written', async () => {
    const reader = await open('/orders');
    await reader.begin();
    await (await grid.region('orders')).put([{ key: 'a', value: '{"n":20.0,"@type":"T"}' }], []);
    assert.equal(await reader.next(), 'enter "a" {"n":20.0,"type-class":"T"}');
  });

  it('fails when a new document makes the query fail', async () => {
    const reader = await open('SELECT o.n FROM /orders o WHERE o.n > 1');
    await reader.begin();
    await put('1', { n: 'text' });
    await assert.rejects(reader.next(), {
      code: 'oql/type-mismatch',
      entry: { region: 'orders', key: '1' },
    });
    assert.equal(await reader.next(), 'end');
  });

  it('fails when ORDER BY compares values without a common order', async () => {
    await put('1', { n: 1 });
    const reader = await open('SELECT o.n FROM /orders o ORDER BY o.n');
    await reader.begin();
    await put('2', { n: 2 });
    assert.equal(await reader.next(), 'enter "2" 2');
    await put('3', { n: 'text' });
    await assert.rejects(
      async () => {
        for (;;) await reader.next();
      },
      { code: 'oql/values-not-comparable' },
    );
  });
});

describe('a live query that is run again', () => {
  withFreshGrid();

  it('identifies groups by their group key', async () => {
    await put('1', { c: 'DE', n: 1 });
    await put('2', { n: 5 });
    const reader = await open('SELECT SUM(o.n) AS s, o.c AS c FROM /orders o GROUP BY o.c');
    const row = (s: number, c: string | null): string => JSON.stringify({ s, c });
    assert.deepEqual(await reader.begin(), [
      `snapshot [null] ${row(5, null)}, ["DE"] ${row(1, 'DE')}`,
      'ready',
    ]);
    await put('3', { c: 'DE', n: 2 });
    assert.equal(await reader.next(), `update ["DE"] ${row(3, 'DE')}`);
    await put('3', { c: 'FR', n: 2 });
    assert.equal(
      await reader.next(),
      `update ["DE"] ${row(1, 'DE')}, enter ["FR"] ${row(2, 'FR')}`,
    );
    assert.equal(grid.liveFigures().runAgain, 1);
  });

  it('distinguishes groups that print alike', async () => {
    await put('1', { c: null });
    await put('2', {});
    const reader = await open('SELECT o.c AS c, COUNT(*) AS n FROM /orders o GROUP BY o.c');
    const [snapshot] = await reader.begin();
    const row = '{"c":null,"n":1}';
    assert.equal(snapshot, `snapshot [null] ${row}, [null,1] ${row}`);
  });

  it('identifies a group by its value, whichever of its rows comes first', async () => {
    await put('1', '{"c":1.0}');
    await put('2', '{"c":1}');
    for (const c of ['0.50', '-0.0', '1e400']) await put(c, `{"c":${c}}`);
    const numbers = await open('SELECT o.c AS c, COUNT(*) AS n FROM /orders o GROUP BY o.c');
    const rows = await open('SELECT DISTINCT o.c FROM /orders o WHERE o.c = 1');
    const [groups = ''] = await numbers.begin();
    assert.deepEqual(groups.match(/\[.*?\]/g), ['[-0]', '[0.5]', '[1]', '[1e400]']);
    assert.equal((await rows.begin())[0], 'snapshot [1] 1.0');
    await remove('1');
    assert.equal(await numbers.next(), 'update [1] {"c":1,"n":1}');
    assert.equal(await rows.next(), 'update [1] 1');
  });

  it('identifies joined rows by the list of their keys', async () => {
    await put('c1', { id: 1 }, 'customers');
    await put('o1', { c: 1, n: 7 });
    const reader = await open('SELECT o.n FROM /customers c, /orders o WHERE o.c = c.id');
    assert.deepEqual(await reader.begin(), ['snapshot ["c1","o1"] 7', 'ready']);
    await put('c2', { id: 1 }, 'customers');
    assert.equal(await reader.next(), 'enter ["c2","o1"] 7');
  });

  it('identifies rows of a LEFT JOIN by the keys that exist', async () => {
    await put('c1', { id: 1 }, 'customers');
    await put('c2', { id: 2 }, 'customers');
    await put('o1', { c: 1, n: 7 });
    const join = 'FROM /customers c LEFT JOIN /orders o ON o.c = c.id AND c.id > 0';
    const reader = await open(`SELECT c.id AS id, o.n AS n ${join} WHERE o IS NULL OR o.n > 0`);
    assert.deepEqual(await reader.begin(), [
      'snapshot ["c1","o1"] {"id":1,"n":7}, ["c2",null] {"id":2,"n":null}',
      'ready',
    ]);
    await put('o2', { c: 2, n: 8 });
    assert.equal(await reader.next(), 'leave ["c2",null], enter ["c2","o2"] {"id":2,"n":8}');
    const whole = await open(`SELECT * ${join}`);
    assert.match((await whole.begin())[0] ?? '', /^snapshot \["c1","o1"\] .*, \["c2","o2"\] /);
    // Computing with a missing row must give null.
    const computed = await open(`SELECT c.id ${join} WHERE o <> NULL`);
    assert.deepEqual(await computed.begin(), ['snapshot ["c1",0] 1, ["c2",0] 2', 'ready']);
  });

  it('identifies rows without keys by their values, with their number', async () => {
    await put('1', { c: 'DE' });
    const distinct = await open('SELECT DISTINCT o.c AS c, o.n AS n FROM /orders o');
    assert.deepEqual(await distinct.begin(), ['snapshot ["DE",null] {"c":"DE","n":null}', 'ready']);
    const union = await open('SELECT o.c FROM /orders o UNION ALL SELECT o.c FROM /orders o');
    assert.deepEqual(await union.begin(), ['snapshot ["DE"] "DE", ["DE",1] "DE"', 'ready']);
    await remove('1');
    assert.equal(await union.next(), 'leave ["DE"], leave ["DE",1]');
  });

  it('identifies a single row by the empty list', async () => {
    const reader = await open('SELECT COUNT(*) FROM /orders');
    assert.deepEqual(await reader.begin(), ['snapshot [] 0', 'ready']);
    await put('1', {});
    assert.equal(await reader.next(), 'update [] 1');
  });

  it('follows the first rows of an order', async () => {
    for (const n of [3, 1, 2]) await put(`${n}`, { n });
    const reader = await open('SELECT o.n FROM /orders o ORDER BY o.n DESC LIMIT 2');
    assert.deepEqual(await reader.begin(), ['snapshot "3" 3, "2" 2', 'ready']);
    await put('4', { n: 4 });
    assert.equal(await reader.next(), 'leave "2", enter "4" 4');
  });

  it('runs again as time passes if it uses the current time', async () => {
    const oql = 'SELECT YEAR(NOW()) FROM /orders o';
    await put('1', {});
    wallClock = Date.UTC(2026, 5, 1);
    const reader = await open(oql);
    assert.deepEqual(await reader.begin(), ['snapshot "1" 2026', 'ready']);
    wallClock = Date.UTC(2027, 5, 1);
    assert.equal(await reader.next(), 'update "1" 2027');
  });
});

describe('live queries of several consumers', () => {
  withFreshGrid();

  const ALL = 'SELECT o.n FROM /orders o';

  it('share their rows, and show a write that was acknowledged before', async () => {
    const first = await open(ALL);
    await first.begin();
    await put('1', { n: 1 });
    const second = await open(ALL);
    assert.deepEqual(await second.begin(), ['snapshot "1" 1', 'ready']);
    assert.equal(grid.liveFigures().runs, 1);
    assert.equal(grid.liveFigures().entriesEvaluated, 1);
    assert.equal(await first.next(), 'enter "1" 1');
  });

  it('do not share rows of other parameters', async () => {
    await put('1', { n: 1 });
    await put('2', { n: 2 });
    const oql = 'SELECT o.n FROM /orders o WHERE o.n = $1';
    const one = (json: string): ParameterRequest => ({ name: undefined, type: 'int', json });
    const first = await open(oql, { parameters: [one('1')] });
    const second = await open(oql, { parameters: [one('2')] });
    assert.deepEqual(await first.begin(), ['snapshot "1" 1', 'ready']);
    assert.deepEqual(await second.begin(), ['snapshot "2" 2', 'ready']);
  });

  it('receive one delta per row when they are slow', async () => {
    await put('1', { n: 1 });
    const slow = await open(ALL);
    const fast = await open(ALL);
    await slow.begin();
    await fast.begin();
    for (let n = 2; n < 9; n += 1) {
      await put('1', { n });
      await put('2', { n });
      if (n === 5) await remove('2');
      while (fast.sequence < grid.stats().sequence) await fast.next();
    }
    assert.equal(await slow.next(), 'update "1" 8, enter "2" 8');
    assert.equal(slow.sequence, fast.sequence);
  });

  it('yield to other requests, however many they are', async () => {
    grid.close();
    let clock = 0;
    let pauses = 0;
    grid = await Grid.open({
      engine,
      limits: { ...defaultLimits, maxLiveRunMs: 0 },
      observe: () => undefined,
      servers: () => [],
      wallClock: () => 0,
      // Each reading of the clock uses a part of a slice.
      now: () => {
        clock += 0.2;
        return clock;
      },
      pause: async () => {
        pauses += 1;
      },
      isMemoryLow: () => false,
    });
    const readers = [];
    for (let n = 0; n < 20; n += 1) {
      readers.push(await open(`SELECT o.n FROM /orders o WHERE o.n > ${n}`));
    }
    for (const reader of readers) await reader.begin();
    const before = pauses;
    await put('1', { n: 100 });
    for (const reader of readers) assert.equal(await reader.next(), 'enter "1" 100');
    assert.ok(pauses - before >= 4, `${pauses - before} pauses`);
  });

  it('yield to other requests between two parts of a snapshot', async () => {
    const entries = Array.from({ length: 1_500 }, (_, n) => ({ key: `${n}`, value: `{"n":${n}}` }));
    await (await grid.region('orders')).put(entries, []);
    const reader = await open('SELECT o.n FROM /orders o');
    let rounds = 0;
    let isReading = true;
    const count = (): void => {
      rounds += 1;
      if (isReading) setImmediate(count);
    };
    setImmediate(count);
    const roundsBefore: number[] = [];
    while ((await reader.next()) !== 'ready') roundsBefore.push(rounds);
    isReading = false;
    assert.ok(roundsBefore.length > 4, `${roundsBefore.length} pieces`);
    assert.equal(new Set(roundsBefore).size, roundsBefore.length, `rounds: ${roundsBefore}`);
  });

  it('receive all rows again when they fall too far behind', async () => {
    const slow = await open(ALL);
    const fast = await open(ALL);
    await slow.begin();
    await fast.begin();
    const entries = Array.from({ length: 3_000 }, (_, key) => key);
    for (let n = 0; n < 4; n += 1) {
      const puts = entries.map((key) => ({ key: `${key}`, value: `{"n":${n}}` }));
      await (await grid.region('orders')).put(puts, []);
      while (fast.sequence < grid.stats().sequence) await fast.next();
    }
    const lines = await slow.begin();
    assert.match(lines[0] ?? '', /^reset "0" 3, /);
    assert.match(lines[1] ?? '', /^snapshot /);
    assert.equal(slow.sequence, fast.sequence);
  });
});

describe('a consumer of a live query that reconnects', () => {
  withFreshGrid();

  for (const oql of ['SELECT o.n FROM /orders o', 'SELECT o.n FROM /orders o LIMIT 10']) {
    it(`receives only the difference: ${oql}`, async () => {
      await put('1', { n: 1 });
      await put('2', { n: 2 });
      const reader = await open(oql);
      await reader.begin();
      reader.stream.close();
      await put('1', { n: 3 });
      await remove('2');
      const again = await open(oql, { resumeAt: reader.sequence });
      const [deltas = '', ready] = await again.begin();
      assert.deepEqual(deltas.split(', ').sort(), ['leave "2"', 'update "1" 3']);
      assert.equal(ready, 'ready');
      again.stream.close();
      const nothing = await open(oql, { resumeAt: again.sequence });
      assert.deepEqual(await nothing.begin(), ['ready']);
    });
  }

  it('receives the difference after more changes than are kept for it, from one run', async () => {
    const oql = 'SELECT o.n FROM /orders o WHERE o.n < 3';
    const reader = await open(oql);
    await reader.begin();
    reader.stream.close();
    const before = grid.liveFigures();
    for (let n = 0; n < 150; n += 1) await put(`${n}`, { n });
    const again = await open(oql, { resumeAt: reader.sequence });
    const [deltas = '', ready] = await again.begin();
    assert.deepEqual(deltas.split(', ').sort(), ['enter "0" 0', 'enter "1" 1', 'enter "2" 2']);
    assert.equal(ready, 'ready');
    const { entriesEvaluated, runs } = grid.liveFigures();
    assert.deepEqual([entriesEvaluated, runs], [before.entriesEvaluated, before.runs + 1]);
    await put('1', { n: 9 });
    assert.equal(await again.next(), 'leave "1"');
    assert.equal(grid.liveFigures().entriesEvaluated, entriesEvaluated + 1);
  });

  it('starts over if more queries than may be open were closed since', async () => {
    grid.close();
    grid = await openGrid({ maxLiveQueries: 2 });
    const readers: Reader[] = [];
    const openOne = (n: number, more: Partial<LiveRequest> = {}): Promise<Reader> =>
      open(`SELECT * FROM /orders o WHERE o.n = ${n}`, more);
    for (let n = 0; n < 3; n += 1) {
      const reader = await openOne(n);
      await reader.begin();
      reader.stream.close();
      readers.push(reader);
    }
    await put('x', { n: 9 });
    for (const [n, expected] of [[2, ['ready']] as const, [0, ['reset', 'ready']] as const]) {
      const again = await openOne(n, { resumeAt: readers[n]?.sequence });
      assert.deepEqual(await again.begin(), expected);
      again.stream.close();
    }
  });

  it('starts over where the difference is unknown', async () => {
    await put('1', { n: 1 });
    const reader = await open('SELECT o.n FROM /orders o', { resumeAt: 1 });
    assert.deepEqual(await reader.begin(), ['reset "1" 1', 'ready']);
  });

  it('starts over if its query uses the current time', async () => {
    await put('1', { n: 1 });
    const oql = 'SELECT o.n + YEAR(NOW()) - YEAR(NOW()) FROM /orders o';
    const reader = await open(oql);
    await reader.begin();
    const again = await open(oql, { resumeAt: reader.sequence });
    assert.deepEqual(await again.begin(), ['reset "1" 1', 'ready']);
  });
});

describe('a live query whose surroundings change', () => {
  withFreshGrid();

  it('starts over when the text of a named query changes, and ends when it is deleted', async () => {
    await put('1', { n: 1, m: 5 });
    await grid.createQuery({ id: 'q', oql: 'SELECT o.n FROM /orders o' });
    const readText = (): string | Promise<string> => grid.readQueryText('q');
    const reader = await open('', { queryId: 'q', readText });
    assert.deepEqual(await reader.begin(), ['snapshot "1" 1', 'ready']);
    await grid.updateQuery({ id: 'q', oql: 'SELECT o.m FROM /orders o' });
    assert.deepEqual(await reader.begin(), ['reset "1" 5', 'ready']);
    await put('2', { n: 2, m: 6 });
    assert.equal(await reader.next(), 'enter "2" 6');
    await grid.deleteQuery('q');
    await assert.rejects(reader.next(), { code: 'grid/query-not-found' });
  });

  it('ends when its region is destroyed', async () => {
    const reader = await open('SELECT o.n FROM /orders o');
    await reader.begin();
    await grid.destroyRegion('orders');
    await assert.rejects(reader.next(), { code: 'oql/region-not-found' });
  });

  it('continues over a region that was destroyed and created again in one turn', async () => {
    await put('1', { n: 1 });
    const reader = await open('SELECT o.n FROM /orders o');
    await reader.begin();
    // The next run is due at once.
    passedMs += 1_000;
    // Within one turn, so that nothing runs in between.
    await Promise.all([
      engine.destroyRegion('orders'),
      engine.createRegion({
        name: 'orders',
        type: 'REPLICATE',
        keyConstraint: null,
        valueConstraint: null,
      }),
    ]);
    await put('2', { n: 2 });
    const seen: string[] = [];
    while (reader.sequence < grid.stats().sequence) seen.push(await reader.next());
    assert.deepEqual(seen.join(', ').split(', ').sort(), ['enter "2" 2', 'leave "1"']);
  });

  it('ignores regions that it does not read', async () => {
    const reader = await open('SELECT o.n FROM /orders o');
    await reader.begin();
    await grid.createRegion({ name: 'other' });
    await put('1', { n: 1 });
    assert.equal(await reader.next(), 'enter "1" 1');
    assert.equal(grid.liveFigures().runs, 1);
  });

  it('receives commits of other servers, and starts over when commits were missed', async () => {
    const late = createLateEngine(engine);
    const second = await openGrid({}, late);
    const reader = new Reader(
      await second.openLiveQuery({ readText: () => 'SELECT o.n FROM /orders o', parameters: [] }),
    );
    await reader.begin();
    await put('1', { n: 1 });
    await late.engine.catchUp();
    assert.equal(await reader.next(), 'enter "1" 1');
    await put('1', { n: 2 });
    late.loseCommits();
    await late.engine.catchUp();
    assert.deepEqual(await reader.begin(), ['reset "1" 2', 'ready']);
    await put('2', { n: 3 });
    await late.engine.catchUp();
    assert.equal(await reader.next(), 'enter "2" 3');
    second.close();
  });

  it('ends when the grid closes', async () => {
    const reader = await open('SELECT o.n FROM /orders o');
    await reader.begin();
    const next = reader.next();
    grid.close();
    assert.equal(await next, 'end');
  });
});

describe('limits of live queries', () => {
  withFreshGrid();

  it('refuse an invalid query, and a region without permission', async () => {
    await assert.rejects(open('SELECT FROM'), { code: 'oql/syntax-error' });
    await assert.rejects(open('SELECT * FROM /nowhere'), { code: 'oql/region-not-found' });
    await assert.rejects(open('SELECT * FROM /orders WHERE n = $1'), {
      code: 'oql/parameter-count',
    });
    await assert.rejects(open('SELECT * FROM /orders', { mayRead: () => false }), {
      code: 'grid/region-forbidden',
    });
    await put('1', { state: 'open' });
    await assert.rejects(open('SELECT * FROM /orders o WHERE o.state = "open"'), {
      code: 'oql/name-unresolved',
    });
  });

  it('refuse a live query beyond the limit, until one is closed', async () => {
    grid.close();
    grid = await openGrid({ maxLiveQueries: 2 });
    const reader = await open('SELECT * FROM /orders');
    await open('SELECT * FROM /customers');
    await assert.rejects(open('SELECT * FROM /orders'), { code: 'grid/too-many-live-queries' });
    reader.stream.close();
    await open('SELECT * FROM /orders');
  });

  it('refuse too many rows, at the start and later', async () => {
    grid.close();
    grid = await openGrid({ maxLiveRows: 2 });
    await put('1', {});
    await put('2', {});
    const reader = await open('SELECT * FROM /orders');
    await reader.begin();
    await put('3', {});
    await assert.rejects(
      async () => {
        for (;;) await reader.next();
      },
      { code: 'grid/live-query-too-large' },
    );
    await assert.rejects(open('SELECT * FROM /orders'), { code: 'grid/live-query-too-large' });
    await assert.rejects(open('SELECT * FROM /orders LIMIT 5'), {
      code: 'grid/live-query-too-large',
    });
  });

  it('refuse a live query beyond the memory of all', async () => {
    grid.close();
    grid = await openGrid({ maxLiveBytes: 3_000 });
    await put('1', { text: 'x'.repeat(1_500) });
    const reader = await open('SELECT * FROM /orders');
    await assert.rejects(open('SELECT o.text AS t FROM /orders o'), {
      code: 'grid/too-many-live-queries',
    });
    await assert.rejects(open('SELECT o.text AS t, o.text AS u FROM /orders o'), {
      code: 'grid/live-query-too-large',
    });
    reader.stream.close();
    // State kept for consumers that may reconnect is dropped.
    await open('SELECT o.text AS t FROM /orders o');
  });

  it('end a query whose run takes too long', async () => {
    let clock = 0;
    grid.close();
    grid = await Grid.open({
      engine,
      limits: { ...defaultLimits, liveIntervalMs: 1, maxLiveRunMs: 50 },
      observe: () => undefined,
      servers: () => [],
      wallClock: () => 0,
      // Every reading of the clock takes time.
      now: () => {
        clock += 2;
        return clock;
      },
      pause: async () => undefined,
      isMemoryLow: () => false,
    });
    for (let key = 0; key < 200; key += 1) await put(`${key}`, { n: key });
    await assert.rejects(open('SELECT o.n FROM /orders o, /orders p WHERE o.n + p.n = 7'), {
      code: 'grid/live-query-too-slow',
    });
  });

  it('unsubscribe from the engine when the last is closed', async () => {
    const reader = await open('SELECT * FROM /orders');
    await reader.begin();
    assert.equal(grid.liveFigures().followed, 1);
    reader.stream.close();
    reader.stream.close();
    assert.equal(grid.liveFigures().followed, 0);
  });
});
