// What conditions ask of an index on computed values: `LOWER(o.name) = 'ann'`, or of one on several
// terms: `o.status = 'paid' AND o.total > 5` over `o.status, o.total`. A row whose value is no key
// is kept apart as odd, and offered for every condition.

import type { ComparisonOperator } from '../../value/compare.ts';
import { parseIsoTemporal } from '../../value/iso-date.ts';
import { Temporal } from '../../value/value.ts';
import type { Bounds } from '../columnar/column-source.ts';
import { BEHIND, DATES, dateKey, encodeIndexKey, KIND_LETTERS } from '../columnar/index-key.ts';
import { isOpen, uniteBounds } from './bounds.ts';
import {
  boundsOf,
  type KeySet,
  type Lookup,
  lookupComparison,
  NONE,
  ODD,
  type Seek,
  uniteKeys,
} from './lookup.ts';

/** Keys of all dates, which sort after those of all texts. */
const ALL_DATES: Bounds<string> = { low: { key: DATES, inclusive: true } };
const ALL_TEXTS: Bounds<string> = { high: { key: DATES, inclusive: false } };

/** Among computed values there may be dates, and texts that hold dates have an order with those. */
export const seekComputed: Seek = (operator, value) => {
  if (value instanceof Temporal) {
    const key = operator === '<>' ? undefined : dateKey(value);
    return key === undefined ? undefined : withOdd(lookUpDate(operator, key));
  }
  const found = lookupComparison(operator, value);
  const isOrdered = typeof value === 'string' && operator !== '=';
  if (found === undefined || !isOrdered) return found && withOdd(found);
  const date = parseIsoTemporal(value);
  const key = date && dateKey(date);
  const dates = key === undefined ? [ALL_DATES] : datesOf(operator, key);
  const { possible, certain } = found;
  const strings = uniteBounds([...possible.strings, ...dates]);
  return withOdd({ possible: { ...possible, strings }, certain: withoutDates(certain) });
};

function lookUpDate(operator: ComparisonOperator, key: string): Lookup {
  const dates = datesOf(operator, key);
  const certain = { ...NONE, strings: dates };
  if (operator === '=') return { possible: certain, certain };
  const strings = uniteBounds([ALL_TEXTS, ...dates]);
  const everything = lookupComparison('<>', null)?.possible ?? NONE;
  return { possible: { ...everything, strings }, certain };
}

/** The keys of dates before, at or after one. */
function datesOf(operator: ComparisonOperator, key: string): readonly Bounds<string>[] {
  return boundsOf(operator, key).map(({ low, high }) => ({ low: low ?? ALL_DATES.low, high }));
}

function withoutDates(keys: KeySet): KeySet {
  const strings = keys.strings.filter(({ high }) => high !== undefined && high.key < DATES);
  return { ...keys, strings };
}

/** Odd rows may hold anything, or fail. */
export function withOdd({ possible, certain }: Lookup): Lookup {
  const apart = new Set([...certain.apart].filter((kind) => kind !== 'odd'));
  return {
    possible: uniteKeys([possible, { ...NONE, apart: ODD }]),
    certain: { ...certain, apart },
  };
}

/** More keys than these are better sought by fewer terms. */
const MOST_PREFIXES = 256;

/** Whether every key of a set is a single one, so that the next term narrows it further. */
export function isOfSingleKeys({ possible }: Lookup): boolean {
  return !possible.numbers.some(isOpen) && !possible.strings.some(isOpen);
}

/** Whether all rows that a lookup offers have the same key, but for odd ones. */
export function isOfOneKey(lookup: Lookup): boolean {
  return isOfSingleKeys(lookup) && singleKeys(lookup.possible).length === 1;
}

/** The lookup of conditions on the first terms of an index, one lookup for each of them. */
export function joinLookups(lookups: readonly Lookup[]): Lookup {
  return {
    possible: { ...NONE, strings: joinSets(lookups.map(({ possible }) => possible)), apart: ODD },
    certain: { ...NONE, strings: joinSets(lookups.map(({ certain }) => certain)) },
  };
}

function joinSets(sets: readonly KeySet[]): readonly Bounds<string>[] {
  const last = sets.at(-1) ?? NONE;
  let prefixes: readonly string[] = [''];
  for (const set of sets.slice(0, -1)) {
    const keys = singleKeys(set);
    prefixes = prefixes.flatMap((prefix) => keys.map((key) => prefix + key));
  }
  return uniteBounds(prefixes.flatMap((prefix) => rangesOf(last, prefix)));
}

/** Whether a lookup may be narrowed by one term more without a flood of keys. */
export function hasRoomFor(lookups: readonly Lookup[]): boolean {
  const sizes = lookups.map(({ possible }) => singleKeys(possible).length);
  return sizes.reduce((product, size) => product * size, 1) <= MOST_PREFIXES;
}

/** The keys of a set that has no ranges, as they begin the key of several values. */
function singleKeys({ numbers, strings, apart }: KeySet): readonly string[] {
  const keys = [...numbers, ...strings].flatMap(({ low }) =>
    low ? [encodeIndexKey(low.key)] : [],
  );
  return [...keys, ...lettersOf(apart)];
}

function lettersOf(apart: KeySet['apart']): readonly string[] {
  return [...apart].flatMap((kind) =>
    kind === 'composite' || kind === 'odd' ? [] : [KIND_LETTERS[kind]],
  );
}

/** All keys that begin with a prefix and go on with one of a set. */
function rangesOf({ numbers, strings, apart }: KeySet, prefix: string): Bounds<string>[] {
  const behind = (key: string): Bounds<string> => ({
    low: { key, inclusive: true },
    high: { key: `${key}${BEHIND}`, inclusive: false },
  });
  const within = (letter: string, { low, high }: Bounds<number> | Bounds<string>) => ({
    low: startOf(prefix, letter, low),
    high: endOf(prefix, letter, high),
  });
  return [
    ...lettersOf(apart).map((letter) => behind(prefix + letter)),
    ...numbers.map((bounds) => within(KIND_LETTERS.number, bounds)),
    ...strings.map((bounds) => within(KIND_LETTERS.string, bounds)),
  ];
}

type End = { readonly key: number | string; readonly inclusive: boolean } | undefined;

function startOf(prefix: string, letter: string, low: End): Bounds<string>['low'] {
  if (low === undefined) return { key: prefix + letter, inclusive: true };
  const key = prefix + encodeIndexKey(low.key);
  return { key: low.inclusive ? key : key + BEHIND, inclusive: true };
}

function endOf(prefix: string, letter: string, high: End): Bounds<string>['high'] {
  if (high === undefined) {
    // The letter of the kind after it.
    const next = String.fromCharCode(letter.charCodeAt(0) + 1);
    return { key: prefix + next, inclusive: false };
  }
  const key = prefix + encodeIndexKey(high.key);
  return { key: high.inclusive ? key + BEHIND : key, inclusive: false };
}
