import assert from 'node:assert/strict';
import { test } from 'node:test';
import { niceTicks, toPoints } from './chart-points.ts';
import { toTable } from './result-rows.ts';

test('ticks are round numbers around all values', () => {
  assert.deepEqual(niceTicks([3, 97]), [0, 25, 50, 75, 100]);
  assert.deepEqual(niceTicks([-5, 5]), [-5, -2.5, 0, 2.5, 5]);
  assert.deepEqual(niceTicks([0]), [0, 0.25, 0.5, 0.75, 1]);
});

test('points over time lie in its order, and rows without a figure are left out', () => {
  const table = toTable([
    '{"day":"2026-11-03","n":3}',
    '{"day":"2026-11-01","n":1}',
    '{"day":"2026-11-02","n":null}',
  ]);
  const points = toPoints(table, { kind: 'line', x: 0, y: 1 });
  assert.deepEqual(
    points.map(({ x, y }) => [x, y]),
    [
      [0, 1],
      [1, 3],
    ],
  );
});
