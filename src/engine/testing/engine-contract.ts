// The port's sentences as tests, for every engine. An adapter's test file calls
// `engineContract` with the way to open and to reopen it.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type {
  Change,
  Commit,
  Engine,
  EntryBatch,
  JoinedTexts,
  RecordedChange,
  Region,
  RegionDefinition,
  Snapshot,
  Soon,
  StoredEntry,
} from '../engine.ts';
import { EngineError, type EngineErrorCode } from '../errors.ts';

export interface EngineHarness {
  /** A fresh, empty engine; what it occupies is released when the test ends. */
  open(context: TestContext, options?: HarnessOptions): Promise<Engine>;
  /** Opens the store of a closed engine again; absent when nothing is kept. */
  reopen?(closed: Engine): Promise<Engine>;
}

export interface HarnessOptions {
  /** Recorded changes kept at least; an engine may trim in larger steps. */
  readonly maxChanges?: number;
}

/** Keys that break naive encodings, quoting, objects used as maps, and orders. */
export const UNUSUAL_KEYS: readonly string[] = [
  ' ',
  '"double"',
  "'single'",
  '%00',
  ',',
  '/',
  '\n',
  '\r\n',
  '\t',
  '\u0001',
  '\u007f',
  '\u0085',
  '\u2028',
  '\\',
  '__proto__',
  'constructor',
  'a',
  'A',
  'a\u0301',
  '\u00e1',
  '\u{1F600}',
  '\u{10FFFF}',
  '\u{10000}',
  '\uD7FF',
  '\uE000',
  '\uE7FF',
  '\uE800',
  '\uFB01',
  '\uFEFF',
  '\uFFFD',
  '\uFFFE',
  '\uFFFF',
  'x\uFFFF',
  'x\u{10000}',
  'x\u{10000}\uFFFF',
  'k'.repeat(1024),
  '\u{1F600}'.repeat(256),
];

export function engineContract(name: string, harness: EngineHarness): void {
  describe(name, () => {
    describe('regions', () => regionContract(harness));
    describe('reads', () => readContract(harness));
    describe('writes', () => writeContract(harness));
    describe('guards', () => guardContract(harness));
    describe('snapshots', () => snapshotContract(harness));
    describe('listeners', () => listenerContract(harness));
    describe('recorded changes', () => changeContract(harness));
    describe('closing', () => closeContract(harness));
    const { reopen } = harness;
    if (reopen !== undefined) describe('reopening', () => reopenContract(harness, reopen));
  });
}

