import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionFor, printValue } from './conditions.ts';

/** Values of every kind that a document may have, with the conditions for them. */
const CONDITIONS: readonly (readonly [path: string, json: string, condition: string])[] = [
  ['address.city', '"O\'Fallon"', "value.address.city = 'O''Fallon'"],
  ['type', '""', "value.type = ''"],
  ['n', '-2147483648', 'value.n = -2147483648'],
  ['at', '2147483648', 'value.at = 2147483648L'],
  ['n', '9007199254740993', 'value.n = 9007199254740993L'],
  ['n', '-9223372036854775809', "value.n = CAST('-9223372036854775809' AS bigint)"],
  ['price', '20.50', 'value.price = 20.50'],
  ['order', 'true', 'value.order = true'],
  ['x', 'null', 'value.x IS NULL'],
];

test('a value becomes a condition that only it meets', () => {
  for (const [path, json, condition] of CONDITIONS) {
    assert.equal(conditionFor(path, json), condition);
  }
});

test('a value that no condition can express has none', () => {
  assert.equal(conditionFor('items[].sku', '"a"'), undefined);
  assert.equal(conditionFor('a b', '1'), undefined);
  assert.equal(conditionFor('n', '-1e400'), undefined);
  assert.equal(conditionFor('s', '"a text that was cut'), undefined);
});

test('values are shown without quotes, and truncated', () => {
  assert.equal(printValue('"a\\nb"'), 'a\nb');
  assert.equal(printValue('20.0'), '20.0');
  assert.equal(printValue(`"${'x'.repeat(100)}"`).length, 40);
});
