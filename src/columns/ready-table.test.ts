// A query whose parts are in memory does not wait for builds for other queries.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ColumnPath } from '../value/column-path.ts';
import { ColumnStore } from './column-store.ts';
import type { PrepareRequest, RequestedIndex } from './prepared-table.ts';
import { scanEntries } from './testing/scan-entries.ts';

const A: ColumnPath = [['a']];
const B: ColumnPath = [['b']];
const BY_A: RequestedIndex = { name: 'byA', kind: 'range', path: A };
const ENTRIES = new Map([
  ['x', '{"a":1,"b":2}'],
  ['y', '{"a":3,"b":4}'],
]);
const AT_ONCE = { isSliceOver: () => false, pause: async () => undefined };

function request(paths: readonly ColumnPath[], more: Partial<PrepareRequest> = {}): PrepareRequest {
  const load = { entryCount: ENTRIES.size, scan: () => scanEntries(ENTRIES) };
  return { sequence: 1, paths, collections: [], load, pacer: AT_ONCE, ...more };
}

/** A store with the column `a` in memory. */
async function storeWithA(): Promise<ColumnStore> {
  const store = new ColumnStore(2 ** 30, 1);
  const pin = store.pin('r');
  await pin.prepare(request([A]));
  pin.release();
  return store;
}

/** Whether it resolves without other work. */
async function isReady(work: Promise<unknown>): Promise<boolean> {
  const later = new Promise((resolve) => setImmediate(resolve, 'later'));
  return (await Promise.race([work, later])) !== 'later';
}

/** A pause that lasts until `end`. */
function longPause(): { readonly pacer: PrepareRequest['pacer']; readonly end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { pacer: { isSliceOver: () => true, pause: () => promise }, end: resolve };
}

describe('a query of parts in memory', () => {
  it('does not wait for a build of other parts', async () => {
    const store = await storeWithA();
    const { pacer, end } = longPause();
    const other = store.pin('r').prepare(request([A, B], { pacer }));
    assert.equal(await isReady(other), false);
    const table = await store.pin('r').prepare(request([A]));
    assert.equal(table?.entryCount, 2);
    end();
    assert.notEqual(await other, undefined);
  });

  it('waits if one of its parts is being built', async () => {
    const store = await storeWithA();
    const { promise: held, resolve: end } = Promise.withResolvers<void>();
    async function* slowScan() {
      await held;
      yield* scanEntries(ENTRIES);
    }
    const load = { entryCount: 2, scan: slowScan };
    const first = store.pin('r').prepare(request([B], { load }));
    assert.equal(await isReady(first), false);
    const second = store.pin('r').prepare(request([B]));
    assert.equal(await isReady(second), false);
    end();
    const column = (await second)?.column(B);
    assert.equal(column?.chunks[0]?.numbers[1], 4);
    assert.notEqual(await first, undefined);
  });

  it('waits for changes that another query applies', async () => {
    const store = await storeWithA();
    store.commit({
      sequence: 2,
      changes: [{ kind: 'put', region: 'r', key: 'x', value: '{"a":7}' }],
    });
    const { pacer, end } = longPause();
    const first = store.pin('r').prepare(request([A], { sequence: 2, pacer }));
    assert.equal(await isReady(first), false);
    const second = store.pin('r').prepare(request([A], { sequence: 2 }));
    end();
    assert.equal((await second)?.column(A).chunks[0]?.numbers[0], 7);
    assert.notEqual(await first, undefined);
  });

  it('waits for an index that is being built', async () => {
    const store = await storeWithA();
    const { pacer, end } = longPause();
    const first = store.pin('r').prepare(request([A], { indexes: [BY_A], pacer }));
    assert.equal(await isReady(first), false);
    const second = store.pin('r').prepare(request([A], { indexes: [BY_A] }));
    assert.equal(await isReady(second), false);
    end();
    assert.notEqual((await second)?.index('byA'), undefined);
    assert.notEqual(await first, undefined);
  });

  it('waits for its commit', async () => {
    const store = await storeWithA();
    const early = store.pin('r').prepare(request([A], { sequence: 2 }));
    assert.equal(await isReady(early), false);
    store.commit({
      sequence: 2,
      changes: [{ kind: 'put', region: 'r', key: 'z', value: '{"a":9}' }],
    });
    assert.equal((await early)?.column(A).chunks[0]?.numbers[2], 9);
  });
});
