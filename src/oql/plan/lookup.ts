// Turns a condition on an indexed path into a look-up: the keys of all rows for which the condition
// is true or may fail, and among them those for which it is certainly true. For all other rows the
// condition is false or unknown, so reading only these rows changes no result. If both sets have
// the same rows, the index alone decides the condition.
//
//   o.n > 5            possible: numbers (5, ∞), and values that are not comparable with numbers
//                      certain:  numbers (5, ∞)
//   o.s IN SET('a')    strings ['a', 'a']
//   o.s LIKE 'ab%'     strings ['ab', 'ac')

import { toCollection } from '../../value/collections.ts';
import type { Bounds, SourceIndex, UnkeyedKind } from '../../value/column-data.ts';
import { type ComparisonOperator, MIRRORED } from '../../value/compare.ts';
import { ANY_RUN, parseLike } from '../../value/like-pattern.ts';
import { plainNumber } from '../../value/number.ts';
import { UNDEFINED, type Value } from '../../value/value.ts';
import type { BoundExpression } from '../bind/bound-query.ts';
import { iteratorsOf } from '../columnar/conjuncts.ts';
import { intersectBounds, uniteBounds } from './bounds.ts';

/** Ranges of keys, and kinds of values that are no keys. */
export interface KeySet {
  readonly numbers: readonly Bounds<number>[];
  readonly strings: readonly Bounds<string>[];
  readonly unkeyed: ReadonlySet<UnkeyedKind>;
}

export interface Lookup {
  readonly possible: KeySet;
  readonly certain: KeySet;
}

export const NONE: KeySet = { numbers: [], strings: [], unkeyed: new Set() };
const ALL: Bounds<never> = {};
const EVERY_KIND: readonly UnkeyedKind[] = [
  'missing',
  'null',
  'true',
  'false',
  'composite',
  'other',
];

/** Made once: a text may have thousands of conditions. */
const ALL_BUT_OTHER: ReadonlySet<UnkeyedKind> = new Set(
  EVERY_KIND.filter((kind) => kind !== 'other'),
);
export const OTHER: ReadonlySet<UnkeyedKind> = new Set(['other']);
const NOT_ORDERED: ReadonlySet<UnkeyedKind> = new Set(['other', 'true', 'false', 'composite']);

/** Every value there can be at a path. */
export const EVERYTHING: KeySet = { numbers: [ALL], strings: [ALL], unkeyed: new Set(EVERY_KIND) };

export type Constant = (expression: BoundExpression) => Value | undefined;

/** Looks up a value among those of documents, or among computed ones, which may be dates too. */
export type Seek = (operator: ComparisonOperator, value: Value) => Lookup | undefined;

/** As far as text and parameters give it without a run; undefined if it has to be computed. */
export function constantOf(
  expression: BoundExpression,
  parameters: readonly Value[],
): Value | undefined {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'parameter':
      return parameters[expression.slot];
    case 'set': {
      const values = expression.elements.map((element) => constantOf(element, parameters));
      return values.every((value) => value !== undefined) ? values : undefined;
    }
    default:
      return undefined;
  }
}

/** Undefined if an index cannot serve the condition. Its subject must be the indexed value. */
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
      return lookupElements(constant(condition.collection), seek);
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

/** The subject of a condition: its operand that is not constant. */
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

function onlyKinds(kinds: readonly UnkeyedKind[]): Lookup {
  return exactly({ ...NONE, unkeyed: new Set(kinds) });
}

function allBut(kinds: readonly UnkeyedKind[]): Lookup {
  const unkeyed = new Set(EVERY_KIND.filter((kind) => !kinds.includes(kind)));
  return exactly({ numbers: [ALL], strings: [ALL], unkeyed });
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
  if (number !== undefined) return lookupKeys(operator, { numbers: boundsOf(operator, number) });
  if (typeof value !== 'string') return undefined;
  return lookupKeys(operator, { strings: boundsOf(operator, value) });
}