function regionContract(harness: EngineHarness): void {
  it('begins without regions, at commit 0', async (t) => {
    const engine = await harness.open(t);
    assert.deepEqual(await engine.describeRegions(), []);
    assert.equal(engine.stats().sequence, 0);
    assert.equal(await engine.openRegion('orders'), undefined);
  });

  it('creates a region once', async (t) => {
    const engine = await harness.open(t);
    assert.equal(await engine.createRegion(definition('orders')), 'created');
    assert.equal(await engine.createRegion(definition('orders', 'PARTITION')), 'exists');
    const region = await engine.openRegion('orders');
    assert.deepEqual(region?.definition, definition('orders'));
  });

  it('describes regions by name with counts and bytes, reserved ones too', async (t) => {
    const engine = await harness.open(t);
    await engine.createRegion({
      name: 'b',
      type: 'PARTITION',
      keyConstraint: 'java.lang.Long',
      valueConstraint: 'org.example.Order',
    });
    await engine.createRegion(definition('_queries'));
    await engine.createRegion(definition('B'));
    const region = await requireRegion(engine, 'b');
    await region.write([put('1', '{"n":"é"}'), put('2', '{}')]);
    assert.deepEqual(await engine.describeRegions(), [
      { ...definition('B'), indexes: [], entryCount: 0, valueBytes: 0 },
      { ...definition('_queries'), indexes: [], entryCount: 0, valueBytes: 0 },
      {
        name: 'b',
        type: 'PARTITION',
        keyConstraint: 'java.lang.Long',
        valueConstraint: 'org.example.Order',
        indexes: [],
        entryCount: 2,
        valueBytes: 12,
      },
    ]);
  });

  it('keeps index definitions as data and forgets them with the region', async (t) => {
    const engine = await harness.open(t);
    const index = {
      name: 'status',
      kind: 'hash',
      expression: 'o.status',
      from: '/orders o',
    } as const;
    assert.equal(await engine.defineIndexes('orders', [index]), 'missing');
    await engine.createRegion(definition('orders'));
    assert.equal(await engine.defineIndexes('orders', [index]), 'defined');
    assert.deepEqual((await engine.describeRegions())[0]?.indexes, [index]);
    await engine.destroyRegion('orders');
    await engine.createRegion(definition('orders'));
    assert.deepEqual((await engine.describeRegions())[0]?.indexes, []);
  });

  it('destroys a region with its entries', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await region.write([put('a', '{}')]);
    assert.equal(await engine.destroyRegion('orders'), 'destroyed');
    assert.equal(await engine.destroyRegion('orders'), 'missing');
    assert.equal(await engine.openRegion('orders'), undefined);
    await engine.createRegion(definition('orders'));
    const again = await requireRegion(engine, 'orders');
    assert.equal(await again.count(), 0);
    assert.deepEqual(await again.read(['a']), [undefined]);
  });

  it('lets a stale handle find nothing and refuses its writes, even when the name lives on', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await region.write([put('a', '{}')]);
    await engine.destroyRegion('orders');
    await engine.createRegion(definition('orders'));
    await (await requireRegion(engine, 'orders')).write([put('a', '{"new":1}')]);
    assert.equal(await region.count(), 0);
    assert.deepEqual(await region.read(['a']), [undefined]);
    assert.deepEqual(toEntries(await region.readFirst(10)), []);
    await rejectsWith(region.write([put('a', '{}')]), 'engine/region-gone');
    await rejectsWith(region.clear(), 'engine/region-gone');
  });

  it('keeps nothing in an EMPTY region but reports its writes', async (t) => {
    const engine = await harness.open(t);
    await engine.createRegion(definition('events', 'EMPTY'));
    const region = await requireRegion(engine, 'events');
    const commits = record(engine);
    const before = engine.stats().sequence;
    const outcome = await region.write([put('a', '{"n":1}'), { kind: 'remove', key: 'b' }]);
    assert.deepEqual(outcome, { kind: 'committed', version: before + 1 });
    assert.equal(await region.count(), 0);
    assert.deepEqual(await region.read(['a']), [undefined]);
    assert.deepEqual(commits, [
      {
        sequence: before + 1,
        changes: [
          { kind: 'put', region: 'events', key: 'a', value: '{"n":1}' },
          { kind: 'remove', region: 'events', key: 'b' },
        ],
      },
    ]);
    assert.deepEqual(await changesAfter(engine, before, 10), [
      { sequence: before + 1, kind: 'put', region: 'events', key: 'a' },
      { sequence: before + 1, kind: 'remove', region: 'events', key: 'b' },
    ]);
    assert.equal((await engine.describeRegions())[0]?.valueBytes, 0);
  });
}

