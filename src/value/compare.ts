// All rules of equality and order of values. No other code compares values. Type mismatches are
// returned as outcomes, and the caller throws.

import { parseIsoTemporal } from './iso-date.ts';
import { compareNumbers, numberKey } from './number.ts';
import {
  Char,
  Document,
  Double,
  Entry,
  Float,
  isList,
  isNumeric,
  kindOf,
  type RegionHandle,
  Struct,
  Temporal,
  UNDEFINED,
  type Undefined,
  type Value,
  type ValueKind,
  ValueMap,
  ValueSet,
} from './value.ts';

export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** `mismatch`: the two values have no order, so the operator cannot be applied to them. */
export type ComparisonOutcome = boolean | Undefined | 'mismatch';

/**
 * The comparison table of the language. null and UNDEFINED are tested first. Values of one kind
 * compare by value; values of different kinds are unequal and have no order. A string with an ISO
 * 8601 date is ordered among dates, but as in Geode it equals none.
 */
export function compareValues(
  operator: ComparisonOperator,
  left: Value,
  right: Value,
): ComparisonOutcome {
  if (left === null || right === null) return compareWithNull(operator, left, right);
  if (left === UNDEFINED || right === UNDEFINED) {
    return compareWithUndefined(operator, left, right);
  }
  if (operator === '=') return isEqual(left, right);
  if (operator === '<>') return !isEqual(left, right);
  // Booleans can be sorted, but the language has no `<` for them.
  const order = typeof left === 'boolean' ? undefined : orderOf(left, right);
  return order === undefined ? 'mismatch' : satisfies(operator, order);
}

/** A string that is compared with a date counts as the date that it contains. */
function orderOf(left: Value, right: Value): number | undefined {
  if (typeof left === 'string' && right instanceof Temporal) {
    return orderWithinKind(parseIsoTemporal(left) ?? left, right);
  }
  if (left instanceof Temporal && typeof right === 'string') {
    return orderWithinKind(left, parseIsoTemporal(right) ?? right);
  }
  return orderWithinKind(left, right);
}

function compareWithNull(
  operator: ComparisonOperator,
  left: Value,
  right: Value,
): boolean | Undefined {
  if (operator === '=') return left === right;
  return operator === '<>' ? left !== right : UNDEFINED;
}

/** Two UNDEFINED are equal, and `<>` between them is UNDEFINED; with one, it is the reverse. */
function compareWithUndefined(
  operator: ComparisonOperator,
  left: Value,
  right: Value,
): boolean | Undefined {
  if (operator === '=') return left === right ? true : UNDEFINED;
  if (operator === '<>') return left === right ? UNDEFINED : true;
  return UNDEFINED;
}

