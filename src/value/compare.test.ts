import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type ComparisonOutcome,
  compareText,
  compareValues,
  createSet,
  hashKey,
  isEqual,
  sortOrder,
  totalOrder,
} from './compare.ts';
import { arbitraryValue } from './testing/arbitrary-value.ts';
import {
  Char,
  Document,
  Double,
  Entry,
  RegionHandle,
  Struct,
  Temporal,
  UNDEFINED,
  type Undefined,
  type Value,
  ValueMap,
  ValueSet,
} from './value.ts';

const OPERATORS = ['=', '<>', '<', '<=', '>', '>='] as const;

function outcomes(left: Value, right: Value): readonly ComparisonOutcome[] {
  return OPERATORS.map((operator) => compareValues(operator, left, right));
}

describe('compareValues', () => {
  it('follows the table for null and UNDEFINED', () => {
    const u: Undefined = UNDEFINED;
    assert.deepEqual(outcomes(null, null), [true, false, u, u, u, u]);
    assert.deepEqual(outcomes(null, 1), [false, true, u, u, u, u]);
    assert.deepEqual(outcomes(u, null), [false, true, u, u, u, u]);
    assert.deepEqual(outcomes(u, u), [true, u, u, u, u, u]);
    assert.deepEqual(outcomes(u, 'a'), [u, true, u, u, u, u]);
  });

  it('orders numbers, strings, dates and chars', () => {
    const less = [false, true, true, true, false, false];
    const same = [true, false, false, true, false, true];
    assert.deepEqual(outcomes(1, new Double(1.5)), less);
    assert.deepEqual(outcomes(1, new Double(1)), same);
    assert.deepEqual(outcomes('Z', 'a'), less);
    assert.deepEqual(outcomes(new Char('a'), new Char('b')), less);
    assert.deepEqual(outcomes(new Temporal('date', 5), new Temporal('instant', 6)), less);
    assert.deepEqual(outcomes(new Temporal('date', 5), new Temporal('timestamp', 5)), same);
  });

  it('defines no order for booleans, collections and different kinds', () => {
    const clash = ['mismatch', 'mismatch', 'mismatch', 'mismatch'];
    assert.deepEqual(outcomes(true, true), [true, false, ...clash]);
    assert.deepEqual(outcomes(true, 1), [false, true, ...clash]);
    assert.deepEqual(outcomes(1, '1'), [false, true, ...clash]);
    assert.deepEqual(outcomes(new Char('a'), 'a'), [false, true, ...clash]);
    assert.deepEqual(outcomes([1], [new Double(1)]), [true, false, ...clash]);
    assert.deepEqual(outcomes([1], new ValueSet([1])), [false, true, ...clash]);
  });
});

describe('equality', () => {
  it('is deep, ignores the order of members and the form of numbers', () => {
    const left = new Document(
      new Map<string, Value>([
        ['a', 1],
        ['b', ['x']],
      ]),
    );
    const right = new Document(
      new Map<string, Value>([
        ['b', ['x']],
        ['a', new Double(1)],
      ]),
    );
    assert.ok(isEqual(left, right));
    assert.ok(!isEqual(left, new Document(new Map([['a', 1]]))));
    assert.ok(isEqual(new ValueSet([1, 2]), new ValueSet([2, 1])));
    const map = new ValueMap([new Entry('a', 1), new Entry('b', 2)]);
    assert.ok(isEqual(map, new ValueMap([new Entry('b', 2), new Entry('a', 1)])));
    assert.ok(isEqual(new Struct(['a'], [1]), new Struct(['a'], [1])));
    assert.ok(!isEqual(new Struct(['a'], [1]), new Struct(['b'], [1])));
    assert.ok(isEqual(new RegionHandle('r', 0), new RegionHandle('r', 0)));
    assert.ok(!isEqual(null, UNDEFINED));
    assert.ok(!isEqual('a', null));
  });

  it('agrees with the hash key, and is an equivalence', () => {
    fc.assert(
      fc.property(arbitraryValue, arbitraryValue, (a, b) => {
        assert.ok(isEqual(a, a));
        assert.equal(isEqual(a, b), isEqual(b, a));
        assert.equal(isEqual(a, b), hashKey(a) === hashKey(b));
      }),
    );
  });

  it('distinguishes texts in concatenated keys', () => {
    assert.notEqual(hashKey(['a,s1:b']), hashKey(['a', 'b']));
  });

  it('keeps the first of equal values in a set', () => {
    const set = createSet([1, new Double(1), 'a', null, UNDEFINED, null]);
    assert.deepEqual(set.items, [1, 'a', null, UNDEFINED]);
  });
});

describe('order', () => {
  it('puts null before UNDEFINED before values', () => {
    assert.ok((sortOrder(null, UNDEFINED) ?? 0) < 0);
    assert.ok((sortOrder(UNDEFINED, 1) ?? 0) < 0);
    assert.equal(sortOrder(null, null), 0);
    assert.ok((sortOrder(false, true) ?? 0) < 0);
    assert.equal(sortOrder(1, 'a'), undefined);
    assert.equal(sortOrder('a', 1), undefined);
    assert.equal(sortOrder(new Document(new Map()), new Document(new Map())), undefined);
  });

  it('of groups is total and agrees with equality', () => {
    fc.assert(
      fc.property(arbitraryValue, arbitraryValue, arbitraryValue, (a, b, c) => {
        assert.equal(totalOrder(a, b) === 0, isEqual(a, b));
        assert.ok(Math.sign(totalOrder(a, b)) + Math.sign(totalOrder(b, a)) === 0);
        if (totalOrder(a, b) <= 0 && totalOrder(b, c) <= 0) assert.ok(totalOrder(a, c) <= 0);
      }),
    );
  });

  it('of texts is by code unit', () => {
    assert.deepEqual(['b', 'a', 'B', 'a'].sort(compareText), ['B', 'a', 'a', 'b']);
  });
});