function readContract(harness: EngineHarness): void {
  it('reads one element per key, in the order asked, duplicates included', async (t) => {
    const { region } = await openOrders(t, harness);
    const version = await commit(region, [put('a', '{"n":1}'), put('b', '{"n":2}')]);
    assert.deepEqual(await region.read(['b', 'x', 'a', 'b']), [
      { value: '{"n":2}', version },
      undefined,
      { value: '{"n":1}', version },
      { value: '{"n":2}', version },
    ]);
    assert.deepEqual(await region.read([]), []);
    assert.deepEqual(await region.read(['x']), [undefined]);
    assert.deepEqual(await region.read(['a']), [{ value: '{"n":1}', version }]);
  });

  it('reads a thousand keys at once', async (t) => {
    const { region } = await openOrders(t, harness);
    const keys = Array.from({ length: 1000 }, (_, i) => `k${i}`);
    const version = await commit(
      region,
      keys.map((key) => put(key, `{"k":"${key}"}`)),
    );
    const backwards = keys.toReversed();
    assert.deepEqual(
      await region.read(backwards),
      backwards.map((key) => ({ value: `{"k":"${key}"}`, version })),
    );
  });

  it('gives values back byte for byte', async (t) => {
    const { region } = await openOrders(t, harness);
    const values = [
      '{}',
      '[]',
      '{"a":20.0,"b":12345678901234567890,"c":1e400,"__proto__":{"x":1}}',
      '{"text":"\\u0000 \\n é \u{1F600} \uFFFF \u2028"}',
      `{"long":"${'é'.repeat(100_000)}"}`,
    ];
    const changes = values.map((value, i) => put(`k${i}`, value));
    const version = await commit(region, changes);
    const keys = changes.map((change) => change.key);
    assert.deepEqual(
      await region.read(keys),
      values.map((value) => ({ value, version })),
    );
    assert.deepEqual(await region.read(['k3']), [{ value: values[3], version }]);
    assert.deepEqual(
      toEntries(await region.readFirst(10)),
      keys.map((key, i) => [key, values[i]]),
    );
  });

  it('holds unusual keys apart and in code-unit order', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const sorted = [...UNUSUAL_KEYS].sort();
    await commit(
      region,
      UNUSUAL_KEYS.map((key, i) => put(key, `{"i":${i}}`)),
    );
    const expected = sorted.map((key) => [key, `{"i":${UNUSUAL_KEYS.indexOf(key)}}`]);
    assert.equal(await region.count(), UNUSUAL_KEYS.length);
    const values = (await region.read(sorted)).map((entry) => entry?.value);
    assert.deepEqual(
      values,
      expected.map(([, value]) => value),
    );
    assert.deepEqual(toEntries(await region.readFirst(1000)), expected);
    await withSnapshot(engine, async (snapshot) => {
      assert.deepEqual(await collectKeys(snapshot, 'orders'), sorted);
      for (const [i, key] of sorted.entries()) {
        const rest = await collectKeys(snapshot, 'orders', { after: key });
        assert.deepEqual(rest, sorted.slice(i + 1));
      }
    });
  });

  it('reads many keys together, in the order asked, unless one is absent', async (t) => {
    const { region } = await openOrders(t, harness);
    const keys = [...UNUSUAL_KEYS, ...UNUSUAL_KEYS.slice(0, 3)];
    await commit(
      region,
      UNUSUAL_KEYS.map((key, i) => put(key, `{"i":${i},"é":"\u{1f600}"}`)),
    );
    await commit(region, [put(UNUSUAL_KEYS[1] ?? '', '{"again":true}')]);
    const one = await region.read(keys);
    const together = await region.readTogether(keys);
    assert.deepEqual(
      together?.versions,
      one.map((entry) => entry?.version),
    );
    assert.equal(
      Buffer.from(together?.values ?? []).toString(),
      one.map((entry) => entry?.value).join(','),
    );
    assert.equal(await region.readTogether([...keys, 'absent']), undefined);
    assert.equal(await region.readTogether(['absent']), undefined);
  });

  it('reads the first entries in key order', async (t) => {
    const { region } = await openOrders(t, harness);
    await commit(region, [put('c', '{"c":1}'), put('a', '{"a":1}'), put('b', '{"b":1}')]);
    assert.deepEqual(toEntries(await region.readFirst(2)), [
      ['a', '{"a":1}'],
      ['b', '{"b":1}'],
    ]);
    assert.deepEqual(toEntries(await region.readFirst(0)), []);
    assert.equal((await region.readFirst(50)).keys.length, 3);
  });
}

