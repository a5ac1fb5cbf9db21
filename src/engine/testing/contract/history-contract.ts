// The history of a region: earlier states can be read as they were.

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../../../value/testing/share-of-runs.ts';
import type { Engine, Region, RegionDefinition, Snapshot } from '../../engine.ts';
import { historyRegion } from '../../history-records.ts';
import { HistorySnapshot } from '../../history-snapshot.ts';
import { RegionHistory } from '../../region-history.ts';
import type { HistoryBounds } from '../../region-settings.ts';
import { UNUSUAL_KEYS } from '../unusual-keys.ts';
import { collect, collectKeys, withSnapshot } from './collect.ts';
import { commit, put, record } from './commits.ts';
import { definition, type EngineHarness, requireRegion } from './harness.ts';

const LASTING: HistoryBounds = { ageMs: null, count: 1_000_000 };

export function historyContract(harness: EngineHarness): void {
  it('shows every earlier state of a region', async (t) => {
    const { engine, region } = await openWithHistory(t, harness);
    const states = [await look(engine)];
    await commit(region, [put('a', '{"n":1}'), put('b', '{"n":1}')]);
    states.push(await look(engine));
    await commit(region, [put('a', '{"n":2}'), { kind: 'remove', key: 'b' }]);
    states.push(await look(engine));
    await region.clear();
    states.push(await look(engine));
    await commit(region, [put('b', '{"n":5.0}')]);
    states.push(await look(engine));
    for (const state of states) assert.deepEqual(await lookAt(engine, state.sequence), state);
  });

  it('records a put of an equal value, and no change without an effect', async (t) => {
    const { engine, region } = await openWithHistory(t, harness);
    const first = await commit(region, [put('a', '{}')]);
    await commit(region, [put('a', '{}')]);
    await commit(region, [
      { kind: 'remove', key: 'absent' },
      { kind: 'expire', key: 'a', version: first },
    ]);
    assert.deepEqual((await listVersions(engine, 'absent')).length, 0);
    assert.equal((await listVersions(engine, 'a')).length, 2);
  });

  it('lists the versions of an entry, latest first, page by page', async (t) => {
    const { engine, region } = await openWithHistory(t, harness);
    const first = await commit(region, [put('a', '[1]'), put('b', '[0]')]);
    const second = await commit(region, [put('a', '[2]')]);
    const removed = await commit(region, [{ kind: 'remove', key: 'a' }]);
    const third = await commit(region, [put('a', '[3]')]);
    const expired = await commit(region, [{ kind: 'expire', key: 'a', version: third }]);
    const expected = [
      [expired, 'expire', undefined],
      [third, 'put', '[3]'],
      [removed, 'remove', undefined],
      [second, 'put', '[2]'],
      [first, 'put', '[1]'],
    ];
    assert.deepEqual(await listVersions(engine, 'a'), expected);
    assert.deepEqual(
      await listVersions(engine, 'a', { below: third, limit: 2 }),
      expected.slice(2, 4),
    );
    assert.deepEqual(await listVersions(engine, 'b'), [[first, 'put', '[0]']]);
    assert.deepEqual(await listVersions(engine, 'c'), []);
  });

  it('trims the oldest changes beyond a number, and reports how far it goes back', async (t) => {
    const { engine, region } = await openWithHistory(t, harness, { ageMs: null, count: 3 });
    const versions: number[] = [];
    for (let i = 0; i < 6; i += 1) versions.push(await commit(region, [put('a', `[${i}]`)]));
    await withHistory(engine, async (history) => assert.equal(history.oldest, versions[2]));
    assert.deepEqual((await lookAt(engine, versions[2] ?? 0)).entries, [['a', '[2]']]);
    assert.deepEqual(
      (await listVersions(engine, 'a')).map(([version, , value]) => [version, value]),
      [5, 4, 3, 2].map((i) => [versions[i], `[${i}]`]),
    );
    const many = Array.from({ length: 4 }, (_, i) => put(`k${i}`, '[]'));
    const last = await commit(region, many);
    await withHistory(engine, async (history) => assert.equal(history.oldest, last));
    await region.clear();
    await withHistory(engine, async (history, snapshot) => {
      assert.equal(history.oldest, snapshot.sequence);
      // The records about the history, in addition to those of the changes.
      assert.equal(snapshot.count(historyRegion('orders')), 1);
    });
  });

  it('trims a long history in parts, and never shows half of a commit', async (t) => {
    const { engine, region } = await openWithHistory(t, harness, { ageMs: null, count: 5000 });
    const keys = Array.from({ length: 4500 }, (_, i) => `k${String(i).padStart(4, '0')}`);
    await commit(
      region,
      keys.map((key) => put(key, '[1]')),
    );
    await region.clear();
    await withHistory(engine, async (history, snapshot) => {
      assert.equal(history.oldest, snapshot.sequence - 1);
      assert.equal(await history.countAt(history.oldest), 4500);
    });
    await engine.alterRegion('orders', { history: { ageMs: null, count: 10 } });
    for (let i = 0; i < 6; i += 1) await commit(region, [put('a', `[${i}]`)]);
    await withHistory(engine, async (history, snapshot) => {
      assert.ok((snapshot.count(historyRegion('orders')) ?? 0) < 40, 'the history is trimmed');
      for (let at = history.oldest; at <= snapshot.sequence; at += 1) {
        assert.equal(await history.countAt(at), at < snapshot.sequence - 5 ? 0 : 1);
      }
    });
  });

  it('begins and ends as the region is altered', async (t) => {
    const engine = await harness.open(t);
    await engine.createRegion(definition('orders'));
    const received = record(engine);
    const region = await requireRegion(engine, 'orders');
    await commit(region, [put('a', '[1]')]);
    assert.equal(await engine.alterRegion('orders', { history: LASTING }), 'altered');
    assert.equal(await engine.alterRegion('orders', { history: LASTING }), 'unchanged');
    assert.equal(await engine.alterRegion('absent', { history: LASTING }), 'missing');
    const began = engine.stats().sequence;
    await commit(region, [put('a', '[2]')]);
    assert.deepEqual((await lookAt(engine, began)).entries, [['a', '[1]']]);
    await withHistory(engine, async (history) => assert.equal(history.oldest, began));
    assert.deepEqual(
      (await listVersions(engine, 'a')).map(([, , value]) => value),
      ['[2]', '[1]'],
    );
    assert.equal(await engine.alterRegion('orders', { history: null, entryTtlMs: 5 }), 'altered');
    const [described] = (await engine.describeRegions()).filter(({ name }) => name === 'orders');
    assert.equal(described?.history, undefined);
    assert.equal(described?.entryTtlMs, 5);
    await withSnapshot(engine, async (snapshot) => {
      assert.equal(await RegionHistory.open(snapshot, 'orders'), undefined);
    });
    // History records are not changes, so listeners do not receive them.
    assert.deepEqual(
      received.flatMap(({ changes }) => changes.map(({ kind, region: name }) => [kind, name])),
      [
        ['put', 'orders'],
        ['alter-region', 'orders'],
        ['put', 'orders'],
        ['alter-region', 'orders'],
      ],
    );
  });

  it('is destroyed with its region, and not visible in the next one of that name', async (t) => {
    const { engine, region } = await openWithHistory(t, harness);
    await commit(region, [put('a', '[1]')]);
    await commit(region, [put('a', '[2]')]);
    await engine.destroyRegion('orders');
    assert.deepEqual(await engine.describeRegions(), []);
    await engine.createRegion(definitionWithHistory(LASTING));
    await withHistory(engine, async (history, snapshot) => {
      assert.equal(history.oldest, snapshot.sequence);
    });
    assert.deepEqual(await listVersions(engine, 'a'), []);
  });

  it('keeps the history of every region that a commit changes', async (t) => {
    const engine = await harness.open(t);
    await engine.createRegion({ ...definition('one'), history: LASTING });
    await engine.createRegion(definition('two'));
    await engine.createRegion({ ...definition('three'), history: LASTING });
    const writes = (value: string) =>
      ['one', 'two', 'three'].map((region) => ({ region, changes: [put('k', value)] }));
    await engine.commit(writes('[1]'));
    const { sequence } = engine.stats();
    await engine.commit(writes('[2]'), 'roll-back');
    await engine.commit(writes('[2]'));
    for (const region of ['one', 'three']) {
      assert.deepEqual((await lookAt(engine, sequence, region)).entries, [['k', '[1]']]);
      assert.equal((await listVersions(engine, 'k', {}, region)).length, 2);
    }
  });

  it('equals a recording of all states', async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const engine = await harness.open(t);
        await engine.createRegion(definitionWithHistory({ ageMs: null, count: 25 }));
        const region = await requireRegion(engine, 'orders');
        const states = [await look(engine)];
        for (const each of steps) {
          if (each === 'clear') await region.clear();
          else await region.write(each);
          states.push(await look(engine));
        }
        await compareStates(engine, states);
      }),
      { numRuns: shareOfRuns(harness.openAnother === undefined ? 12 : 3) },
    );
  });

  const { reopen } = harness;
  if (reopen === undefined) return;
  it('survives a restart', async (t) => {
    const { engine, region } = await openWithHistory(t, harness);
    const first = await commit(region, [put('a', '[1]')]);
    await commit(region, [put('a', '[2]')]);
    await engine.close();
    const reopened = await reopen(engine);
    try {
      assert.deepEqual((await lookAt(reopened, first)).entries, [['a', '[1]']]);
      await commit(await requireRegion(reopened, 'orders'), [put('a', '[3]')]);
      assert.equal((await listVersions(reopened, 'a')).length, 3);
    } finally {
      await reopened.close();
    }
  });
}

