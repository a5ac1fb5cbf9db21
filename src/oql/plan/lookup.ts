// What a condition on an indexed path asks of the index: a set of keys that holds every row for
// which the condition is true or may fail. Rows outside it are refused by the condition (or leave
// it unknown), so looking only at these rows changes no answer.
//
//   o.n > 5            numbers (5, ∞), and whatever cannot be compared with a number, for it fails
//   o.s IN SET('a')    strings ['a', 'a']
//   o.s LIKE 'ab%'     strings ['ab', 'ac')

import type { ComparisonOperator } from '../../value/compare.ts';
import { Double, Float, isAbsent, UNDEFINED, type Value } from '../../value/value.ts';
import type { BoundExpression } from '../bind/bound-query.ts';
import { toCollection } from '../execute/collections.ts';
import type { Bounds, KindApart, SourceIndex } from '../execute/vector/column-source.ts';

export interface Lookup {
  readonly numbers: readonly Bounds<number>[];
  readonly strings: readonly Bounds<string>[];
  readonly apart: ReadonlySet<KindApart>;
}

const NONE: Lookup = { numbers: [], strings: [], apart: new Set() };
const ALL: Bounds<never> = {};

type Constant = (expression: BoundExpression) => Value | undefined;

/** Undefined when an index is of no use for the condition. The path must be the indexed one. */
export function lookupOf(condition: BoundExpression, constant: Constant): Lookup | undefined {
  switch (condition.kind) {
    case 'comparison': {
      const right = constant(condition.right);
      if (right !== undefined) return lookupComparison(condition.operator, right);
      const left = constant(condition.left);
      return left === undefined ? undefined : lookupComparison(MIRRORED[condition.operator], left);
    }
    case 'in':
      return lookupIn(constant(condition.collection));
    case 'like':
      return condition.negated ? undefined : lookupLike(constant(condition.pattern));
    case 'is-null':
      return condition.negated ? undefined : { ...NONE, apart: new Set(['null', 'missing']) };
    case 'is-defined':
      return condition.negated ? { ...NONE, apart: new Set(['missing']) } : undefined;
    default:
      return undefined;
  }
}

const MIRRORED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

/** The path a condition is about: the one side of it that is not constant. */
export function subjectOf(condition: BoundExpression): BoundExpression | undefined {
  switch (condition.kind) {
    case 'comparison':
      return condition.left.kind === 'path' ? condition.left : condition.right;
    case 'in':
    case 'like':
      return condition.value;
    case 'is-null':
    case 'is-defined':
      return condition.operand;
    default:
      return undefined;
  }
}

function lookupComparison(operator: ComparisonOperator, value: Value): Lookup | undefined {
  if (operator === '<>') return undefined;
  // Any other comparison with no value is unknown for all rows, not refused.
  if (value === null) return operator === '=' ? { ...NONE, apart: new Set(['null']) } : undefined;
  if (value === UNDEFINED) return undefined;
  const number = plainNumber(value);
  if (number !== undefined) return lookupNumber(operator, number);
  return typeof value === 'string' ? lookupString(operator, value) : undefined;
}

function lookupNumber(operator: Exclude<ComparisonOperator, '<>'>, key: number): Lookup {
  const numbers = [boundsOf(operator, key)];
  if (operator === '=') return { numbers, strings: [], apart: new Set(['odd']) };
  return { numbers, strings: [ALL], apart: new Set(['odd', 'true', 'false', 'composite']) };
}

function lookupString(operator: Exclude<ComparisonOperator, '<>'>, key: string): Lookup {
  const strings = [boundsOf(operator, key)];
  if (operator === '=') return { numbers: [], strings, apart: new Set() };
  return { numbers: [ALL], strings, apart: new Set(['odd', 'true', 'false', 'composite']) };
}

