// Exact numbers: integers of any size, doubles and floats with Java's rules of promotion. Results
// of integer arithmetic grow instead of wrapping, whatever their size.

import { Double, Float, type Integer, type Numeric, type Value } from './value.ts';

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';

/** Brings a whole number into its one representation: `number` when safe, `bigint` beyond. */
export function toInteger(value: bigint): Integer {
  const narrow = Number(value);
  return Number.isSafeInteger(narrow) ? narrow : value;
}

/** Reads an optionally signed run of decimal digits. `-0` gives the number -0. */
export function parseInteger(digits: string): Integer {
  // Fifteen digits and a sign always fit; longer ones are parsed as bigint.
  return digits.length <= 16 && Number.isSafeInteger(Number(digits))
    ? Number(digits)
    : toInteger(BigInt(digits));
}

/** The nearest double. */
export function toDouble(value: Numeric): number {
  if (typeof value === 'number') return value + 0;
  return typeof value === 'bigint' ? Number(value) : value.value;
}

/** A double that prints without a fraction when it is whole. */
export function toPlainDouble(number: number): Double {
  return Number.isInteger(number) ? new Double(number, String(number)) : new Double(number);
}

/** The reason for no result: integer division by zero, or an integer that is too large. */
export type ArithmeticProblem = 'division-by-zero' | 'too-large';

/** Some 300,000 digits: a bound, so that no query can grow numbers until it hangs. */
export const LARGEST_INTEGER: bigint = 2n ** 1_000_000n;

/**
 * Applies an operator: double if any operand is one, else float, else integer. Integer division
 * truncates toward zero and `%` keeps the sign of the dividend.
 */
export function computeArithmetic(
  operator: ArithmeticOperator,
  left: Numeric,
  right: Numeric,
): Numeric | ArithmeticProblem {
  if (left instanceof Double || right instanceof Double) {
    return new Double(computeDoubles(operator, toDouble(left), toDouble(right)));
  }
  if (left instanceof Float || right instanceof Float) {
    return new Float(computeDoubles(operator, toDouble(left), toDouble(right)));
  }
  return computeIntegers(operator, left, right);
}

function computeDoubles(operator: ArithmeticOperator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
  }
}

export function addIntegers(left: Integer, right: Integer): Integer {
  if (typeof left === 'number' && typeof right === 'number') {
    const sum = left + right;
    if (Number.isSafeInteger(sum)) return sum + 0;
  }
  return toInteger(BigInt(left) + BigInt(right));
}

function computeIntegers(
  operator: ArithmeticOperator,
  left: Integer,
  right: Integer,
): Integer | ArithmeticProblem {
  if ((operator === '/' || operator === '%') && right === 0) return 'division-by-zero';
  if (typeof left === 'number' && typeof right === 'number') {
    const result = computeSmall(operator, left, right);
    // Adding zero turns a computed -0, which no integer has, into 0.
    if (Number.isSafeInteger(result)) return result + 0;
  }
  const result = computeBig(operator, BigInt(left), BigInt(right));
  return result > LARGEST_INTEGER || result < -LARGEST_INTEGER ? 'too-large' : toInteger(result);
}

function computeSmall(operator: ArithmeticOperator, left: number, right: number): number {
  // Taking the remainder off first makes the division exact.
  return operator === '/' ? (left - (left % right)) / right : computeDoubles(operator, left, right);
}

/** `computeDoubles` for bigint: TypeScript has no operators over `number | bigint`. */
function computeBig(operator: ArithmeticOperator, left: bigint, right: bigint): bigint {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
  }
}

export function negateNumber(value: Numeric): Numeric {
  if (typeof value === 'number') return 0 - value;
  if (typeof value === 'bigint') return toInteger(-value);
  return value instanceof Double ? new Double(-value.value) : new Float(-value.value);
}

/**
 * Total order of all numbers, by their exact mathematical value: an integer beyond 2^53 is never
 * rounded to meet a double, so that equality stays transitive. As in Java, -0.0 is below 0.0 and
 * NaN equals itself above +Infinity.
 */
export function compareNumbers(left: Numeric, right: Numeric): number {
  const a = exactValue(left);
  const b = exactValue(right);
  if (a < b) return -1;
  if (a > b) return 1;
  // Equal, or a NaN is involved, or two zeros whose signs decide.
  const leftIsNan = Number.isNaN(a);
  if (leftIsNan || Number.isNaN(b)) return Number(leftIsNan) - Number(Number.isNaN(b));
  return Number(Object.is(b, -0)) - Number(Object.is(a, -0));
}

/** JavaScript compares a number with a bigint exactly, so neither needs converting. */
function exactValue(value: Numeric): number | bigint {
  if (typeof value === 'number') return value + 0;
  return typeof value === 'bigint' ? value : value.value;
}

/** A text that is the same for two numbers exactly when `compareNumbers` calls them equal. */
export function numberKey(value: Numeric): string {
  const exact = exactValue(value);
  if (typeof exact === 'bigint') return String(exact);
  if (Object.is(exact, -0)) return '-0';
  const isLargeWhole = Number.isInteger(exact) && !Number.isSafeInteger(exact);
  return isLargeWhole ? String(BigInt(exact)) : String(exact);
}

/** JSON text of a number; null for NaN and the infinities, which JSON does not have. */
export function printNumber(value: Numeric): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Float) return withFraction(value.value, shortestFloat(value.value));
  return value.text ?? withFraction(value.value, String(value.value));
}

/** A whole double shows its kind: `3.0`. */
function withFraction(value: number, text: string): string {
  if (!Number.isFinite(value)) return 'null';
  if (Object.is(value, -0)) return '-0.0';
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** The fewest digits that read back as the same float; nine always suffice. */
function shortestFloat(value: number): string {
  for (let digits = 1; digits < 9; digits += 1) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return String(candidate);
  }
  return String(Number(value.toPrecision(9)));
}

/** A number that compares as a double does; integers beyond 2^53, -0 and NaN do not. */
export function plainNumber(value: Value): number | undefined {
  if (typeof value === 'number') return value + 0;
  if (!(value instanceof Double || value instanceof Float)) return undefined;
  const double = value.value;
  return Number.isNaN(double) || Object.is(double, -0) ? undefined : double;
}
