// Recorded changes, for readers that were disconnected.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Engine, RecordedChange } from '../../engine.ts';
import { changesAfter, commit, put } from './commits.ts';
import { definition, type EngineHarness, openOrders, requireRegion } from './harness.ts';

export function changeContract(harness: EngineHarness): void {
  it('records every change', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await commit(region, [put('\u{1F600}', '{}'), put('b', '{}')]);
    await commit(region, [{ kind: 'remove', key: 'b' }]);
    await region.clear();
    await engine.destroyRegion('orders');
    assert.deepEqual(await changesAfter(engine, 0, 100), [
      { sequence: 1, kind: 'create-region', region: 'orders', key: null },
      { sequence: 2, kind: 'put', region: 'orders', key: '\u{1F600}' },
      { sequence: 2, kind: 'put', region: 'orders', key: 'b' },
      { sequence: 3, kind: 'remove', region: 'orders', key: 'b' },
      { sequence: 4, kind: 'clear', region: 'orders', key: null },
      { sequence: 5, kind: 'destroy-region', region: 'orders', key: null },
    ]);
    assert.deepEqual(await changesAfter(engine, 5, 100), []);
  });

  it('never splits a commit', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await commit(region, [put('a', '{}'), put('b', '{}'), put('c', '{}')]);
    await commit(region, [put('d', '{}')]);
    const sequences = async (after: number, limit: number): Promise<number[]> =>
      (await changesAfter(engine, after, limit)).map(({ sequence }) => sequence);
    assert.deepEqual(await sequences(0, 0), []);
    assert.deepEqual(await sequences(0, 1), [1]);
    assert.deepEqual(await sequences(0, 3), [1]);
    assert.deepEqual(await sequences(0, 4), [1, 2, 2, 2]);
    assert.deepEqual(await sequences(1, 2), [2, 2, 2]);
    assert.deepEqual(await sequences(2, 2), [3]);
  });

  it('tells a reader that its changes are gone, with any limit', async (t) => {
    const { engine, region } = await openOrders(t, harness, { maxChanges: 10 });
    for (let i = 0; i < 50; i++) await commit(region, [put('a', '{}'), put('b', '{}')]);
    // An engine may trim after it has answered; a write without an effect waits for that.
    await region.write([{ kind: 'remove', key: 'absent' }]);
    const outcome = await engine.readChanges(0, 0);
    assert.equal(outcome.kind, 'gone');
    if (outcome.kind !== 'gone') return;
    const { latest, oldest } = outcome;
    assert.equal(latest, engine.stats().sequence);
    assert.deepEqual(await engine.readChanges(oldest - 1, 100), outcome);
    const remaining = await changesAfter(engine, oldest, 1000);
    assert.ok(remaining.length >= 10, `${remaining.length} changes are kept`);
    // Every commit from the first to the last that is kept, with both its changes.
    const expected = Array.from({ length: latest - oldest }, (_, i) => oldest + 1 + i);
    assert.deepEqual(
      remaining.map(({ key, sequence }) => `${sequence}${key}`),
      expected.flatMap((sequence) => [`${sequence}a`, `${sequence}b`]),
    );
  });

  it('tells a reader that its sequence is beyond the latest commit', async (t) => {
    const { engine } = await openOrders(t, harness);
    assert.deepEqual(await engine.readChanges(2, 10), { kind: 'gone', oldest: 0, latest: 1 });
    assert.deepEqual(await changesAfter(engine, 1, 10), []);
  });

  it('returns the values of entries that still have the version of the change', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await commit(region, [put('a', '{"n":1}'), put('b', '{"n":2}')]);
    const last = await commit(region, [put('a', '{"n":3}'), put('\u0001', '"odd"')]);
    await commit(region, [{ kind: 'remove', key: '\u0001' }]);
    const changes = await readValues(engine, 1);
    const current = changes.filter(({ key, sequence }) => key === 'b' || sequence === last);
    assert.deepEqual(
      current.map(({ key, sequence, value }) => [sequence, key, key === '\u0001' ? '' : value]),
      [
        [2, 'b', '{"n":2}'],
        [3, 'a', '{"n":3}'],
        [3, '\u0001', ''],
      ],
    );
    // Some engines store values in the log; no engine returns any other value.
    const overwritten = changes.find(({ key, sequence }) => key === 'a' && sequence === 2);
    assert.ok(['{"n":1}', undefined].includes(overwritten?.value));
    const removed = changes.find(({ key, kind }) => key === '\u0001' && kind === 'put');
    assert.ok(['"odd"', undefined].includes(removed?.value));
    assert.equal(changes.at(-1)?.value, undefined);
  });

  it('returns no value of a later region of the same name', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await commit(region, [put('a', '"old"')]);
    await engine.destroyRegion('orders');
    await engine.createRegion(definition('orders'));
    const created = await requireRegion(engine, 'orders');
    await commit(created, [put('a', '"new"')]);
    const puts = (await readValues(engine, 0)).filter(({ kind }) => kind === 'put');
    assert.equal(puts.at(-1)?.value, '"new"');
    assert.ok(['"old"', undefined].includes(puts[0]?.value));
  });

  it('reads only wanted changes, and reports how far it has read', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await engine.createRegion(definition('items'));
    const items = await requireRegion(engine, 'items');
    for (let i = 0; i < 5; i++) {
      await commit(region, [put(`k${i}`, `"${i}"`)]);
      await commit(items, [put(`i${i}`, `"${i}"`)]);
    }
    const latest = engine.stats().sequence;
    const ofItems = await engine.readChanges(2, 100, {
      regions: new Set(['items']),
      values: 'kept',
    });
    assert.ok(ofItems.kind === 'changes');
    assert.deepEqual([ofItems.through, ofItems.latest], [latest, latest]);
    assert.deepEqual(
      ofItems.changes.map(({ key, value }) => `${key}${value}`),
      [0, 1, 2, 3, 4].map((i) => `i${i}"${i}"`),
    );
    const isWanted = ({ key }: { readonly key: string | null }): boolean => key === 'k4';
    const one = await engine.readChanges(2, 3, { isWanted });
    assert.ok(one.kind === 'changes');
    assert.deepEqual([one.changes, one.through], [[], 5]);
    const other = await engine.readChanges(5, 100, { isWanted });
    assert.ok(other.kind === 'changes');
    assert.deepEqual([other.changes.map(({ key }) => key), other.through], [['k4'], latest]);
  });

  it('ends after the commit with which the values reach the byte limit', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const value = printDigits(4_000);
    for (let i = 0; i < 6; i++) await commit(region, [put(`a${i}`, value), put(`b${i}`, value)]);
    const ends: number[] = [];
    for (let after = 1; after < engine.stats().sequence; ) {
      const outcome = await engine.readChanges(after, 100, { values: 'kept', maxBytes: 1_000 });
      assert.ok(outcome.kind === 'changes' && outcome.through > after);
      assert.equal(outcome.changes.length, 2 * (outcome.through - after), 'whole commits');
      assert.ok(outcome.changes.every((change) => change.value === value));
      ends.push(outcome.through);
      after = outcome.through;
    }
    assert.ok(ends.length >= 3, `${ends.length} answers`);
  });

  it('skips no commit when a limit of bytes or changes ends an answer', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const value = printDigits(600);
    for (let i = 0; i < 4; i++) {
      await commit(region, [put(`a${i}`, value), put(`b${i}`, value), put(`c${i}`, value)]);
      // It has neither keys nor values, and must not overtake the changes before it.
      await engine.createRegion(definition(`made-${i}`));
    }
    const all = await engine.readChanges(0, 100);
    assert.ok(all.kind === 'changes');
    for (const [limit, maxBytes] of [
      [100, 1],
      [100, 2_000],
      [2, 10_000],
      [4, 10_000],
    ] as const) {
      const read: string[] = [];
      for (let after = 0; after < all.latest; ) {
        const outcome = await engine.readChanges(after, limit, { values: 'kept', maxBytes });
        assert.ok(outcome.kind === 'changes' && outcome.through > after);
        read.push(...outcome.changes.map(({ key, sequence }) => `${sequence} ${key}`));
        after = outcome.through;
      }
      assert.deepEqual(
        read,
        all.changes.map(({ key, sequence }) => `${sequence} ${key}`),
        `${limit} changes, ${maxBytes} bytes`,
      );
    }
  });

  it('knows when each change was made', async (t) => {
    const before = Date.now();
    const { engine, region } = await openOrders(t, harness);
    await commit(region, [put('a', '{}')]);
    const outcome = await engine.readChanges(0, 10);
    assert.ok(outcome.kind === 'changes');
    const [first, second] = outcome.changes;
    assert.ok(first !== undefined && second !== undefined);
    assert.ok(first.atMs >= before && second.atMs >= first.atMs && second.atMs <= Date.now());
    assert.ok(Number.isInteger(first.atMs));
    assert.deepEqual(await engine.findSequenceAt(before - 1), { kind: 'found', sequence: 0 });
    assert.deepEqual(await engine.findSequenceAt(Date.now() + 60_000), {
      kind: 'found',
      sequence: 2,
    });
    const found = await engine.findSequenceAt(second.atMs);
    assert.ok(
      found.kind === 'found' && found.sequence <= 1,
      'a change at that time counts as after it',
    );
  });

  it('finds no sequence for a time whose changes may be trimmed', async (t) => {
    const before = Date.now();
    const { engine, region } = await openOrders(t, harness, { maxChanges: 10 });
    for (let i = 0; i < 50; i++) await commit(region, [put('a', '{}'), put('b', '{}')]);
    const outcome = await engine.findSequenceAt(before);
    assert.equal(outcome.kind, 'gone');
    assert.deepEqual(outcome, await engine.readChanges(0, 1));
  });
}

async function readValues(engine: Engine, after: number): Promise<readonly RecordedChange[]> {
  const outcome = await engine.readChanges(after, 1_000, { values: 'kept' });
  assert.ok(outcome.kind === 'changes');
  return outcome.changes;
}

/** Text that does not compress: a store may compress values, and counts stored bytes. */
function printDigits(length: number): string {
  const digit = (i: number): number => Math.floor(Math.abs(Math.sin(i) * 1e6)) % 10;
  return `"${Array.from({ length }, (_, i) => digit(i)).join('')}"`;
}
