import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printAmount } from './print-amount.ts';

test('an amount of one is singular, and every other one is plural', () => {
  const counts = [0, 1, 2];
  assert.deepEqual(
    counts.map((count) => printAmount(count, 'row')),
    ['0 rows', '1 row', '2 rows'],
  );
  assert.equal(printAmount(1, 'entry', 'entries'), '1 entry');
  assert.equal(printAmount(3, 'entry', 'entries'), '3 entries');
});