/** Whether an order (negative, zero, positive) satisfies an operator. */
export function satisfies(operator: ComparisonOperator, order: number): boolean {
  switch (operator) {
    case '=':
      return order === 0;
    case '<>':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/** The operator with the same meaning when its sides are exchanged. */
export const MIRRORED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

/**
 * Deep equality, as `=`, DISTINCT and GROUP BY use it. 1 equals 1.0 at any depth, and the order of
 * members does not matter. Null and UNDEFINED each equal only themselves.
 */
export function isEqual(left: Value, right: Value): boolean {
  if (left === right) return true;
  if (isNumeric(left)) return isNumeric(right) && compareNumbers(left, right) === 0;
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  if (left === null || right === null) return false;
  return kindOf(left) === kindOf(right) && hashKey(left) === hashKey(right);
}

/** Order of two values of one ordered kind; undefined for all other pairs. */
function orderWithinKind(left: Value, right: Value): number | undefined {
  if (isNumeric(left)) return isNumeric(right) ? compareNumbers(left, right) : undefined;
  if (typeof left === 'string') {
    return typeof right === 'string' ? compareText(left, right) : undefined;
  }
  if (typeof left === 'boolean') {
    return typeof right === 'boolean' ? Number(left) - Number(right) : undefined;
  }
  if (left instanceof Temporal) {
    return right instanceof Temporal ? compareInstants(left, right) : undefined;
  }
  if (left instanceof Char) {
    return right instanceof Char ? compareText(left.unit, right.unit) : undefined;
  }
  return undefined;
}

/** UTF-16 code unit order. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function compareInstants(left: Temporal, right: Temporal): number {
  return left.epochMs - right.epochMs || left.nanos - right.nanos;
}

/**
 * Ascending order for ORDER BY, MIN and MAX: null, then UNDEFINED, then values. Undefined as a
 * result means that the two have no common order (unlike kinds, documents, collections).
 */
export function sortOrder(left: Value, right: Value): number | undefined {
  const leftRank = absenceRank(left);
  const rightRank = absenceRank(right);
  if (leftRank !== rightRank) return leftRank - rightRank;
  return leftRank < PRESENT ? 0 : orderWithinKind(left, right);
}

const PRESENT = 2;

function absenceRank(value: Value): number {
  if (value === null) return 0;
  return value === UNDEFINED ? 1 : PRESENT;
}

const KIND_RANKS: Readonly<Record<ValueKind, number>> = {
  null: 0,
  undefined: 1,
  boolean: 2,
  number: 3,
  char: 4,
  string: 5,
  temporal: 6,
  list: 7,
  set: 8,
  map: 9,
  document: 10,
  struct: 11,
  entry: 12,
  region: 13,
};

/** An order that never fails, for results whose order the language leaves open (groups). */
export function totalOrder(left: Value, right: Value): number {
  const byKind = KIND_RANKS[kindOf(left)] - KIND_RANKS[kindOf(right)];
  if (byKind !== 0) return byKind;
  return sortOrder(left, right) ?? compareText(hashKey(left), hashKey(right));
}

/** A text that is the same for two values exactly when `isEqual` holds between them. */
export function hashKey(value: Value): string {
  switch (typeof value) {
    case 'string':
      return textKey(value);
    case 'number':
    case 'bigint':
      return `n${numberKey(value)}`;
    case 'boolean':
      return value ? 'T' : 'F';
    case 'symbol':
      return 'U';
    default:
      return value === null ? 'N' : objectKey(value);
  }
}

/** The length prefix keeps concatenated keys unambiguous. */
function textKey(text: string): string {
  return `s${text.length}:${text}`;
}

function objectKey(value: Extract<Value, object>): string {
  if (value instanceof Double || value instanceof Float) return `n${numberKey(value)}`;
  if (isList(value)) return `[${value.map(hashKey).join()}]`;
  if (value instanceof Document) return documentKey(value);
  if (value instanceof Struct) {
    return `S(${value.names.map(textKey).join()}|${value.values.map(hashKey).join()})`;
  }
  if (value instanceof Entry) return `E(${hashKey(value.key)},${hashKey(value.value)})`;
  if (value instanceof ValueSet) return `{${value.items.map(hashKey).sort().join()}}`;
  if (value instanceof ValueMap) return `M{${value.entries.map(hashKey).sort().join()}}`;
  if (value instanceof Temporal) return `t${value.epochMs},${value.nanos}`;
  if (value instanceof Char) return `c${value.unit}`;
  return regionKey(value);
}

function regionKey(region: RegionHandle): string {
  return `R${textKey(region.name)}`;
}

function documentKey(document: Document): string {
  const members = [...document.members].map(([name, value]) => textKey(name) + hashKey(value));
  return `D{${members.sort().join()}}`;
}

/** A set of the distinct values of `items`; keeps the first of equal ones. */
export function createSet(items: Iterable<Value>): ValueSet {
  const distinct = new Map<string, Value>();
  for (const item of items) {
    const key = hashKey(item);
    if (!distinct.has(key)) distinct.set(key, item);
  }
  return new ValueSet([...distinct.values()]);
}
