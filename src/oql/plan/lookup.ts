// What a condition on an indexed path asks of the index: the keys of all rows for which it is true
// or may fail, and among them those for which it is surely true. Rows outside are refused by the
// condition (or leave it unknown), so looking only at these rows changes no answer; where both sets
// hold the same rows, the index alone answers the condition.
//
//   o.n > 5            possible: numbers (5, ∞), and whatever cannot be compared with a number
//                      certain:  numbers (5, ∞)
//   o.s IN SET('a')    strings ['a', 'a']
//   o.s LIKE 'ab%'     strings ['ab', 'ac')

import { toCollection } from '../../value/collections.ts';
import { type ComparisonOperator, MIRRORED } from '../../value/compare.ts';
import { ANY_RUN, parseLike } from '../../value/like-pattern.ts';
import { plainNumber } from '../../value/number.ts';
import { isAbsent, UNDEFINED, type Value } from '../../value/value.ts';
import type { BoundExpression } from '../bind/bound-query.ts';
import type { Bounds, KindApart, SourceIndex } from '../columnar/column-source.ts';
import { iteratorsOf } from '../columnar/conjuncts.ts';
import { intersectBounds, uniteBounds } from './bounds.ts';

/** Keys, and kinds of values that are no keys. */
export interface KeySet {
  readonly numbers: readonly Bounds<number>[];
  readonly strings: readonly Bounds<string>[];
  readonly apart: ReadonlySet<KindApart>;
}

export interface Lookup {
  readonly possible: KeySet;
  readonly certain: KeySet;
}

export const NONE: KeySet = { numbers: [], strings: [], apart: new Set() };
const ALL: Bounds<never> = {};
const EVERY_KIND: readonly KindApart[] = ['missing', 'null', 'true', 'false', 'composite', 'odd'];

/** Made once: a text may have thousands of conditions. */
const EVERY_APART: ReadonlySet<KindApart> = new Set(EVERY_KIND);
const ALL_BUT_ODD: ReadonlySet<KindApart> = new Set(EVERY_KIND.filter((kind) => kind !== 'odd'));
export const ODD: ReadonlySet<KindApart> = new Set(['odd']);
const NOT_ORDERED: ReadonlySet<KindApart> = new Set(['odd', 'true', 'false', 'composite']);

/** Every value there can be at a path. */
export const EVERYTHING: KeySet = { numbers: [ALL], strings: [ALL], apart: EVERY_APART };

type Constant = (expression: BoundExpression) => Value | undefined;

/**
 * How a value is sought: among values that documents hold, or among computed ones, which may be
 * dates too.
 */
export type Seek = (operator: ComparisonOperator, value: Value) => Lookup | undefined;

/** Undefined when an index is of no use for the condition. Its subject must be what is indexed. */
export function lookupOf(
  condition: BoundExpression,
  constant: Constant,
  seek: Seek = lookupComparison,
): Lookup | undefined {
  switch (condition.kind) {
    case 'comparison': {
      const right = constant(condition.right);
      if (right !== undefined) return seek(condition.operator, right);
      const left = constant(condition.left);
      return left === undefined ? undefined : seek(MIRRORED[condition.operator], left);
    }
    case 'in':
      return lookupIn(constant(condition.collection), seek);
    case 'like':
      return condition.negated ? undefined : lookupLike(constant(condition.pattern));
    case 'is-null':
      return condition.negated ? allBut(['null', 'missing']) : onlyKinds(['null', 'missing']);
    case 'is-defined':
      return condition.negated ? onlyKinds(['missing']) : allBut(['missing']);
    default:
      return undefined;
  }
}

