// Recorded changes of a region with history: every put has its value, and every change the previous
// entry, for as long as the history goes back.

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../../../value/testing/share-of-runs.ts';
import {
  type CompletedChange,
  type CompletionWanted,
  completeChanges,
} from '../../complete-changes.ts';
import type { Commit, Engine, Region } from '../../engine.ts';
import { RegionHistory } from '../../region-history.ts';
import type { HistoryBounds } from '../../region-settings.ts';
import { UNUSUAL_KEYS } from '../unusual-keys.ts';
import { withSnapshot } from './collect.ts';
import { commit, put, record } from './commits.ts';
import { definition, type EngineHarness, requireRegion } from './harness.ts';

const LASTING: HistoryBounds = { ageMs: null, count: 1_000_000 };

export function completeChangesContract(harness: EngineHarness): void {
  it('has the value of every put, and the entry before each change', async (t) => {
    const { engine, region } = await openWithHistory(t, harness, LASTING);
    await commit(region, [put('a', '[1]'), put('b', '[1]')]);
    await commit(region, [put('a', '[2]')]);
    await commit(region, [put('a', '[2]'), { kind: 'remove', key: 'b' }]);
    const third = await commit(region, [put('b', '[3.0]')]);
    await commit(region, [{ kind: 'expire', key: 'b', version: third }]);
    await region.clear();
    await commit(region, [put('a', '[4]')]);
    assert.deepEqual((await readCompleted(engine)).map(print), [
      'create-region',
      'put a [1], nothing before',
      'put b [1], nothing before',
      'put a [2], before [1]',
      'put a [2], before [2]',
      'remove b, before [1]',
      'put b [3.0], nothing before',
      'expire b, before [3.0]',
      'clear',
      'put a [4], nothing before',
    ]);
  });

  it('reads only what was requested', async (t) => {
    const { engine, region } = await openWithHistory(t, harness, LASTING);
    await commit(region, [put('a', '[1]')]);
    await commit(region, [put('a', '[2]')]);
    await commit(region, [{ kind: 'remove', key: 'a' }]);
    const removals = await readCompleted(engine, { before: ({ kind }) => kind === 'remove' });
    assert.deepEqual(
      removals.map(({ before }) => before),
      [undefined, undefined, undefined, { kind: 'present', value: '[2]' }],
    );
    const outcome = await engine.readChanges(0, 1_000);
    assert.ok(outcome.kind === 'changes');
    const bare = { values: false, before: () => false, maxBytes: 1, nowMs: 0 };
    assert.deepEqual(await completeChanges(engine, outcome.changes, bare), {
      changes: outcome.changes,
      isCut: false,
    });
  });

  it('has no values for a region without history, or from before it began', async (t) => {
    const engine = await harness.open(t);
    await engine.createRegion(definition('orders'));
    const region = await requireRegion(engine, 'orders');
    await commit(region, [put('a', '[1]'), put('b', '[1]')]);
    await commit(region, [put('a', '[2]')]);
    const without = await readCompleted(engine);
    assert.ok(without.every(({ before, key }) => key === null || before?.kind === 'gone'));
    await engine.alterRegion('orders', { history: LASTING });
    await commit(region, [put('b', '[3]')]);
    const changes = (await readCompleted(engine)).filter(({ key }) => key !== null);
    assert.deepEqual(changes.slice(1).map(print), [
      // An entry from before the history is the previous state of the first recorded change.
      'put b [1], before gone',
      'put a [2], before gone',
      'put b [3], before [1]',
    ]);
    assert.match(print(changes[0]), /^put a (\[1\]|superseded), before gone$/);
  });

  it('takes nothing from a later region of the same name', async (t) => {
    const { engine, region } = await openWithHistory(t, harness, LASTING);
    await commit(region, [put('a', '["old"]')]);
    await commit(region, [put('a', '["older"]')]);
    await engine.destroyRegion('orders');
    await engine.createRegion({ ...definition('orders'), history: LASTING });
    const next = await requireRegion(engine, 'orders');
    await commit(next, [put('a', '["new"]')]);
    await commit(next, [put('a', '["newer"]')]);
    const puts = (await readCompleted(engine)).filter(({ kind }) => kind === 'put').map(print);
    assert.match(puts[0] ?? '', /^put a (\["old"\]|superseded), before gone$/);
    assert.match(puts[1] ?? '', /^put a (\["older"\]|superseded), before gone$/);
    assert.deepEqual(puts.slice(2), [
      'put a ["new"], nothing before',
      'put a ["newer"], before ["new"]',
    ]);
  });

  it('returns nothing beyond the bounds of the history, trimmed or not', async (t) => {
    const { engine, region } = await openWithHistory(t, harness, { ageMs: 60_000, count: null });
    await commit(region, [put('a', '[1]')]);
    await commit(region, [put('a', '[2]')]);
    const now = (await readCompleted(engine)).slice(1).map(print);
    assert.deepEqual(now, ['put a [1], nothing before', 'put a [2], before [1]']);
    const later = await readCompleted(engine, { nowMs: Date.now() + 120_000 });
    assert.match(print(later[1]), /^put a (\[1\]|superseded), before gone$/);
    assert.equal(print(later[2]), 'put a [2], before gone');
  });

  it('ends after the commit with which the values reach the byte limit', async (t) => {
    const { engine, region } = await openWithHistory(t, harness, LASTING);
    const value = `"${'x'.repeat(1_000)}"`;
    for (let i = 0; i < 4; i += 1) await commit(region, [put('a', value), put('b', value)]);
    await region.clear();
    const outcome = await engine.readChanges(1, 1_000, { values: 'kept' });
    assert.ok(outcome.kind === 'changes');
    const wanted = { values: true, before: () => true, maxBytes: 3_000, nowMs: Date.now() };
    const some = await completeChanges(engine, outcome.changes, wanted);
    assert.ok(some.isCut);
    // Two values with the first commit, and four more with the second.
    assert.deepEqual(
      some.changes.map(({ key, sequence }) => `${sequence}${key}`),
      ['2a', '2b', '3a', '3b'],
    );
    assert.ok(some.changes.every((change) => change.value === value));
    const one = await completeChanges(engine, outcome.changes, { ...wanted, maxBytes: 1 });
    assert.deepEqual([one.changes.length, one.isCut], [2, true]);
  });

  it('equals the commits that a listener received, as far as the history goes back', async (t) => {
    const engine = await harness.open(t);
    const received = record(engine);
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        runs += 1;
        const name = `orders${runs}`;
        const after = engine.stats().sequence;
        await engine.createRegion({ ...definition(name), history: { ageMs: null, count: 20 } });
        const region = await requireRegion(engine, name);
        for (const each of steps) {
          if (each === 'clear') await region.clear();
          else await region.write(each);
        }
        const oldest = await findOldest(engine, name);
        const changes = await readCompleted(engine, {}, after);
        const expected = replay(received.filter(({ sequence }) => sequence > after));
        assert.equal(changes.length, expected.length);
        for (const [i, change] of changes.entries()) {
          const { text, value } = expected[i] ?? assert.fail('a change that was not reported');
          if (change.sequence > oldest) assert.equal(print(change), text);
          else assert.ok(change.value === undefined || change.value === value);
        }
      }),
      { numRuns: shareOfRuns(harness.reopen === undefined ? 40 : 8) },
    );
  });
}