function writeContract(harness: EngineHarness): void {
  it('gives every entry of a write the version of its commit', async (t) => {
    const { region } = await openOrders(t, harness);
    const first = await commit(region, [put('a', '{}'), put('b', '{}')]);
    const second = await commit(region, [put('b', '{}')]);
    assert.equal(second, first + 1);
    const [a, b] = await region.read(['a', 'b']);
    assert.deepEqual([a?.version, b?.version], [first, second]);
  });

  it('gives writes made at the same time versions of their own', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const before = engine.stats().sequence;
    const versions = await Promise.all(
      Array.from({ length: 50 }, (_, i) => commit(region, [put('a', `{"i":${i}}`)])),
    );
    assert.deepEqual(
      versions,
      Array.from({ length: 50 }, (_, i) => before + 1 + i),
    );
    assert.deepEqual(await region.read(['a']), [{ value: '{"i":49}', version: before + 50 }]);
    const stats = engine.stats();
    assert.equal(stats.writes, before + 50);
    assert.equal(
      stats.batchSizes.reduce((sum, commits) => sum + commits, 0),
      stats.commits,
    );
  });

  it('shows a write to readers once it is acknowledged', async (t) => {
    const { region } = await openOrders(t, harness);
    for (let i = 0; i < 20; i++) {
      await commit(region, [put(`k${i % 5}`, `{"i":${i}}`)]);
      assert.equal((await region.read([`k${i % 5}`]))[0]?.value, `{"i":${i}}`);
      assert.equal(await region.count(), Math.min(i + 1, 5));
    }
  });

  it('removes entries and keeps the count', async (t) => {
    const { region } = await openOrders(t, harness);
    await commit(region, [put('a', '{}'), put('b', '{}')]);
    await commit(region, [{ kind: 'remove', key: 'a' }, put('c', '{}'), put('b', '{"n":1}')]);
    assert.equal(await region.count(), 2);
    assert.deepEqual(
      (await region.read(['a', 'b', 'c'])).map((entry) => entry?.value),
      [undefined, '{"n":1}', '{}'],
    );
  });

  it('answers a write that changes nothing with the latest commit', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const latest = await commit(region, [put('a', '{}')]);
    const commits = record(engine);
    assert.equal(await commit(region, [{ kind: 'remove', key: 'x' }]), latest);
    assert.equal(await commit(region, []), latest);
    assert.equal(engine.stats().sequence, latest);
    assert.deepEqual(commits, []);
  });

  it('reports only what a write changed', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const commits = record(engine);
    const version = await commit(region, [{ kind: 'remove', key: 'x' }, put('a', '{}')]);
    const changes = [{ kind: 'put', region: 'orders', key: 'a', value: '{}' }];
    assert.deepEqual(commits, [{ sequence: version, changes }]);
  });

  it('clears a region in one commit and goes on counting versions', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const before = await commit(region, [put('a', '{}'), put('b', '{}')]);
    const commits = record(engine);
    assert.deepEqual(await region.clear(), { kind: 'committed', version: before + 1 });
    assert.deepEqual(commits, [
      { sequence: before + 1, changes: [{ kind: 'clear', region: 'orders' }] },
    ]);
    assert.equal(await region.count(), 0);
    assert.equal((await engine.describeRegions())[0]?.valueBytes, 0);
    assert.deepEqual(await region.read(['a']), [undefined]);
    assert.deepEqual(await region.clear(), { kind: 'committed', version: before + 1 });
    assert.equal(await commit(region, [put('a', '{}')]), before + 2);
  });

  it('keeps regions apart', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await engine.createRegion(definition('items'));
    const items = await requireRegion(engine, 'items');
    await Promise.all([
      commit(region, [put('a', '{"o":1}')]),
      commit(items, [put('a', '{"i":1}')]),
    ]);
    assert.equal((await region.read(['a']))[0]?.value, '{"o":1}');
    assert.equal((await items.read(['a']))[0]?.value, '{"i":1}');
    await items.clear();
    assert.equal(await region.count(), 1);
  });
}

function guardContract(harness: EngineHarness): void {
  it('writes under all-present only when every key exists', async (t) => {
    const { region } = await openOrders(t, harness);
    await commit(region, [put('a', '{}'), put('b', '{}')]);
    const outcome = await region.write(
      [put('y', '{"new":1}'), put('a', '{"new":1}'), put('x', '{"new":1}')],
      [{ kind: 'all-present' }],
    );
    assert.deepEqual(outcome, { kind: 'keys-missing', keys: ['y', 'x'] });
    assert.equal(await region.count(), 2);
    assert.equal((await region.read(['a']))[0]?.value, '{}');
    const both = [put('a', '{"new":1}'), put('b', '{"new":1}')];
    assert.equal((await region.write(both, [{ kind: 'all-present' }])).kind, 'committed');
  });

  it('writes under all-absent only when no key exists', async (t) => {
    const { region } = await openOrders(t, harness);
    const version = await commit(region, [put('b', '{"b":1}'), put('a', '{"a":1}')]);
    const outcome = await region.write(
      [put('a', '{}'), put('x', '{}'), put('b', '{}')],
      [{ kind: 'all-absent' }],
    );
    assert.deepEqual(outcome, {
      kind: 'keys-present',
      entries: [
        { key: 'a', value: '{"a":1}', version },
        { key: 'b', value: '{"b":1}', version },
      ],
    });
    assert.deepEqual(await region.read(['x']), [undefined]);
    assert.equal(
      (await region.write([put('x', '{}')], [{ kind: 'all-absent' }])).kind,
      'committed',
    );
  });

  it('tests versions', async (t) => {
    const { region } = await openOrders(t, harness);
    const version = await commit(region, [put('a', '{"n":1}')]);
    const current = { value: '{"n":1}', version };
    const attempt = async (
      kind: 'version-is' | 'version-is-not',
      key: string,
      versions: readonly number[],
    ) => region.write([{ kind: 'remove', key: 'other' }], [{ kind, key, versions }]);
    const passed = { kind: 'committed', version };
    assert.deepEqual(await attempt('version-is', 'a', [version - 1, version]), passed);
    assert.deepEqual(await attempt('version-is', 'a', [version + 1]), {
      kind: 'version-differs',
      current,
    });
    assert.deepEqual(await attempt('version-is', 'x', [version]), { kind: 'version-differs' });
    assert.deepEqual(await attempt('version-is-not', 'a', [version]), {
      kind: 'version-differs',
      current,
    });
    assert.deepEqual(await attempt('version-is-not', 'a', [version + 1]), passed);
    assert.deepEqual(await attempt('version-is-not', 'x', [version]), passed);
  });

  it('lets the first guard that fails decide', async (t) => {
    const { region } = await openOrders(t, harness);
    const guards = [
      { kind: 'version-is-not', key: 'x', versions: [] },
      { kind: 'all-present' },
      { kind: 'version-is', key: 'x', versions: [1] },
    ] as const;
    const outcome = await region.write([put('x', '{}')], guards);
    assert.deepEqual(outcome, { kind: 'keys-missing', keys: ['x'] });
  });

  it('lets one of many creators of a key win', async (t) => {
    const { region } = await openOrders(t, harness);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        region.write([put('a', `{"i":${i}}`), put(`own${i}`, '{}')], [{ kind: 'all-absent' }]),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome.kind === 'committed').length, 1);
    assert.equal(await region.count(), 2);
  });

  it('loses no increment made under version guards', async (t) => {
    const { region } = await openOrders(t, harness);
    await commit(region, [put('n', '{"n":0}')]);
    const increment = async (): Promise<void> => {
      for (;;) {
        const [entry] = await region.read(['n']);
        assert.ok(entry);
        const n = Number(/\d+/.exec(entry.value)?.[0]) + 1;
        const guard = { kind: 'version-is', key: 'n', versions: [entry.version] } as const;
        const outcome = await region.write([put('n', `{"n":${n}}`)], [guard]);
        if (outcome.kind === 'committed') return;
      }
    };
    await Promise.all(Array.from({ length: 20 }, increment));
    assert.equal((await region.read(['n']))[0]?.value, '{"n":20}');
  });
}

