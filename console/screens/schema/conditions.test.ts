import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionFor, printValue } from './conditions.ts';

test('a value becomes a condition that means it', () => {
  assert.equal(conditionFor('address.city', '"O\'Fallon"'), "address.city = 'O''Fallon'");
  assert.equal(conditionFor('n', '9007199254740993'), 'n = 9007199254740993');
  assert.equal(conditionFor('b', 'true'), 'b = true');
  assert.equal(conditionFor('x', 'null'), 'x IS NULL');
});

test('what no condition can say has none', () => {
  assert.equal(conditionFor('items[].sku', '"a"'), undefined);
  assert.equal(conditionFor('a b', '1'), undefined);
  assert.equal(conditionFor('s', '"a text that was cut'), undefined);
});

test('values are shown without quotes, and cut', () => {
  assert.equal(printValue('"a\\nb"'), 'a\nb');
  assert.equal(printValue('20.0'), '20.0');
  assert.equal(printValue(`"${'x'.repeat(100)}"`).length, 40);
});