/** What a condition is about: its one side that is not constant. */
export function subjectOf(condition: BoundExpression): BoundExpression | undefined {
  switch (condition.kind) {
    case 'comparison': {
      const { left, right } = condition;
      if (left.kind === 'path' || left.kind === 'index') return left;
      if (right.kind === 'path' || right.kind === 'index') return right;
      return iteratorsOf(left).size > 0 ? left : right;
    }
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

function exactly(keys: KeySet): Lookup {
  return { possible: keys, certain: keys };
}

function onlyKinds(kinds: readonly KindApart[]): Lookup {
  return exactly({ ...NONE, apart: new Set(kinds) });
}

function allBut(kinds: readonly KindApart[]): Lookup {
  const apart = new Set(EVERY_KIND.filter((kind) => !kinds.includes(kind)));
  return exactly({ numbers: [ALL], strings: [ALL], apart });
}

export function lookupComparison(operator: ComparisonOperator, value: Value): Lookup | undefined {
  if (value === UNDEFINED) return undefined;
  if (value === null || typeof value === 'boolean') {
    // No other comparison with null is ever true, and none with a boolean can be made.
    const kind = value === null ? 'null' : value ? 'true' : 'false';
    if (operator === '=') return onlyKinds([kind]);
    return operator === '<>' ? allBut([kind]) : undefined;
  }
  const number = plainNumber(value);
  if (number !== undefined) return lookupNumber(operator, number);
  return typeof value === 'string' ? lookupString(operator, value) : undefined;
}

/** Numbers too big or too odd for a key may be anything to a number. */
function lookupNumber(operator: ComparisonOperator, key: number): Lookup {
  const numbers = boundsOf(operator, key);
  const certain = { ...NONE, numbers };
  if (operator === '=') return { possible: { ...certain, apart: ODD }, certain };
  if (operator === '<>') {
    return {
      possible: { numbers, strings: [ALL], apart: EVERY_APART },
      certain: { numbers, strings: [ALL], apart: ALL_BUT_ODD },
    };
  }
  return { possible: { numbers, strings: [ALL], apart: NOT_ORDERED }, certain };
}

function lookupString(operator: ComparisonOperator, key: string): Lookup {
  const strings = boundsOf(operator, key);
  if (operator === '=') return exactly({ ...NONE, strings });
  if (operator === '<>') {
    return exactly({ numbers: [ALL], strings, apart: EVERY_APART });
  }
  const certain = { ...NONE, strings };
  return { possible: { numbers: [ALL], strings, apart: NOT_ORDERED }, certain };
}

export function boundsOf<Key>(operator: ComparisonOperator, key: Key): readonly Bounds<Key>[] {
  const bound = { key, inclusive: operator === '=' || operator === '<=' || operator === '>=' };
  switch (operator) {
    case '=':
      return [{ low: bound, high: bound }];
    case '<>':
      return [{ high: bound }, { low: bound }];
    case '<':
    case '<=':
      return [{ high: bound }];
    case '>':
    case '>=':
      return [{ low: bound }];
  }
}

function lookupIn(collection: Value | undefined, seek: Seek): Lookup | undefined {
  if (collection === undefined || isAbsent(collection)) return undefined;
  const elements = toCollection(collection);
  if (elements === undefined) return undefined;
  const lookups: Lookup[] = [];
  for (const element of elements) {
    const one = seek('=', element);
    if (one === undefined) return undefined;
    lookups.push(one);
  }
  return unite(lookups);
}

/** The text before the first wildcard bounds what can match. */
function lookupLike(pattern: Value | undefined): Lookup | undefined {
  if (typeof pattern !== 'string') return undefined;
  const elements = parseLike(pattern);
  const wildcard = elements.findIndex((element) => element < 0);
  const literal = wildcard < 0 ? elements : elements.slice(0, wildcard);
  const prefix = literal.map((character) => String.fromCodePoint(character)).join('');
  if (wildcard < 0) return lookupString('=', prefix);
  if (prefix === '') return undefined;
  // Every string with the prefix is below the prefix with its last code unit raised by one.
  const last = prefix.charCodeAt(prefix.length - 1);
  const isRaisable = last < 0xd7ff || (last > 0xdfff && last < 0xffff);
  const high = isRaisable
    ? { key: prefix.slice(0, -1) + String.fromCharCode(last + 1), inclusive: false }
    : undefined;
  const possible = { ...NONE, strings: [{ low: { key: prefix, inclusive: true }, high }] };
  const isPrefixAlone =
    isRaisable && wildcard === elements.length - 1 && elements[wildcard] === ANY_RUN;
  return { possible, certain: isPrefixAlone ? possible : NONE };
}

/** Any of several conditions on one path; there may be thousands. */
export function unite(lookups: readonly Lookup[]): Lookup {
  return {
    possible: uniteKeys(lookups.map(({ possible }) => possible)),
    certain: uniteKeys(lookups.map(({ certain }) => certain)),
  };
}

/**
 * All of several conditions on one path: `n > 3 AND n < 9` is one range. Halves are intersected
 * first, since `n <> 1 AND n <> 2 AND …` leaves as many ranges as it has conditions.
 */
export function intersect(lookups: readonly Lookup[]): Lookup {
  const [first, second] = lookups;
  if (first === undefined || second === undefined) return first ?? exactly(EVERYTHING);
  const half = lookups.length >> 1;
  const a = intersect(lookups.slice(0, half));
  const b = intersect(lookups.slice(half));
  return {
    possible: intersectKeys(a.possible, b.possible),
    certain: intersectKeys(a.certain, b.certain),
  };
}

/** The rows that leave a condition unknown, as far as they can: those without a value. */
export function withAbsent(lookup: Lookup): Lookup {
  const absent: KeySet = { ...NONE, apart: new Set(['missing', 'null']) };
  return { ...lookup, possible: uniteKeys([lookup.possible, absent]) };
}

/**
 * The same asked of a member of a map, `o.m['k']`, by an index on `o.m.k`. A map without the member
 * gives null; what is no map fails. Both are missing in the index.
 */
export function ofMapElement({ possible }: Lookup, isAlwaysMap: boolean): Lookup {
  const isAsked = possible.apart.has('null') || !isAlwaysMap;
  const apart = isAsked ? new Set<KindApart>([...possible.apart, 'missing']) : possible.apart;
  return { possible: { ...possible, apart }, certain: NONE };
}

export function uniteKeys(sets: readonly KeySet[]): KeySet {
  return {
    numbers: uniteBounds(sets.flatMap(({ numbers }) => numbers)),
    strings: uniteBounds(sets.flatMap(({ strings }) => strings)),
    apart: uniteApart(sets),
  };
}

function uniteApart(sets: readonly KeySet[]): ReadonlySet<KindApart> {
  const united = new Set<KindApart>();
  for (const { apart } of sets) for (const kind of apart) united.add(kind);
  return united;
}

function intersectKeys(a: KeySet, b: KeySet): KeySet {
  return {
    numbers: intersectBounds(a.numbers, b.numbers),
    strings: intersectBounds(a.strings, b.strings),
    apart:
      a.apart === b.apart ? a.apart : new Set([...a.apart].filter((kind) => b.apart.has(kind))),
  };
}

/** Entries under these keys, those of rows no longer visible too. */
export function countKeys(keys: KeySet, index: SourceIndex): number {
  let count = 0;
  for (const bounds of keys.numbers) count += index.countNumbers(bounds);
  for (const bounds of keys.strings) count += index.countStrings(bounds);
  return count + countApart(keys, index);
}

function countApart({ apart }: KeySet, index: SourceIndex): number {
  let count = 0;
  for (const kind of apart) count += index.countApart(kind);
  return count;
}

export function visitKeys(keys: KeySet, index: SourceIndex, visit: (row: number) => void): void {
  for (const bounds of keys.numbers) index.forEachNumber(bounds, visit);
  for (const bounds of keys.strings) index.forEachString(bounds, visit);
  for (const kind of keys.apart) index.forEachApart(kind, visit);
}

/** True when the index settles the condition: no row is possible that is not certain. */
export function isAnswered({ possible, certain }: Lookup, index: SourceIndex): boolean {
  if (possible.numbers === certain.numbers && possible.strings === certain.strings) {
    return countApart(possible, index) === countApart(certain, index);
  }
  return countKeys(possible, index) === countKeys(certain, index);
}

/** Only numbers or only strings, beside rows without a value: keys that have one order. */
export function isOfOneKind(keys: KeySet, index: SourceIndex): boolean {
  for (const kind of keys.apart) {
    const isAbsent = kind === 'missing' || kind === 'null';
    if (!isAbsent && index.countApart(kind) > 0) return false;
  }
  const count = (part: Partial<KeySet>): number => countKeys({ ...NONE, ...part }, index);
  return count({ numbers: keys.numbers }) === 0 || count({ strings: keys.strings }) === 0;
}