function snapshotContract(harness: EngineHarness): void {
  it('shows one moment while writes go on', async (t) => {
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

  it('outlives the region it shows', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await commit(region, [put('a', '{"n":1}')]);
    await withSnapshot(engine, async (snapshot) => {
      await engine.destroyRegion('orders');
      await engine.createRegion(definition('orders'));
      assert.equal(snapshot.count('orders'), 1);
      assert.deepEqual(await collect(snapshot, 'orders'), [['a', '{"n":1}']]);
    });
  });

  it('reads no more of many keys than was asked for, but at least one', async (t) => {
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

  it('finds nothing in a region that is not there', async (t) => {
    const engine = await harness.open(t);
    await withSnapshot(engine, async (snapshot) => {
      assert.equal(snapshot.sequence, 0);
      assert.equal(snapshot.count('nowhere'), undefined);
      assert.deepEqual(await snapshot.read('nowhere', ['a', 'b']), [undefined, undefined]);
      assert.deepEqual(await collect(snapshot, 'nowhere'), []);
      assert.deepEqual(await collectKeys(snapshot, 'nowhere'), []);
    });
  });

  it('scans a region in several batches, in order, from any key, up to any limit', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const entries = Array.from({ length: 3000 }, (_, i): [string, string] => [
      `k${String(i).padStart(5, '0')}`,
      `{"i":${i},"pad":"${'x'.repeat(300)}"}`,
    ]);
    await commit(
      region,
      entries.map(([key, value]) => put(key, value)),
    );
    const keys = entries.map(([key]) => key);
    await withSnapshot(engine, async (snapshot) => {
      let batches = 0;
      for await (const batch of snapshot.scan('orders', {})) {
        assert.ok(batch.keys.length > 0);
        batches += 1;
      }
      assert.ok(batches > 1, 'bounded bytes mean more than one batch');
      assert.deepEqual(await collect(snapshot, 'orders'), entries);
      assert.deepEqual(await collectKeys(snapshot, 'orders'), keys);
      for (const limit of [0, 1, 50, 1024, 2999, 3000, 9999]) {
        assert.deepEqual(await collect(snapshot, 'orders', { limit }), entries.slice(0, limit));
        assert.deepEqual(await collectKeys(snapshot, 'orders', { limit }), keys.slice(0, limit));
      }
      const range = { after: 'k01499', limit: 1000 };
      assert.deepEqual(await collect(snapshot, 'orders', range), entries.slice(1500, 2500));
      assert.deepEqual(await collectKeys(snapshot, 'orders', range), keys.slice(1500, 2500));
      assert.deepEqual(
        await collect(snapshot, 'orders', { after: 'k01499x' }),
        entries.slice(1500),
      );
      assert.deepEqual(await collect(snapshot, 'orders', { after: 'z' }), []);
    });
  });

  it('scans values of very different sizes', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const entries = Array.from({ length: 200 }, (_, i): [string, string] => [
      `k${String(i).padStart(3, '0')}`,
      i % 50 === 7 ? `{"big":"${'y'.repeat(1 << 20)}"}` : `{"i":${i}}`,
    ]);
    await commit(
      region,
      entries.map(([key, value]) => put(key, value)),
    );
    await withSnapshot(engine, async (snapshot) => {
      assert.deepEqual(await collect(snapshot, 'orders'), entries);
      for await (const batch of snapshot.scan('orders', {})) {
        assert.ok(batch.values.byteLength <= 2.5 * (1 << 20), 'few large values a batch');
      }
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

  it('names exactly the commit it sees', async (t) => {
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
    for (let i = 0; i < 40; i++) {
      await commit(region, [put('a', `{"i":${i}}`)]);
      snapshots.push(await engine.openSnapshot());
    }
    assert.equal(engine.stats().openSnapshots, 40);
    for (const [i, snapshot] of snapshots.entries()) {
      assert.equal((await snapshot.read('orders', ['a']))[0]?.value, `{"i":${i}}`);
      snapshot.close();
      snapshot.close();
    }
    assert.equal(engine.stats().openSnapshots, 0);
  });

  it('fails a scan that is closed under way, and every later use', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const value = `"${'x'.repeat(200_000)}"`;
    await commit(
      region,
      Array.from({ length: 20 }, (_, i) => put(`k${i}`, value)),
    );
    const snapshot = await engine.openSnapshot();
    const scan = snapshot.scan('orders', {})[Symbol.asyncIterator]();
    assert.equal((await scan.next()).done, false);
    snapshot.close();
    await rejectsWith(scan.next(), 'engine/closed');
    await rejectsWith(snapshot.read('orders', ['a']), 'engine/closed');
    await rejectsWith(collect(snapshot, 'orders'), 'engine/closed');
    await rejectsWith(collectBytes(snapshot, 'orders'), 'engine/closed');
    await rejectsWith(collectValues(snapshot, 'orders'), 'engine/closed');
    await rejectsWith(collectKeys(snapshot, 'orders'), 'engine/closed');
    assert.throws(() => snapshot.count('orders'), hasCode('engine/closed'));
  });
}

function listenerContract(harness: EngineHarness): void {
  it('calls listeners in commit order, before the promises settle', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const commits = record(engine);
    const seenWhenSettled: (boolean | undefined)[] = [];
    await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const version = await commit(region, [put(`k${i}`, `{"i":${i}}`)]);
        seenWhenSettled.push(commits.some(({ sequence }) => sequence === version));
      }),
    );
    assert.deepEqual(
      seenWhenSettled,
      Array.from({ length: 30 }, () => true),
    );
    const sequences = commits.map(({ sequence }) => sequence);
    assert.deepEqual(
      sequences,
      Array.from({ length: 30 }, (_, i) => i + 2),
    );
    assert.deepEqual(commits[7]?.changes, [
      { kind: 'put', region: 'orders', key: 'k7', value: '{"i":7}' },
    ]);
  });

  it('shows a listener the state of its commit or a later one', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const reads: Soon<readonly (StoredEntry | undefined)[]>[] = [];
    engine.subscribe(() => reads.push(region.read(['a'])));
    await commit(region, [put('a', '{"n":1}')]);
    assert.equal((await reads[0])?.[0]?.value, '{"n":1}');
  });

  it('reports the life of regions', async (t) => {
    const engine = await harness.open(t);
    const commits = record(engine);
    await engine.createRegion(definition('orders'));
    await engine.createRegion(definition('orders'));
    await engine.defineIndexes('orders', []);
    await engine.destroyRegion('orders');
    await engine.destroyRegion('orders');
    assert.deepEqual(commits, [
      { sequence: 1, changes: [{ kind: 'create-region', region: 'orders' }] },
      { sequence: 2, changes: [{ kind: 'destroy-region', region: 'orders' }] },
    ]);
  });

  it('stops when told so, each subscription on its own', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const heard: number[] = [];
    const listener = ({ sequence }: Commit): void => void heard.push(sequence);
    const stopFirst = engine.subscribe(listener);
    const stopSecond = engine.subscribe(listener);
    const first = await commit(region, [put('a', '{}')]);
    stopFirst();
    const second = await commit(region, [put('a', '{}')]);
    stopSecond();
    stopSecond();
    await commit(region, [put('a', '{}')]);
    assert.deepEqual(heard, [first, first, second]);
  });

  it('says nothing of writes whose guards failed', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const commits = record(engine);
    await region.write([put('a', '{}')], [{ kind: 'all-present' }]);
    assert.deepEqual(commits, []);
    assert.equal(engine.stats().sequence, 1);
  });
}

