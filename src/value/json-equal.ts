// Equality of two JSON texts by meaning: the order of members and the form of numbers do not
// matter, their exact value does. Compare-and-set depends on it, so it compares no doubles: two
// long fractions that round to one double still differ.

import { parseJson } from './json-parse.ts';
import { Document, Double, isInteger, isList, type Value } from './value.ts';

/** Whether two valid JSON texts denote the same value: 10 = 10.0 = 1e1. */
export function equalJson(left: string, right: string): boolean {
  return left === right || equalValues(parseJson(left), parseJson(right));
}

function equalValues(left: Value, right: Value): boolean {
  if (left === right) return true;
  const leftNumber = exactDecimal(left);
  if (leftNumber !== undefined) return leftNumber === exactDecimal(right);
  if (isList(left)) return isList(right) && equalItems(left, right);
  return left instanceof Document && right instanceof Document && equalMembers(left, right);
}

function equalItems(left: readonly Value[], right: readonly Value[]): boolean {
  if (left.length !== right.length) return false;
  return left.every((item, index) => equalValues(item, right[index] ?? null));
}

function equalMembers(left: Document, right: Document): boolean {
  if (left.members.size !== right.members.size) return false;
  for (const [name, value] of left.members) {
    const other = right.members.get(name);
    if (other === undefined || !equalValues(value, other)) return false;
  }
  return true;
}

/** One spelling per number, `<digits>e<exponent>` without needless zeros; undefined for the rest. */
function exactDecimal(value: Value): string | undefined {
  if (value instanceof Double) return normalizeDecimal(value.text ?? String(value.value));
  return isInteger(value) ? normalizeDecimal(String(value)) : undefined;
}

const MAX_EXPONENT_DIGITS = 4096;

function normalizeDecimal(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = trimEndZeros(digits);
  if (significant === '') return '0';
  const sign = mantissa.startsWith('-') ? '-' : '';
  const shift = digits.length - significant.length - fraction.length;
  // Normalizing such exponents would take quadratic time, so `1e…0` and `10e…9` count as different.
  if (exponent.length > MAX_EXPONENT_DIGITS) return `${sign}${significant}e${exponent}+${shift}`;
  return `${sign}${significant}e${BigInt(exponent.replace('+', '')) + BigInt(shift)}`;
}

/** A loop rather than /0+$/, which takes quadratic time on long runs of inner zeros. */
function trimEndZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