/** A number that is no key (`OTHER_NUMBER`) may be below, equal to or above any number. */
function lookupKeys(operator: ComparisonOperator, own: Partial<KeySet>): Lookup {
  const mayBeOther = own.numbers !== undefined;
  const certain = { ...NONE, ...own };
  if (operator === '=') {
    return mayBeOther ? { possible: { ...certain, unkeyed: OTHER }, certain } : exactly(certain);
  }
  const others = { ...EVERYTHING, ...own };
  if (operator !== '<>') return { possible: { ...others, unkeyed: NOT_ORDERED }, certain };
  return { possible: others, certain: mayBeOther ? { ...others, unkeyed: ALL_BUT_OTHER } : others };
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

function lookupElements(collection: Value | undefined, seek: Seek): Lookup | undefined {
  const elements = collection === undefined ? undefined : toCollection(collection);
  if (elements === undefined) return undefined;
  const lookups = elements.map((element) => seek('=', element));
  return lookups.every((one) => one !== undefined) ? unite(lookups) : undefined;
}

/** The text before the first wildcard is a prefix of every match. */
function lookupLike(pattern: Value | undefined): Lookup | undefined {
  if (typeof pattern !== 'string') return undefined;
  const elements = parseLike(pattern);
  const wildcard = elements.findIndex((element) => element < 0);
  const literal = wildcard < 0 ? elements : elements.slice(0, wildcard);
  const prefix = literal.map((character) => String.fromCodePoint(character)).join('');
  if (wildcard < 0) return lookupComparison('=', prefix);
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

/** The look-up of an OR of conditions on one path; there may be thousands. */
export function unite(lookups: readonly Lookup[]): Lookup {
  const numbers = uniteRanges(lookups, (keys) => keys.numbers);
  const strings = uniteRanges(lookups, (keys) => keys.strings);
  const setOf = (name: 'possible' | 'certain'): KeySet => ({
    numbers: numbers[name],
    strings: strings[name],
    unkeyed: new Set(lookups.flatMap((each) => [...each[name].unkeyed])),
  });
  return { possible: setOf('possible'), certain: setOf('certain') };
}

/** Mostly all keys are certain. They are then sorted once. */
function uniteRanges<Key>(
  lookups: readonly Lookup[],
  of: (keys: KeySet) => readonly Bounds<Key>[],
) {
  const possible = uniteBounds(lookups.flatMap((each) => of(each.possible)));
  const isSame = lookups.every((each) => of(each.certain) === of(each.possible));
  const certain = isSame ? possible : uniteBounds(lookups.flatMap((each) => of(each.certain)));
  return { possible, certain };
}

/**
 * The look-up of an AND of conditions on one path: `n > 3 AND n < 9` is one range. Halves are
 * intersected first, because `n <> 1 AND n <> 2 AND …` has as many ranges as conditions.
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

/** Adds the rows for which the condition may be unknown: those without a value. */
export function withAbsent(lookup: Lookup): Lookup {
  return { ...lookup, possible: withKinds(lookup.possible, ['missing', 'null']) };
}

export function withKinds(keys: KeySet, kinds: Iterable<UnkeyedKind>): KeySet {
  return { ...keys, unkeyed: new Set([...keys.unkeyed, ...kinds]) };
}

/**
 * The look-up of a member of a map, `o.m['k']`, in an index on `o.m.k`. A map without the member
 * has null there, and another value fails. Both are missing in the index.
 */
export function ofMapElement({ possible }: Lookup, isAlwaysMap: boolean): Lookup {
  const mayBeMissing = possible.unkeyed.has('null') || !isAlwaysMap;
  return { possible: withKinds(possible, mayBeMissing ? ['missing'] : []), certain: NONE };
}

function intersectKeys(a: KeySet, b: KeySet): KeySet {
  return {
    numbers: intersectBounds(a.numbers, b.numbers),
    strings: intersectBounds(a.strings, b.strings),
    unkeyed: new Set([...a.unkeyed].filter((kind) => b.unkeyed.has(kind))),
  };
}

/** Index entries of these keys, including those of rows that are no longer visible. */
export function countKeys(keys: KeySet, index: SourceIndex): number {
  let count = 0;
  for (const bounds of keys.numbers) count += index.countNumbers(bounds);
  for (const bounds of keys.strings) count += index.countStrings(bounds);
  return count + countUnkeyed(keys, index);
}

function countUnkeyed({ unkeyed }: KeySet, index: SourceIndex): number {
  let count = 0;
  for (const kind of unkeyed) count += index.countUnkeyed(kind);
  return count;
}

export function visitKeys(keys: KeySet, index: SourceIndex, visit: (row: number) => void): void {
  for (const bounds of keys.numbers) index.forEachNumber(bounds, visit);
  for (const bounds of keys.strings) index.forEachString(bounds, visit);
  for (const kind of keys.unkeyed) index.forEachUnkeyed(kind, visit);
}

/**
 * Whether the index alone decides the condition: every possible row is certain. Mostly both sets have
 * the same ranges, which need not be counted.
 */
export function isAnswered({ possible, certain }: Lookup, index: SourceIndex): boolean {
  const isSame = possible.numbers === certain.numbers && possible.strings === certain.strings;
  const count = isSame ? countUnkeyed : countKeys;
  return count(possible, index) === count(certain, index);
}

/** Whether the keys have one order: only numbers or only strings, besides rows without a value. */
export function isOfOneKind({ numbers, strings, unkeyed }: KeySet, index: SourceIndex): boolean {
  const hasNone = (part: Partial<KeySet>): boolean => countKeys({ ...NONE, ...part }, index) === 0;
  const present = new Set([...unkeyed].filter((kind) => kind !== 'missing' && kind !== 'null'));
  return hasNone({ unkeyed: present }) && (hasNone({ numbers }) || hasNone({ strings }));
}