const keys = fc.constantFrom('a', 'ab', 'b', '\u0001', 'a\u0001', 'a\u0001\u0002', ...UNUSUAL_KEYS);
const step = fc.oneof(
  { weight: 1, arbitrary: fc.constant('clear' as const) },
  {
    weight: 9,
    arbitrary: fc.uniqueArray(
      fc.oneof(
        fc.record({
          kind: fc.constant('put' as const),
          key: keys,
          value: fc.integer().map((n) => `{"n":${n}}`),
        }),
        fc.record({ kind: fc.constant('remove' as const), key: keys }),
        fc.record({
          kind: fc.constant('expire' as const),
          key: keys,
          version: fc.integer({ min: 1, max: 14 }),
        }),
      ),
      { maxLength: 5, selector: ({ key }) => key },
    ),
  },
);

interface State {
  readonly sequence: number;
  readonly count: number | undefined;
  readonly entries: readonly (readonly [string, string])[];
}

async function compareStates(engine: Engine, states: readonly State[]): Promise<void> {
  await withHistory(engine, async (history) => {
    for (const state of states.filter(({ sequence }) => sequence >= history.oldest)) {
      assert.deepEqual(await lookAt(engine, state.sequence), state);
    }
  });
}

function definitionWithHistory(history: HistoryBounds): RegionDefinition {
  return { ...definition('orders'), history };
}

