import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printScale } from './print-numbers.ts';

test('no two marks of an axis read the same', () => {
  const scales = [
    [0, 0.25, 0.5, 0.75, 1],
    [1000, 1250, 1500],
    [0, 25_000, 50_000],
    [1_000_000, 1_000_250, 1_000_500],
    [0, 0.1, 0.2, 0.1 + 0.2],
    [0],
  ];
  for (const scale of scales) assert.equal(new Set(printScale(scale)).size, scale.length);
  // The locale decides on the separators.
  assert.match(printScale([0, 0.25])[1] ?? '', /^0.25$/);
  assert.match(printScale([0, 0.1, 0.2, 0.1 + 0.2])[3] ?? '', /^0.3$/);
  assert.match(printScale([2000, 2010, 2020])[1] ?? '', /^2.?010$/);
});
