import assert from 'node:assert/strict';
import { test } from 'node:test';
import { niceTicks, ticksWithin, toPoints } from './chart-points.ts';
import { toTable } from './result-rows.ts';

test('ticks are round numbers around all values', () => {
  assert.deepEqual(niceTicks([3, 97]), [0, 25, 50, 75, 100]);
  assert.deepEqual(niceTicks([-5, 5]), [-5, -2.5, 0, 2.5, 5]);
  assert.deepEqual(niceTicks([0]), [0, 0.25, 0.5, 0.75, 1]);
  assert.deepEqual(niceTicks([7]), [0, 2, 4, 6, 8]);
});

test('ticks begin at zero only if it is near', () => {
  assert.deepEqual(niceTicks([1001, 1500]), [1000, 1200, 1400, 1600]);
  assert.deepEqual(niceTicks([-1500, -1001]), [-1600, -1400, -1200, -1000]);
  assert.deepEqual(niceTicks([-97, -3]), [-100, -75, -50, -25, 0]);
});

test('ticks along the x axis lie between its ends', () => {
  assert.deepEqual(ticksWithin({ low: 7, high: 107 }, 4), [
    { tick: 25, x: 0.18 },
    { tick: 50, x: 0.43 },
    { tick: 75, x: 0.68 },
    { tick: 100, x: 0.93 },
  ]);
  assert.deepEqual(ticksWithin({ low: 3, high: 3 }, 4), [{ tick: 3, x: 0.5 }]);
});

test('a line follows its x axis, whatever the order of the rows', () => {
  const table = toTable(['{"a":3,"b":1}', '{"a":1,"b":2}', '{"a":1e400,"b":5}', '{"a":2,"b":3}']);
  const { points, range } = toPoints(table, { kind: 'line', x: 0, y: 1 });
  assert.deepEqual(
    points.map(({ y }) => y),
    [2, 3, 1],
  );
  assert.deepEqual(range, { low: 1, high: 3 });
});

test('bars are those of the first rows, whose number is known', () => {
  const rows = Array.from({ length: 90 }, (_, i) => `{"name":"n${i}","n":${i}}`);
  const { points, rowCount } = toPoints(toTable(rows), { kind: 'bar', x: 0, y: 1 });
  assert.deepEqual([points.length, points.at(-1)?.label, rowCount], [60, 'n59', 90]);
});

test('points over time lie in its order, and rows without a figure are left out', () => {
  const table = toTable([
    '{"day":"2026-11-03","n":3}',
    '{"day":"2026-11-01","n":1}',
    '{"day":"2026-11-02","n":null}',
  ]);
  const { points } = toPoints(table, { kind: 'line', x: 0, y: 1 });
  assert.deepEqual(
    points.map(({ x, y }) => [x, y]),
    [
      [0, 1],
      [1, 3],
    ],
  );
});