function boundsOf<Key>(operator: Exclude<ComparisonOperator, '<>'>, key: Key): Bounds<Key> {
  const inclusive = operator === '=' || operator === '<=' || operator === '>=';
  const bound = { key, inclusive };
  if (operator === '=') return { low: bound, high: bound };
  return operator === '<' || operator === '<=' ? { high: bound } : { low: bound };
}

/** Columns hold neither -0 nor NaN, and big integers are odd. */
function plainNumber(value: Value): number | undefined {
  const number = value instanceof Double || value instanceof Float ? value.value : value;
  if (typeof number !== 'number' || Number.isNaN(number)) return undefined;
  return Object.is(number, -0) && typeof value !== 'number' ? undefined : number + 0;
}

function lookupIn(collection: Value | undefined): Lookup | undefined {
  if (collection === undefined || isAbsent(collection)) return undefined;
  const elements = toCollection(collection);
  let lookup: Lookup = NONE;
  for (const element of elements ?? []) {
    const one = lookupComparison('=', element);
    if (one === undefined) return undefined;
    lookup = unite(lookup, one);
  }
  return elements === undefined ? undefined : lookup;
}

/** The text before the first wildcard bounds what can match. */
function lookupLike(pattern: Value | undefined): Lookup | undefined {
  if (typeof pattern !== 'string') return undefined;
  const wildcard = pattern.search(/[%_\\]/);
  if (wildcard < 0) return lookupString('=', pattern);
  const prefix = pattern.slice(0, wildcard);
  if (prefix === '') return undefined;
  // Every string with the prefix is below the prefix with its last code unit raised by one.
  const last = prefix.charCodeAt(prefix.length - 1);
  const isRaisable = last < 0xd7ff || (last > 0xdfff && last < 0xffff);
  const high = isRaisable
    ? { key: prefix.slice(0, -1) + String.fromCharCode(last + 1), inclusive: false }
    : undefined;
  return {
    numbers: [],
    strings: [{ low: { key: prefix, inclusive: true }, high }],
    apart: new Set(),
  };
}

export function unite(a: Lookup, b: Lookup): Lookup {
  return {
    numbers: [...a.numbers, ...b.numbers],
    strings: [...a.strings, ...b.strings],
    apart: new Set([...a.apart, ...b.apart]),
  };
}

/** Two conditions on one path: `n > 3 AND n < 9` is one range. */
export function intersect(a: Lookup, b: Lookup): Lookup {
  return {
    numbers: a.numbers.flatMap((left) => b.numbers.map((right) => intersectBounds(left, right))),
    strings: a.strings.flatMap((left) => b.strings.map((right) => intersectBounds(left, right))),
    apart: new Set([...a.apart].filter((kind) => b.apart.has(kind))),
  };
}

function intersectBounds<Key>(a: Bounds<Key>, b: Bounds<Key>): Bounds<Key> {
  return { low: stricter(a.low, b.low, 1), high: stricter(a.high, b.high, -1) };
}

type Limit<Key> = Bounds<Key>['low'];

function stricter<Key>(a: Limit<Key>, b: Limit<Key>, sign: 1 | -1): Limit<Key> {
  if (a === undefined || b === undefined) return a ?? b;
  if (a.key === b.key) return a.inclusive ? b : a;
  return a.key > b.key === sign > 0 ? a : b;
}

export function countRows(lookup: Lookup, index: SourceIndex): number {
  let count = 0;
  for (const bounds of lookup.numbers) count += index.countNumbers(bounds);
  for (const bounds of lookup.strings) count += index.countStrings(bounds);
  for (const kind of lookup.apart) count += index.countApart(kind);
  return count;
}

export function visitRows(lookup: Lookup, index: SourceIndex, visit: (row: number) => void): void {
  for (const bounds of lookup.numbers) index.forEachNumber(bounds, visit);
  for (const bounds of lookup.strings) index.forEachString(bounds, visit);
  for (const kind of lookup.apart) index.forEachApart(kind, visit);
}