async function openWithHistory(
  context: TestContext,
  harness: EngineHarness,
  history: HistoryBounds = LASTING,
): Promise<{ engine: Engine; region: Region }> {
  const engine = await harness.open(context);
  await engine.createRegion(definitionWithHistory(history));
  return { engine, region: await requireRegion(engine, 'orders') };
}

async function withHistory(
  engine: Engine,
  use: (history: RegionHistory, snapshot: Snapshot) => Promise<void>,
  region = 'orders',
): Promise<void> {
  await withSnapshot(engine, async (snapshot) => {
    const history = await RegionHistory.open(snapshot, region);
    assert.ok(history, 'the region keeps history');
    await use(history, snapshot);
  });
}

async function look(engine: Engine): Promise<State> {
  let state: State | undefined;
  await withSnapshot(engine, async (snapshot) => {
    state = await describeState(snapshot, 'orders');
  });
  assert.ok(state);
  return state;
}

/** Reads the state with every kind of read, and compares them. */
async function describeState(snapshot: Snapshot, region: string): Promise<State> {
  const entries = await collect(snapshot, region);
  const backwards: string[] = [];
  for await (const batch of snapshot.scan(region, { order: 'desc' }, 'keys'))
    backwards.push(...batch);
  assert.deepEqual(backwards, entries.map(([key]) => key).reverse());
  const middle = entries[Math.floor(entries.length / 2)]?.[0];
  if (middle !== undefined) {
    const later = entries.filter(([key]) => key > middle);
    assert.deepEqual(await collect(snapshot, region, { after: middle }), later);
    const first = await collectKeys(snapshot, region, { after: middle, limit: 1 });
    assert.deepEqual(
      first,
      later.slice(0, 1).map(([key]) => key),
    );
  }
  const keys = entries.map(([key]) => key);
  const next = await snapshot.readNext(region, ['', ...keys]);
  assert.deepEqual(
    next.map((entry) => entry && [entry.key, entry.value]),
    [...entries, undefined],
  );
  const read = await snapshot.read(region, keys);
  assert.deepEqual(
    read.map((entry) => entry?.value),
    entries.map(([, value]) => value),
  );
  return { sequence: snapshot.sequence, count: snapshot.count(region), entries };
}

async function lookAt(engine: Engine, sequence: number, region = 'orders'): Promise<State> {
  let state: State | undefined;
  await withHistory(
    engine,
    async (history, snapshot) => {
      const earlier = await HistorySnapshot.open(snapshot, sequence, new Map([[region, history]]));
      assert.deepEqual(await earlier.read(region, ['never']), [undefined]);
      state = await describeState(earlier, region);
    },
    region,
  );
  assert.ok(state);
  return state;
}

async function listVersions(
  engine: Engine,
  key: string,
  { below = Number.MAX_SAFE_INTEGER, limit = 100 }: { below?: number; limit?: number } = {},
  region = 'orders',
): Promise<readonly (readonly unknown[])[]> {
  let versions: readonly (readonly unknown[])[] = [];
  await withHistory(
    engine,
    async (history) => {
      versions = (await history.listVersions(key, { below, limit })).map(
        ({ operation, value, version }) => [version, operation, value],
      );
    },
    region,
  );
  return versions;
}
