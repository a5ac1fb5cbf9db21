import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printCell, sortTable, toTable } from './result-rows.ts';

test('a table has every member as a column, and every digit as it was sent', () => {
  const table = toTable(['{"a":20.0,"b":"x"}', '{"c":9007199254740993}', '7']);
  assert.deepEqual(table.columns, ['a', 'b', 'c', 'value']);
  assert.deepEqual(table.cells[0], ['20.0', '"x"', undefined, undefined]);
  assert.equal(table.cells[1]?.[2], '9007199254740993');
  assert.equal(table.cells[2]?.[3], '7');
});

test('cells show texts without quotes', () => {
  assert.equal(printCell('"a\\"b"'), 'a"b');
  assert.equal(printCell('{"a":1}'), '{"a":1}');
  assert.equal(printCell(undefined), '');
});

test('rows are sorted as numbers or as texts, those without a value last', () => {
  const table = toTable(['{"n":10}', '{"n":9}', '{"n":null}', '{"n":"a"}', '{}']);
  assert.deepEqual(sortTable(table, { column: 0, direction: 'ascending' }), [1, 0, 3, 2, 4]);
  assert.deepEqual(sortTable(table, { column: 0, direction: 'descending' }), [3, 0, 1, 2, 4]);
  assert.deepEqual(sortTable(table, undefined), [0, 1, 2, 3, 4]);
});
