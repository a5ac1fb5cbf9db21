import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adviseIndexes, ownMs, type PlanStep } from './plan-tree.ts';

const scan: PlanStep = { node: 'scan', detail: '/orders', 'estimated-rows': 3000, 'actual-ms': 1 };
const filter: PlanStep = {
  node: 'filter',
  detail: "o.total > 5 AND o.status = 'paid'",
  'estimated-rows': 30,
  'actual-ms': 4,
  input: scan,
};

test('a filter that leaves few of the scanned rows asks for an index, equality first', () => {
  assert.deepEqual(adviseIndexes({ ...filter, node: 'filter' }), [
    {
      region: 'orders',
      expression: 'o.status',
      from: '/orders o',
      name: 'orders-by-status',
      kind: 'hash',
    },
  ]);
  assert.deepEqual(adviseIndexes({ ...filter, 'estimated-rows': 2900 }), []);
});

test('the time of a step is without that of the steps below it', () => {
  assert.equal(ownMs(filter), 3);
  assert.equal(ownMs({ ...filter, 'actual-ms': undefined as never }), undefined);
});
