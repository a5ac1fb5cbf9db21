import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseChart } from './choose-chart.ts';
import { toTable } from './result-rows.ts';

test('a figure per name is drawn as bars, over time as a line, against another figure as points', () => {
  const bars = toTable(['{"city":"Oslo","n":3}', '{"city":"Rome","n":5}']);
  assert.deepEqual(chooseChart(bars), { kind: 'bar', x: 0, y: 1 });
  const line = toTable(['{"day":"2026-11-01","n":3}', '{"day":"2026-11-02","n":5}']);
  assert.deepEqual(chooseChart(line), { kind: 'line', x: 0, y: 1 });
  const points = toTable(['{"a":3,"b":1}', '{"a":1,"b":2}']);
  assert.deepEqual(chooseChart(points), { kind: 'scatter', x: 0, y: 1 });
  const growing = toTable(['{"a":1,"b":1}', '{"a":2,"b":2}']);
  assert.deepEqual(chooseChart(growing), { kind: 'line', x: 0, y: 1 });
});

test('without figures there is no chart', () => {
  assert.equal(chooseChart(toTable(['{"a":"x"}', '{"a":"y"}'])), undefined);
  assert.equal(chooseChart(toTable(['{"a":"x","n":1}'])), undefined);
  assert.equal(chooseChart(toTable([])), undefined);
});
