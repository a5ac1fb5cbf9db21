// Several servers of one store. A commit that one server acknowledged is visible to all later reads
// on any server. Every server receives every commit once and in order.

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { shareOfKinds, shareOfRuns } from '../../../value/testing/share-of-runs.ts';
import type { Commit, Engine, Region } from '../../engine.ts';
import { MemoryEngine } from '../../memory/memory-engine.ts';
import { MirrorEngine, mirrorCommands } from '../mirror-engine.ts';
import { collect, toEntries, withSnapshot } from './collect.ts';
import { changesAfter, commit, put, record } from './commits.ts';
import { definition, type EngineHarness, openOrders, requireRegion } from './harness.ts';
import { rejectsWith } from './refusals.ts';

type OpenAnother = NonNullable<EngineHarness['openAnother']>;

interface Servers {
  readonly engines: readonly Engine[];
  readonly first: Region;
  readonly second: Region;
}

export function severalServersContract(harness: EngineHarness, openAnother: OpenAnother): void {
  const open = async (context: TestContext, count = 2): Promise<Servers> => {
    const { engine, region } = await openOrders(context, harness);
    const engines = [engine];
    while (engines.length < count) engines.push(await openAnother(context, engine));
    return { engines, first: region, second: await requireRegion(engines[1] ?? engine, 'orders') };
  };

  it('shows on one server what another acknowledged, with every kind of read', async (t) => {
    const { engines, first, second } = await open(t);
    const [, other] = engines;
    assert.ok(other !== undefined);
    for (let i = 0; i < 20; i++) {
      const version = await commit(first, [put('a', `{"i":${i}}`), put(`k${i}`, '{}')]);
      assert.deepEqual(await second.read(['a']), [{ value: `{"i":${i}}`, version }]);
      assert.equal(await second.count(), i + 2);
      assert.deepEqual(toEntries(await second.readFirst(1)), [['a', `{"i":${i}}`]]);
      await withSnapshot(other, async (snapshot) => {
        assert.equal(snapshot.sequence, version);
        assert.equal(snapshot.count('orders'), i + 2);
        assert.equal((await collect(snapshot, 'orders')).length, i + 2);
      });
      assert.equal((await changesAfter(other, version - 1, 10)).length, 2);
    }
  });

  it('orders the writes of all servers, and reports the same order to all', async (t) => {
    const { engines, first, second } = await open(t);
    const received = engines.map(record);
    const before = engines[0]?.stats().sequence ?? 0;
    const versions = await Promise.all(
      [first, second].flatMap((region, server) =>
        Array.from({ length: 40 }, (_, i) =>
          commit(region, [put(`${server} ${i % 7}`, `{"i":${i}}`), put('shared', `{"i":${i}}`)]),
        ),
      ),
    );
    assert.deepEqual(
      versions.toSorted((a, b) => a - b),
      Array.from({ length: 80 }, (_, i) => before + 1 + i),
    );
    for (const engine of engines) await engine.catchUp();
    assert.deepEqual(
      received[0]?.map(({ sequence }) => sequence),
      Array.from({ length: 80 }, (_, i) => before + 1 + i),
    );
    assert.deepEqual(received[1], received[0]);
  });

  it('reports commits of other servers to listeners when catching up', async (t) => {
    const { engines, first } = await open(t, 3);
    const received: Commit[][] = engines.map(record);
    for (let i = 0; i < 10; i++) {
      const version = await commit(first, [put(`k${i}`, `{"i":${i}}`)]);
      for (const [server, engine] of engines.entries()) {
        await engine.catchUp();
        assert.deepEqual(received[server]?.at(-1), {
          sequence: version,
          changes: [{ kind: 'put', region: 'orders', key: `k${i}`, value: `{"i":${i}}` }],
        });
      }
    }
  });

  it('tests guards across servers', async (t) => {
    const { first, second } = await open(t);
    const outcomes = await Promise.all(
      [first, second, first, second].map((region, i) =>
        region.write([put('only', `{"i":${i}}`)], [{ kind: 'all-absent' }]),
      ),
    );
    assert.equal(outcomes.filter(({ kind }) => kind === 'committed').length, 1);
    await commit(first, [put('n', '{"n":0}')]);
    const increment = async (region: Region): Promise<void> => {
      for (let done = 0; done < 15; ) {
        const [entry] = await region.read(['n']);
        assert.ok(entry !== undefined);
        const value = `{"n":${JSON.parse(entry.value).n + 1}}`;
        const outcome = await region.write(
          [put('n', value)],
          [{ kind: 'version-is', key: 'n', versions: [entry.version] }],
        );
        if (outcome.kind === 'committed') done += 1;
      }
    };
    await Promise.all([increment(first), increment(second)]);
    assert.equal((await second.read(['n']))[0]?.value, '{"n":30}');
  });

  it('shares changes of regions and indexes', async (t) => {
    const { engines, first, second } = await open(t);
    const [one, two] = engines;
    assert.ok(one !== undefined && two !== undefined);
    const index = (name: string) =>
      ({ name, kind: 'range', expression: `o.${name}`, from: '/orders o' }) as const;
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const outcomes = await Promise.all(
      names.map((name, i) => (i % 2 === 0 ? one : two).addIndex('orders', index(name))),
    );
    assert.ok(outcomes.every(({ kind }) => kind === 'added'));
    for (const engine of engines) {
      const [region] = await engine.describeRegions();
      assert.deepEqual(region?.indexes.map(({ name }) => name).sort(), names);
    }
    assert.deepEqual(await two.addIndex('orders', index('a')), { kind: 'taken', by: index('a') });
    assert.equal(await two.dropIndex('orders', 'a'), 'dropped');
    assert.equal(await one.dropIndex('orders', 'a'), 'index-missing');

    await commit(first, [put('a', '{}')]);
    await second.clear();
    assert.deepEqual(await first.read(['a']), [undefined]);
    assert.equal(await first.count(), 0);
    assert.equal(await two.createRegion(definition('orders')), 'exists');
    await two.destroyRegion('orders');
    assert.equal(await one.openRegion('orders'), undefined);
    assert.equal(await one.createRegion(definition('orders')), 'created');
    await rejectsWith(second.write([put('a', '{}')]), 'engine/region-gone');
    assert.deepEqual(await second.read(['a']), [undefined]);
    await commit(await requireRegion(two, 'orders'), [put('a', '{"new":1}')]);
    const [entry] = await (await requireRegion(one, 'orders')).read(['a']);
    assert.equal(entry?.value, '{"new":1}');
  });

  it('shows a consistent snapshot while all servers write', async (t) => {
    const { engines, first, second } = await open(t);
    const keys = Array.from({ length: 6 }, (_, i) => `k${i}`);
    const write = async (region: Region, from: number): Promise<void> => {
      for (let n = from; n < 40; n += 2) {
        await commit(
          region,
          keys.map((key) => put(key, `{"n":${n}}`)),
        );
      }
    };
    const read = async (engine: Engine, region: Region): Promise<void> => {
      for (let round = 0; round < 20; round++) {
        const seen = [(await region.read(keys)).map((entry) => entry?.value)];
        await withSnapshot(engine, async (snapshot) => {
          seen.push((await snapshot.read('orders', keys)).map((entry) => entry?.value));
        });
        for (const values of seen) assert.equal(new Set(values).size, 1);
      }
    };
    await write(first, 38);
    await Promise.all([
      write(first, 0),
      write(second, 1),
      ...engines.map((engine, i) => read(engine, i === 0 ? first : second)),
    ]);
  });

  it('resets a server that missed commits, which then continues', async (t) => {
    const { engine, region } = await openOrders(t, harness, { maxChanges: 20 });
    const other = await openAnother(t, engine);
    let resets = 0;
    let latest = 0;
    other.subscribe({
      onCommit: ({ sequence }) => {
        assert.equal(sequence, latest + 1, 'in order after the commits received before');
        latest = sequence;
      },
      onReset: (sequence) => {
        resets += 1;
        latest = sequence;
      },
    });
    latest = other.stats().sequence;
    // Within one turn of the event loop, so that the other server cannot follow meanwhile.
    await Promise.all(
      Array.from({ length: 300 }, (_, i) => commit(region, [put(`k${i % 50}`, `{"i":${i}}`)])),
    );
    await other.catchUp();
    assert.equal(latest, engine.stats().sequence);
    assert.ok(resets > 0, 'the commits between were trimmed');
    const resetsBefore = resets;
    assert.equal(await (await requireRegion(other, 'orders')).count(), 50);
    assert.deepEqual(await other.describeRegions(), await engine.describeRegions());
    const version = await commit(region, [put('next', '{}')]);
    await other.catchUp();
    assert.deepEqual([resets, latest], [resetsBefore, version]);
  });

  for (const count of shareOfKinds([3, 2, 5])) {
    it(`answers like one Map, through any of ${count} servers`, async (t) => {
      await fc.assert(
        fc.asyncProperty(
          mirrorCommands,
          fc.infiniteStream(fc.nat(count - 1)),
          async (all, picks) => {
            const engine = await harness.open(t);
            const engines = [engine];
            while (engines.length < count) engines.push(await openAnother(t, engine));
            const mirror = new MirrorEngine(new MemoryEngine(), engines);
            try {
              for (const command of all) await mirror.run(command, picks.next().value);
              await mirror.compareCommits();
            } finally {
              await mirror.close();
            }
          },
        ),
        { numRuns: shareOfRuns(count === 2 ? 6 : 3) },
      );
    });
  }
}
