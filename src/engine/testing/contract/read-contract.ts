// Reads of the latest commit.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { UNUSUAL_KEYS } from '../unusual-keys.ts';
import { collectKeys, toEntries, withSnapshot } from './collect.ts';
import { commit, put } from './commits.ts';
import { type EngineHarness, openOrders } from './harness.ts';

export function readContract(harness: EngineHarness): void {
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

  it('returns values byte for byte', async (t) => {
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

  it('distinguishes unusual keys and sorts them by code unit', async (t) => {
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

  it('returns joined values in a buffer that nothing else uses', async (t) => {
    const { region } = await openOrders(t, harness);
    await commit(region, [put('a', '{"a":1}'), put('b', '{"b":1}')]);
    const reads = async (): Promise<Uint8Array[]> => [
      (await region.readFirst(2)).values,
      (await region.readTogether(['a', 'b']))?.values ?? new Uint8Array(),
    ];
    for (const values of await reads()) new Uint8Array(values.buffer).fill(0);
    for (const values of await reads()) {
      assert.equal(Buffer.from(values).toString(), '{"a":1},{"b":1}');
    }
    const buffers = [...(await reads()), ...(await reads())].map(({ buffer }) => buffer);
    assert.equal(new Set(buffers).size, buffers.length);
  });
}