async function findOldest(engine: Engine, region: string): Promise<number> {
  let oldest: number | undefined;
  await withSnapshot(engine, async (snapshot) => {
    oldest = (await RegionHistory.open(snapshot, region))?.oldest;
  });
  return oldest ?? assert.fail('the region keeps no history');
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
          value: fc.integer({ min: 0, max: 9 }).map((n) => `[${n}]`),
        }),
        fc.record({ kind: fc.constant('remove' as const), key: keys }),
      ),
      { minLength: 1, maxLength: 4, selector: ({ key }) => key },
    ),
  },
);

/** The expected changes of the region, from the commits that a listener received. */
function replay(
  received: readonly Commit[],
): readonly { readonly text: string; readonly value: string | undefined }[] {
  const state = new Map<string, string>();
  return received.flatMap(({ changes }) =>
    changes.map((change) => {
      if (change.kind === 'clear') state.clear();
      if (!('key' in change)) return { text: change.kind, value: undefined };
      const { key, kind } = change;
      const before = state.get(key);
      const value = 'value' in change ? change.value : undefined;
      if (value === undefined) state.delete(key);
      else state.set(key, value);
      const head = value === undefined ? `${kind} ${key}` : `${kind} ${key} ${value}`;
      return {
        text: before === undefined ? `${head}, nothing before` : `${head}, before ${before}`,
        value,
      };
    }),
  );
}

function print(change: CompletedChange | undefined): string {
  assert.ok(change);
  const { before, key, kind, value } = change;
  if (key === null) return kind;
  const head = kind === 'put' ? `put ${key} ${value ?? 'superseded'}` : `${kind} ${key}`;
  if (before?.kind === 'present') return `${head}, before ${before.value}`;
  return before?.kind === 'absent' ? `${head}, nothing before` : `${head}, before gone`;
}

async function readCompleted(
  engine: Engine,
  wanted: Partial<CompletionWanted> = {},
  after = 0,
): Promise<readonly CompletedChange[]> {
  const outcome = await engine.readChanges(after, 1_000, { values: 'kept' });
  assert.ok(outcome.kind === 'changes');
  const everything = {
    values: true,
    before: () => true,
    maxBytes: Number.POSITIVE_INFINITY,
    nowMs: Date.now(),
  };
  const all = await completeChanges(engine, outcome.changes, { ...everything, ...wanted });
  assert.equal(all.isCut, false);
  return all.changes.filter(({ kind }) => kind !== 'alter-region');
}

async function openWithHistory(
  context: TestContext,
  harness: EngineHarness,
  history: HistoryBounds,
): Promise<{ engine: Engine; region: Region }> {
  const engine = await harness.open(context);
  await engine.createRegion({ ...definition('orders'), history });
  return { engine, region: await requireRegion(engine, 'orders') };
}
