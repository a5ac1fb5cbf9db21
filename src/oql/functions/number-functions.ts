// Functions of numbers. Integers are exact at any size; a function with whole results returns
// integers for all arguments.

import {
  compareNumbers,
  computeArithmetic,
  LARGEST_INTEGER,
  negateNumber,
  toDouble,
  toInteger,
} from '../../value/number.ts';
import { Double, isInteger, type Numeric } from '../../value/value.ts';
import {
  define,
  domainFailure,
  type FunctionDefinition,
  FunctionFailure,
  type FunctionOutcome,
} from './function-definition.ts';

export const NUMBER_FUNCTIONS: readonly FunctionDefinition[] = [
  define(
    'ABS',
    ['number'],
    (value) => (compareNumbers(value, 0) < 0 ? negateNumber(value) : value),
    { vector: { compute: Math.abs, resultType: 'same' } },
  ),
  define('SIGN', ['number'], sign),
  defineWhole('FLOOR', Math.floor),
  defineWhole('CEIL', Math.ceil),
  defineWhole('CEILING', Math.ceil),
  defineWhole('TRUNC', Math.trunc),
  define('ROUND', ['number', 'integer?'], round, {
    vector: { compute: roundHalfAway, resultType: 'whole' },
  }),
  define('MOD', ['number', 'number'], modulo),
  define('POWER', ['number', 'number'], power),
  define('POW', ['number', 'number'], power),
  define('SQRT', ['number'], (value) => {
    const root = toDouble(value);
    return root < 0
      ? domainFailure('SQRT takes no negative number', 0)
      : new Double(Math.sqrt(root));
  }),
  define('EXP', ['number'], (value) => new Double(Math.exp(toDouble(value)))),
  define('LN', ['number'], (value) => logarithm(value, Math.log)),
  define('LOG10', ['number'], (value) => logarithm(value, Math.log10)),
];

function defineWhole(name: string, make: (value: number) => number): FunctionDefinition {
  return define(name, ['number'], (value) => toWhole(value, make), {
    vector: { compute: make, resultType: 'whole' },
  });
}

/** Both zeros have the sign 0, although -0.0 sorts before 0; NaN has none. */
function sign(value: Numeric): Numeric {
  if (isInteger(value)) return Math.sign(compareNumbers(value, 0));
  return Number.isNaN(value.value) ? value : Math.sign(value.value) + 0;
}

/** Exact: both a half and the fractional part of a double are doubles. */
function roundHalfAway(value: number): number {
  const magnitude = Math.abs(value);
  const whole = Math.trunc(magnitude);
  return Math.sign(value) * (magnitude - whole >= 0.5 ? whole + 1 : whole);
}

function toWhole(value: Numeric, make: (value: number) => number): Numeric {
  if (isInteger(value) || !Number.isFinite(value.value)) return value;
  return toInteger(BigInt(make(value.value)));
}

/** No double is written with more decimals: 324 up to its first digit, and 16 after it. */
const MAX_DIGITS = 340;

/**
 * Rounds the number as it is written, halves away from zero: ROUND(2.675, 2) is 2.68, though the
 * nearest double is a little below. Without digits the result is an integer.
 */
function round(value: Numeric, digits = 0): FunctionOutcome {
  if (Math.abs(digits) > MAX_DIGITS) {
    return domainFailure(`ROUND takes ${-MAX_DIGITS} to ${MAX_DIGITS} digits`, 1);
  }
  if (isInteger(value) && digits >= 0) return value;
  if (!isInteger(value) && !Number.isFinite(value.value)) return value;
  const { unscaled, scale } = decimalOf(value);
  const rounded =
    scale <= digits ? unscaled : divideRounding(unscaled, 10n ** BigInt(scale - digits));
  const decimals = Math.min(scale, digits);
  if (digits <= 0) return toInteger(rounded * 10n ** BigInt(-decimals));
  return new Double(Number(`${rounded}e${-decimals}`));
}

interface ExactDecimal {
  readonly unscaled: bigint;
  /** Number of digits after the point; negative for zeros before it. */
  readonly scale: number;
}

function decimalOf(value: Numeric): ExactDecimal {
  const [mantissa = '0', exponent = '0'] = String(isInteger(value) ? value : value.value).split(
    'e',
  );
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { unscaled: BigInt(whole + fraction), scale: fraction.length - Number(exponent) };
}

function divideRounding(value: bigint, by: bigint): bigint {
  const half = by / 2n;
  return value < 0n ? -((-value + half) / by) : (value + half) / by;
}

function modulo(left: Numeric, right: Numeric): FunctionOutcome {
  const result = computeArithmetic('%', left, right);
  if (result === 'division-by-zero') return new FunctionFailure('zero', 'MOD by zero', 1);
  return result === 'too-large' ? domainFailure('The result is too large a number') : result;
}

/** Powers whose results certainly have more bits are not computed. */
const MAX_BITS = 1_000_000;

function power(base: Numeric, exponent: Numeric): FunctionOutcome {
  if (isInteger(base) && isInteger(exponent) && exponent >= 0) {
    const integer = BigInt(base);
    const magnitude = integer < 0n ? -integer : integer;
    const leastBits = (magnitude.toString(2).length - 1) * Number(exponent);
    const result = leastBits > MAX_BITS ? undefined : integer ** BigInt(exponent);
    const isInRange =
      result !== undefined && result <= LARGEST_INTEGER && result >= -LARGEST_INTEGER;
    return isInRange ? toInteger(result) : domainFailure('The result is too large a number');
  }
  return new Double(toDouble(base) ** toDouble(exponent));
}

function logarithm(value: Numeric, log: (value: number) => number): FunctionOutcome {
  const number = toDouble(value);
  return number > 0
    ? new Double(log(number))
    : domainFailure('A logarithm takes positive numbers', 0);
}