function changeContract(harness: EngineHarness): void {
  it('records every change without its value', async (t) => {
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

  it('tells a reader that comes too late, whatever it asks for', async (t) => {
    const { engine, region } = await openOrders(t, harness, { maxChanges: 10 });
    for (let i = 0; i < 50; i++) await commit(region, [put('a', '{}'), put('b', '{}')]);
    const outcome = await engine.readChanges(0, 0);
    assert.equal(outcome.kind, 'gone');
    if (outcome.kind !== 'gone') return;
    const { latest, oldest } = outcome;
    assert.equal(latest, engine.stats().sequence);
    assert.deepEqual(await engine.readChanges(oldest - 1, 100), outcome);
    const kept = await changesAfter(engine, oldest, 1000);
    assert.ok(kept.length >= 10, `${kept.length} changes are kept`);
    // From the first to the last commit that is kept, and both changes of each.
    const expected = Array.from({ length: latest - oldest }, (_, i) => oldest + 1 + i);
    assert.deepEqual(
      kept.map(({ key, sequence }) => `${sequence}${key}`),
      expected.flatMap((sequence) => [`${sequence}a`, `${sequence}b`]),
    );
  });

  it('tells a reader that has seen more than there is', async (t) => {
    const { engine } = await openOrders(t, harness);
    assert.deepEqual(await engine.readChanges(2, 10), { kind: 'gone', oldest: 0, latest: 1 });
    assert.deepEqual(await changesAfter(engine, 1, 10), []);
  });
}

function closeContract(harness: EngineHarness): void {
  it('finishes the writes it has accepted', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const commits = record(engine);
    const writes = Array.from({ length: 10 }, (_, i) => commit(region, [put(`k${i}`, '{}')]));
    const closing = engine.close();
    assert.deepEqual(
      await Promise.all(writes),
      Array.from({ length: 10 }, (_, i) => i + 2),
    );
    await closing;
    assert.equal(commits.length, 10);
  });

  it('refuses everything afterwards, and can be called twice', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const snapshot = await engine.openSnapshot();
    await Promise.all([engine.close(), engine.close()]);
    await engine.close();
    const refused: Promise<unknown>[] = [
      engine.describeRegions(),
      engine.openRegion('orders'),
      engine.createRegion(definition('x')),
      engine.destroyRegion('orders'),
      engine.defineIndexes('orders', []),
      engine.openSnapshot(),
      engine.readChanges(0, 1),
      region.count(),
      Promise.resolve(region.read(['a'])),
      Promise.resolve(region.read(['a', 'b'])),
      Promise.resolve(region.readTogether(['a'])),
      region.readFirst(1),
      region.write([put('a', '{}')]),
      region.clear(),
      snapshot.read('orders', ['a']),
    ];
    for (const promise of refused) await rejectsWith(promise, 'engine/closed');
    snapshot.close();
  });
}

