import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../../value/testing/share-of-runs.ts';
import { RowSet } from './row-set.ts';

/** Rows of several words and chunks, often the same ones. */
const row = fc.oneof(
  fc.constantFrom(0, 31, 32, 4095, 4096, 8191, 40_960),
  fc.nat(100),
  fc.nat(20_000_000),
);

describe('a set of rows', () => {
  it('has the rows of a JavaScript set, in ascending order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ row, isAdded: fc.boolean() }), { maxLength: 60 }),
        (changes) => {
          const rows = new RowSet();
          const expected = new Set<number>();
          for (const change of changes) {
            if (change.isAdded) rows.add(change.row);
            else rows.delete(change.row);
            if (change.isAdded) expected.add(change.row);
            else expected.delete(change.row);
          }
          const found: number[] = [];
          rows.forEach((each) => {
            found.push(each);
          });
          assert.deepEqual(
            found,
            [...expected].sort((a, b) => a - b),
          );
          assert.equal(rows.size, expected.size);
        },
      ),
      { numRuns: shareOfRuns(2_000) },
    );
  });

  it('takes one bit for each row of a chunk', () => {
    const rows = new RowSet();
    assert.equal(rows.sizeBytes(), 0);
    for (let each = 0; each < 100_000; each += 1) rows.add(each);
    assert.ok(rows.sizeBytes() < 100_000 / 8 + 25 * 200, `${rows.sizeBytes()} bytes`);
  });
});
