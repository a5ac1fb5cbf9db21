// Limits of an entry: every accepted entry is read back, and any other is refused.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MAX_VALUE_BYTES } from '../../entry-limits.ts';
import { collect, withSnapshot } from './collect.ts';
import { commit, put } from './commits.ts';
import { type EngineHarness, openOrders } from './harness.ts';
import { rejectsWith } from './refusals.ts';

/** A value of this many bytes, in which half of the characters take two. */
function sizedValue(bytes: number): string {
  const room = bytes - '{"s":""}'.length;
  return `{"s":"${'é'.repeat(Math.floor(room / 3))}${'x'.repeat(room - 2 * Math.floor(room / 3))}"}`;
}

export function entryContract(harness: EngineHarness): void {
  it('reads back a value of the largest size, beside others', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const largest = sizedValue(MAX_VALUE_BYTES);
    assert.equal(Buffer.byteLength(largest), MAX_VALUE_BYTES);
    await commit(region, [put('a', '{}'), put('b', largest), put('c', '{}')]);
    assert.ok((await region.read(['b']))[0]?.value === largest);
    const together = await region.readTogether(['c', 'b', 'a']);
    assert.ok(together && Buffer.from(together.values).toString() === `{},${largest},{}`);
    await withSnapshot(engine, async (snapshot) => {
      const entries = await collect(snapshot, 'orders');
      assert.deepEqual(
        entries.map(([key, value]) => [key, value.length]),
        [
          ['a', 2],
          ['b', largest.length],
          ['c', 2],
        ],
      );
    });
  });

  it('refuses a whole write with a longer value, and continues', async (t) => {
    const { engine, region } = await openOrders(t, harness);
    const before = engine.stats().sequence;
    const changes = [put('a', '{}'), put('b', sizedValue(MAX_VALUE_BYTES + 1))];
    await rejectsWith(region.write(changes), 'engine/value-too-large');
    assert.equal(engine.stats().sequence, before);
    assert.deepEqual(await region.read(['a', 'b']), [undefined, undefined]);
    assert.equal(await commit(region, [put('a', '{}')]), before + 1);
  });

  it('refuses keys that scans could not return', async (t) => {
    const { region } = await openOrders(t, harness);
    for (const key of ['', 'a\0b', '\0']) {
      await rejectsWith(region.write([put('a', '{}'), put(key, '{}')]), 'engine/bad-key');
    }
    assert.equal(await region.count(), 0);
  });
}
