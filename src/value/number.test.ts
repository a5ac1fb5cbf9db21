import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  addIntegers,
  compareNumbers,
  computeArithmetic,
  negateNumber,
  numberKey,
  parseInteger,
  printNumber,
  toDouble,
  toInteger,
} from './number.ts';
import { Double, Float, type Numeric } from './value.ts';

const integers = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.bigInt().map(toInteger));
const numbers: fc.Arbitrary<Numeric> = fc.oneof(
  integers,
  fc.double().map((value) => new Double(value)),
  fc.float().map((value) => new Float(value)),
);

describe('integer arithmetic', () => {
  it('is exact at any size', () => {
    fc.assert(
      fc.property(integers, integers, (a, b) => {
        const [x, y] = [BigInt(a), BigInt(b)];
        assert.equal(computeArithmetic('+', a, b), toInteger(x + y));
        assert.equal(computeArithmetic('-', a, b), toInteger(x - y));
        assert.equal(computeArithmetic('*', a, b), toInteger(x * y));
        assert.equal(addIntegers(a, b), toInteger(x + y));
        if (y === 0n) return;
        assert.equal(computeArithmetic('/', a, b), toInteger(x / y));
        assert.equal(computeArithmetic('%', a, b), toInteger(x % y));
      }),
    );
  });

  it('keeps one representation per integer', () => {
    assert.equal(toInteger(9007199254740991n), 9007199254740991);
    assert.equal(toInteger(9007199254740992n), 9007199254740992n);
    assert.equal(computeArithmetic('-', 9007199254740992n, 1), 9007199254740991);
    assert.ok(Object.is(computeArithmetic('*', 0, -5), 0));
    assert.ok(Object.is(negateNumber(0), 0));
    assert.equal(negateNumber(-9007199254740992n), 9007199254740992n);
  });

  it('truncates division toward zero and keeps the sign of the dividend', () => {
    assert.equal(computeArithmetic('/', -7, 2), -3);
    assert.equal(computeArithmetic('%', -7, 2), -1);
    assert.equal(computeArithmetic('%', 7, -2), 1);
  });

  it('has no result when divided by zero', () => {
    assert.equal(computeArithmetic('/', 1, 0), 'division-by-zero');
    assert.equal(computeArithmetic('/', 1, -0), 'division-by-zero');
    assert.equal(computeArithmetic('%', 9007199254740993n, 0), 'division-by-zero');
  });

  it('has no result that is larger than a million bits', () => {
    const huge = 2n ** 600_000n;
    assert.equal(computeArithmetic('*', huge, huge), 'too-large');
    assert.equal(computeArithmetic('*', -huge, huge), 'too-large');
    assert.equal(computeArithmetic('+', huge, huge), huge * 2n);
  });
});

describe('double and float arithmetic', () => {
  it('returns a double if one operand is a double', () => {
    assert.deepEqual(computeArithmetic('/', new Double(21), 2), new Double(10.5));
    assert.deepEqual(computeArithmetic('+', new Float(1), new Double(0.5)), new Double(1.5));
    assert.deepEqual(
      computeArithmetic('/', 1, new Double(0)),
      new Double(Number.POSITIVE_INFINITY),
    );
    assert.deepEqual(computeArithmetic('-', new Double(1), 2), new Double(-1));
    assert.deepEqual(computeArithmetic('%', new Double(5.5), 2), new Double(1.5));
  });

  it('returns a float for an integer and a float', () => {
    assert.deepEqual(computeArithmetic('*', 3, new Float(1.1)), new Float(Math.fround(1.1) * 3));
    assert.deepEqual(negateNumber(new Float(1.5)), new Float(-1.5));
    assert.deepEqual(negateNumber(new Double(1.5)), new Double(-1.5));
  });
});

describe('compareNumbers', () => {
  it('is a total order', () => {
    fc.assert(
      fc.property(numbers, numbers, numbers, (a, b, c) => {
        assert.equal(compareNumbers(a, a), 0);
        assert.ok(Math.sign(compareNumbers(a, b)) + Math.sign(compareNumbers(b, a)) === 0);
        if (compareNumbers(a, b) <= 0 && compareNumbers(b, c) <= 0) {
          assert.ok(compareNumbers(a, c) <= 0);
        }
      }),
    );
  });

  it('agrees with numberKey about equality', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        assert.equal(numberKey(a) === numberKey(b), compareNumbers(a, b) === 0);
      }),
    );
  });

  it('never rounds an integer to meet a double', () => {
    assert.equal(compareNumbers(9007199254740993n, new Double(2 ** 53)), 1);
    assert.equal(compareNumbers(9007199254740992n, new Double(2 ** 53)), 0);
    assert.equal(numberKey(new Double(1e300)), numberKey(toInteger(BigInt(1e300))));
  });

  it('follows Java on zeros, NaN and floats', () => {
    const nan = new Double(Number.NaN);
    assert.equal(compareNumbers(new Double(-0), new Double(0)), -1);
    assert.equal(compareNumbers(new Double(0), -0), 0);
    assert.equal(compareNumbers(nan, nan), 0);
    assert.equal(compareNumbers(nan, new Double(Number.POSITIVE_INFINITY)), 1);
    assert.equal(compareNumbers(1, nan), -1);
    assert.notEqual(compareNumbers(new Float(1.1), new Double(1.1)), 0);
  });
});

describe('text of numbers', () => {
  it('reads integers exactly, whatever their length', () => {
    assert.equal(parseInteger('9007199254740993'), 9007199254740993n);
    assert.equal(parseInteger('-42'), -42);
    assert.ok(Object.is(parseInteger('-0'), -0));
    fc.assert(
      fc.property(fc.bigInt(), (value) => {
        assert.equal(parseInteger(String(value)), toInteger(value));
      }),
    );
  });

  it('prints a double so that it is parsed as a double', () => {
    assert.equal(printNumber(new Double(3)), '3.0');
    assert.equal(printNumber(new Double(-0)), '-0.0');
    assert.equal(printNumber(new Double(1e21)), '1e+21');
    assert.equal(printNumber(new Double(1.5, '1.50')), '1.50');
    assert.equal(printNumber(new Double(Number.NaN)), 'null');
    assert.equal(printNumber(-0), '-0');
    assert.equal(printNumber(12345678901234567890n), '12345678901234567890');
  });

  it('prints a float with the fewest digits that identify it', () => {
    assert.equal(printNumber(new Float(1.1)), '1.1');
    assert.equal(printNumber(new Float(2)), '2.0');
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
        assert.equal(Math.fround(Number(printNumber(new Float(value)))), value);
      }),
    );
  });

  it('converts to the nearest double', () => {
    assert.equal(toDouble(9007199254740993n), 9007199254740992);
    assert.ok(Object.is(toDouble(-0), 0));
    assert.equal(toDouble(new Float(0.5)), 0.5);
  });
});
