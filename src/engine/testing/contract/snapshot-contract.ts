// Snapshots of all regions while others write.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Snapshot } from '../../engine.ts';
import { UNUSUAL_KEYS } from '../unusual-keys.ts';
import { collect, collectKeys, toEntries, withSnapshot } from './collect.ts';
import { commit, put } from './commits.ts';
import { definition, type EngineHarness, openOrders } from './harness.ts';

export function snapshotContract(harness: EngineHarness): void {
  it('shows one commit while writes continue', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const version = await commit(region, [put('a', '{"n":1}'), put('b', '{"n":1}')]);
    await withSnapshot(engine, async (snapshot) => {
      assert.equal(snapshot.sequence, version);
      await commit(region, [put('a', '{"n":2}'), put('c', '{}'), { kind: 'remove', key: 'b' }]);
      await engine.createRegion(definition('items'));
      assert.equal(snapshot.count('orders'), 2);
      assert.equal(snapshot.count('items'), undefined);
      assert.deepEqual(await snapshot.read('orders', ['a', 'b', 'c']), [
        { value: '{"n":1}', version },
        { value: '{"n":1}', version },
        undefined,
      ]);
      assert.deepEqual(await collect(snapshot, 'orders'), [
        ['a', '{"n":1}'],
        ['b', '{"n":1}'],
      ]);
    });
  });

  it('still shows a region that was destroyed meanwhile', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await commit(region, [put('a', '{"n":1}')]);
    await withSnapshot(engine, async (snapshot) => {
      await engine.destroyRegion('orders');
      await engine.createRegion(definition('orders'));
      assert.equal(snapshot.count('orders'), 1);
      assert.deepEqual(await collect(snapshot, 'orders'), [['a', '{"n":1}']]);
    });
  });

  it('stops reading many keys at the byte limit, after at least one', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const keys = Array.from({ length: 100 }, (_, i) => `k${String(i).padStart(3, '0')}`);
    const small = (i: number): string => `{"i":${i}}`;
    const large = `{"pad":"${'x'.repeat(5000)}"}`;
    for (const makeValue of [small, (i: number) => (i % 10 === 3 ? large : small(i))]) {
      await commit(
        region,
        keys.map((key, i) => put(key, makeValue(i))),
      );
      await withSnapshot(engine, async (snapshot) => {
        for (const maxBytes of [0, 60, 4000, 9000, 1_000_000]) {
          const wanted = ['nowhere', ...keys];
          const values: (string | undefined)[] = [];
          while (values.length < wanted.length) {
            const read = await snapshot.read('orders', wanted.slice(values.length), maxBytes);
            assert.ok(read.length > 0);
            const bytes = read.slice(0, -1).reduce((sum, it) => sum + (it?.value.length ?? 0), 0);
            assert.ok(read.length === 1 || bytes < maxBytes, `${bytes} of ${maxBytes}`);
            values.push(...read.map((entry) => entry?.value));
          }
          assert.deepEqual(values, [undefined, ...keys.map((_, i) => makeValue(i))]);
        }
      });
    }
  });

  it('reads the first entry after each key, as a scan would', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const stored = UNUSUAL_KEYS.filter((_, i) => i % 3 !== 0);
    const pad = 'é'.repeat(2_000);
    const version = await commit(
      region,
      stored.map((key, i) => put(key, `{"i":${i},"pad":"${i % 5 === 0 ? pad : ''}"}`)),
    );
    const starts = ['', ...UNUSUAL_KEYS, ...UNUSUAL_KEYS.map((key) => `${key}\u0001`), '\uffff'];
    await withSnapshot(engine, async (snapshot) => {
      await commit(region, [{ kind: 'remove', key: stored[0] ?? '' }, put('a', '[]')]);
      const expected: unknown[] = [];
      for (const after of starts) {
        const [first] = await collect(snapshot, 'orders', { after, limit: 1 });
        expected.push(first && { key: first[0], value: first[1], version });
      }
      for (const maxBytes of [undefined, 0, 60, 9_000, 1_000_000]) {
        const read: unknown[] = [];
        while (read.length < starts.length) {
          const some = await snapshot.readNext('orders', starts.slice(read.length), maxBytes);
          assert.ok(some.length > 0);
          const bytes = some.slice(0, -1).reduce((sum, it) => sum + (it?.value.length ?? 0), 0);
          assert.ok(some.length === 1 || bytes < (maxBytes ?? Number.POSITIVE_INFINITY));
          read.push(...some);
        }
        assert.deepEqual(read, expected);
      }
      assert.deepEqual(await snapshot.readNext('nowhere', ['a', 'b']), [undefined, undefined]);
    });
  });

  it('finds nothing in a region that does not exist', async (t) => {
    const engine = await harness.open(t);
    await withSnapshot(engine, async (snapshot) => {
      assert.equal(snapshot.sequence, 0);
      assert.equal(snapshot.count('nowhere'), undefined);
      assert.deepEqual(await snapshot.read('nowhere', ['a', 'b']), [undefined, undefined]);
      assert.deepEqual(await collect(snapshot, 'nowhere'), []);
      assert.deepEqual(await collectKeys(snapshot, 'nowhere'), []);
    });
  });

  it('shows all of a multi-key write or none of it', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const keys = Array.from({ length: 8 }, (_, i) => `k${i}`);
    await commit(
      region,
      keys.map((key) => put(key, '{"n":0}')),
    );
    const writer = async (offset: number): Promise<void> => {
      for (let n = offset; n < 40; n += 2)
        await commit(
          region,
          keys.map((key) => put(key, `{"n":${n}}`)),
        );
    };
    const reader = async (): Promise<void> => {
      for (let round = 0; round < 40; round++) {
        const seen = [(await region.read(keys)).map((entry) => entry?.value)];
        seen.push(toEntries(await region.readFirst(8)).map(([, value]) => value));
        await withSnapshot(engine, async (snapshot) => {
          const entries = await snapshot.read('orders', keys);
          seen.push(entries.map((entry) => entry?.value));
          assert.ok(entries.every((entry) => (entry?.version ?? Number.NaN) <= snapshot.sequence));
        });
        for (const values of seen) assert.equal(new Set(values).size, 1);
      }
    };
    await Promise.all([writer(0), writer(1), reader(), reader()]);
  });

  it('has the sequence of exactly the commit that it shows', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const writer = async (): Promise<void> => {
      for (let i = 0; i < 60; i++) await commit(region, [put('a', `{"i":${i}}`)]);
    };
    const reader = async (): Promise<void> => {
      for (let round = 0; round < 60; round++) {
        await withSnapshot(engine, async (snapshot) => {
          const [entry] = await snapshot.read('orders', ['a']);
          // Every commit after the first rewrites `a`, so its version is the latest commit.
          assert.equal(entry?.version ?? 1, snapshot.sequence);
        });
      }
    };
    await Promise.all([writer(), reader()]);
  });

  it('sees every write acknowledged before it was opened', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    for (let i = 0; i < 20; i++) {
      const version = await commit(region, [put('a', `{"i":${i}}`)]);
      await withSnapshot(engine, async (snapshot) => assert.equal(snapshot.sequence, version));
    }
  });

  it('can be open many times at once', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const snapshots: Snapshot[] = [];
    const count = Math.min(40, harness.maxSnapshots ?? 40);
    for (let i = 0; i < count; i++) {
      await commit(region, [put('a', `{"i":${i}}`)]);
      snapshots.push(await engine.openSnapshot());
    }
    assert.equal(engine.stats().openSnapshots, count);
    for (const [i, snapshot] of snapshots.entries()) {
      assert.equal((await snapshot.read('orders', ['a']))[0]?.value, `{"i":${i}}`);
      snapshot.close();
      snapshot.close();
    }
    assert.equal(engine.stats().openSnapshots, 0);
  });
}
