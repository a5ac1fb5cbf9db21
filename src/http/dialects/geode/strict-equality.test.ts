import assert from 'node:assert/strict';
import { test } from 'node:test';
import { equalStrictly } from './strict-equality.ts';

test('the type of a number matters, its spelling and the order of members do not', () => {
  for (const [left, right, wanted] of [
    ['{"id":56}', '{"id":56.0}', false],
    ['{"a":1.5}', '{"a":1.50}', true],
    ['{"a":1e2}', '{"a":100.0}', true],
    ['{"a":0.12345678901234567890123}', '{"a":0.12345678901234568}', true],
    ['{"l":9007199254740993}', '{"l":9007199254740992}', false],
    ['{"x":1,"y":[1,{"z":"q"}]}', '{"y":[1,{"z":"q"}],"x":1}', true],
    ['{"y":[1,2]}', '{"y":[2,1]}', false],
    ['{"a":1,"n":null}', '{"a":1}', true],
    ['{}', '{"a":0}', false],
    ['{"a":"1"}', '{"a":1}', false],
    ['[{"a":1}]', '{"a":1}', false],
  ] as const) {
    assert.equal(equalStrictly(left, right), wanted, `${left} ${right}`);
    assert.equal(equalStrictly(right, left), wanted, `${right} ${left}`);
  }
});