function reopenContract(
  harness: EngineHarness,
  reopen: NonNullable<EngineHarness['reopen']>,
): void {
  it('finds everything again', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const index = { name: 'i', kind: 'range', expression: 'o.n', from: '/orders o' } as const;
    await engine.defineIndexes('orders', [index]);
    await commit(
      region,
      UNUSUAL_KEYS.map((key, i) => put(key, `{"i":${i}}`)),
    );
    await engine.createRegion(definition('gone'));
    await engine.destroyRegion('gone');
    const before = await describeWhole(engine);
    await engine.close();
    const again = await reopen(engine);
    assert.deepEqual(await describeWhole(again), before);
    await again.close();
  });

  it('never gives a version twice', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    await commit(region, [put('a', '{}')]);
    const { version } = await region.clear();
    await engine.close();
    const again = await reopen(engine);
    assert.equal(await commit(await requireRegion(again, 'orders'), [put('a', '{}')]), version + 1);
    await again.close();
  });
}

async function describeWhole(engine: Engine): Promise<unknown> {
  const regions = await engine.describeRegions();
  const snapshot = await engine.openSnapshot();
  const entries = await Promise.all(
    regions.map(async ({ name }) => {
      const keys = await collectKeys(snapshot, name);
      return { name, rows: await collect(snapshot, name), read: await snapshot.read(name, keys) };
    }),
  );
  snapshot.close();
  const changes = await engine.readChanges(0, 10_000);
  return { regions, sequence: engine.stats().sequence, entries, changes };
}

function definition(name: string, type: RegionDefinition['type'] = 'REPLICATE'): RegionDefinition {
  return { name, type, keyConstraint: null, valueConstraint: null };
}

