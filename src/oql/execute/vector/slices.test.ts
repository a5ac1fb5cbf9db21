import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Pacer } from '../../reference/pacer.ts';
import { type BatchSize, columnBatchSize, computedBatchSize, inSlices } from './slices.ts';

/** The sizes of the pieces, and the longest time without a pause, if a row takes `rowMs`. */
async function cut(rows: number, rowMs: number, batch: BatchSize) {
  let clock = 0;
  let sliceBegan = 0;
  let longestMs = 0;
  const sizes: number[] = [];
  const pause = async (): Promise<void> => {
    longestMs = Math.max(longestMs, clock - sliceBegan);
    sliceBegan = clock;
  };
  const pacer = new Pacer({ parameters: [], now: () => clock, pause }, '');
  const all = Uint32Array.from({ length: rows }, (_, row) => row);
  let next = 0;
  for await (const some of inSlices(all, pacer, batch)) {
    for (const row of some) {
      assert.equal(row, next);
      next += 1;
    }
    sizes.push(some.length);
    clock += some.length * rowMs;
  }
  assert.equal(next, rows);
  return { sizes, longestMs };
}

describe('rows in slices', () => {
  it('have thousands of rows where a row takes almost no time', async () => {
    const batch = columnBatchSize();
    await cut(20_000, 0.000_02, batch);
    assert.equal(batch.size, 4096);
  });

  it('have few enough rows for a short slice', async () => {
    for (const rowMs of [0.0005, 0.001, 0.004]) {
      const batch = columnBatchSize();
      const first = await cut(4096, rowMs, batch);
      // The first piece measures the time of a row.
      assert.ok(first.longestMs <= 1.5 + 1024 * rowMs, `${rowMs}: ${first.longestMs}`);
      const { longestMs } = await cut(20_000, rowMs, batch);
      assert.ok(longestMs < 2.5, `${rowMs}: ${longestMs}`);
    }
  });

  it('have one row where each takes long', async () => {
    const { sizes, longestMs } = await cut(100, 3, computedBatchSize());
    assert.deepEqual(new Set(sizes), new Set([1]));
    assert.equal(longestMs, 3);
  });
});