function put(key: string, value: string): Change {
  return { kind: 'put', key, value };
}

async function changesAfter(
  engine: Engine,
  sequence: number,
  limit: number,
): Promise<readonly RecordedChange[]> {
  const outcome = await engine.readChanges(sequence, limit);
  assert.equal(outcome.kind, 'changes');
  return outcome.kind === 'changes' ? outcome.changes : [];
}

async function openOrders(
  context: TestContext,
  harness: EngineHarness,
  options: HarnessOptions = {},
): Promise<{ engine: Engine; region: Region }> {
  const engine = await harness.open(context, options);
  await engine.createRegion(definition('orders'));
  return { engine, region: await requireRegion(engine, 'orders') };
}

async function requireRegion(engine: Engine, name: string): Promise<Region> {
  const region = await engine.openRegion(name);
  assert.ok(region, `region ${name} exists`);
  return region;
}

/** Writes without guards and gives the version. */
async function commit(region: Region, changes: readonly Change[]): Promise<number> {
  const outcome = await region.write(changes);
  assert.equal(outcome.kind, 'committed');
  return outcome.kind === 'committed' ? outcome.version : Number.NaN;
}

function record(engine: Engine): Commit[] {
  const commits: Commit[] = [];
  engine.subscribe((commit) => commits.push(commit));
  return commits;
}

async function withSnapshot(
  engine: Engine,
  use: (snapshot: Snapshot) => Promise<void>,
): Promise<void> {
  const snapshot = await engine.openSnapshot();
  try {
    await use(snapshot);
  } finally {
    snapshot.close();
  }
}

function toEntries(batch: EntryBatch): [string, string][] {
  if (batch.keys.length === 0) {
    assert.equal(batch.values.byteLength, 0);
    return [];
  }
  const values = Buffer.from(batch.values).toString('utf8').split('\n');
  assert.equal(values.length, batch.keys.length, 'one line per key');
  return batch.keys.map((key, i) => [key, values[i] ?? '']);
}

async function collect(
  snapshot: Snapshot,
  region: string,
  range: { readonly after?: string; readonly limit?: number } = {},
): Promise<[string, string][]> {
  const entries: [string, string][] = [];
  const alone = await collectValues(snapshot, region, range.limit);
  for await (const batch of snapshot.scan(region, range)) entries.push(...toEntries(batch));
  if (Object.keys(range).length === 0) {
    assert.deepEqual(await collectBytes(snapshot, region), entries, 'bytes and text agree');
  }
  if (range.after === undefined) {
    const values = entries.map(([, value]) => value).join(',');
    assert.equal(alone, values, 'values alone agree');
    // A second time, for an engine may have learned from the scans between.
    assert.equal(await collectValues(snapshot, region, range.limit), values, 'and stay the same');
  }
  return entries;
}

async function collectBytes(snapshot: Snapshot, region: string): Promise<[string, string][]> {
  const entries: [string, string][] = [];
  for await (const { keys, values } of snapshot.scanBytes(region)) {
    assert.equal(keys.ends.length, values.ends.length, 'one value per key');
    assert.equal(keys.ends.at(-1), keys.bytes.length);
    assert.equal(values.ends.at(-1), values.bytes.length);
    for (let i = 0; i < keys.ends.length; i += 1) {
      entries.push([textAt(keys, i), textAt(values, i)]);
    }
  }
  return entries;
}

async function collectValues(snapshot: Snapshot, region: string, limit?: number): Promise<string> {
  const batches: string[] = [];
  for await (const batch of snapshot.scanValues(region, limit)) {
    assert.ok(batch.length > 0, 'no batch is empty');
    batches.push(Buffer.from(batch).toString('utf8'));
  }
  return batches.join(',');
}

function textAt({ bytes, ends }: JoinedTexts, index: number): string {
  const start = index === 0 ? 0 : (ends[index - 1] ?? 0) + 1;
  return Buffer.from(bytes.subarray(start, ends[index])).toString('utf8');
}

async function collectKeys(
  snapshot: Snapshot,
  region: string,
  range: { readonly after?: string; readonly limit?: number } = {},
): Promise<string[]> {
  const keys: string[] = [];
  for await (const batch of snapshot.scanKeys(region, range)) keys.push(...batch);
  return keys;
}

async function rejectsWith(promise: Promise<unknown>, code: EngineErrorCode): Promise<void> {
  await assert.rejects(promise, hasCode(code));
}

function hasCode(code: EngineErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof EngineError && error.code === code;
}
