// Look-ups in an index on computed values, `LOWER(o.name) = 'ann'`, or on several terms,
// `o.status = 'paid' AND o.total > 5` over `o.status, o.total`. The index holds rows whose value
// is no key under the kind `other`, and returns them for every condition.

import type { Bound, Bounds } from '../../value/column-data.ts';
import type { ComparisonOperator } from '../../value/compare.ts';
import { parseIsoTemporal } from '../../value/iso-date.ts';
import { Temporal } from '../../value/value.ts';
import {
  AFTER_KEY,
  DATE_PREFIX,
  dateKey,
  encodeIndexKey,
  KIND_LETTERS,
} from '../columnar/index-key.ts';
import { isOpen, uniteBounds } from './bounds.ts';
import {
  boundsOf,
  type KeySet,
  type Lookup,
  lookupComparison,
  NONE,
  OTHER,
  type Seek,
  withKinds,
} from './lookup.ts';

/** Keys of all dates, which sort after those of all texts. */
const ALL_DATES: Bounds<string> = { low: { key: DATE_PREFIX, inclusive: true } };
const ALL_TEXTS: Bounds<string> = { high: { key: DATE_PREFIX, inclusive: false } };

/** Computed values may be dates, and texts that hold dates are comparable with those. */
export const seekComputed: Seek = (operator, value) => {
  if (value instanceof Temporal) {
    const key = operator === '<>' ? undefined : dateKey(value);
    return key === undefined ? undefined : lookUpDate(operator, key);
  }
  const lookup = lookupComparison(operator, value);
  if (lookup === undefined || typeof value !== 'string' || operator === '=') return lookup;
  const date = parseIsoTemporal(value);
  const key = date && dateKey(date);
  const dates = key === undefined ? [ALL_DATES] : datesOf(operator, key);
  const { possible, certain } = lookup;
  const strings = uniteBounds([...possible.strings, ...dates]);
  const texts = certain.strings.filter(({ high }) => high !== undefined && high.key < DATE_PREFIX);
  return { possible: { ...possible, strings }, certain: { ...certain, strings: texts } };
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

/** Rows of the kind `other` may have any value, or fail, so they are always possible. */
export function withOther({ possible, certain }: Lookup): Lookup {
  const unkeyed = new Set([...certain.unkeyed].filter((kind) => kind !== 'other'));
  return { possible: withKinds(possible, OTHER), certain: { ...certain, unkeyed } };
}

/** More keys than these take longer than a look-up by fewer terms. */
const MAX_PREFIXES = 256;

/** Whether every key of a set is a single one, so that the next term narrows it further. */
export function isOfSingleKeys({ possible }: Lookup): boolean {
  return !possible.numbers.some(isOpen) && !possible.strings.some(isOpen);
}

/** Whether all rows of a look-up have the same key, except those of the kind `other`. */
export function isOfOneKey(lookup: Lookup): boolean {
  return isOfSingleKeys(lookup) && countSingleKeys(lookup.possible) === 1;
}

/** The lookup of conditions on the first terms of an index, one lookup for each of them. */
export function joinLookups(lookups: readonly Lookup[]): Lookup {
  const strings = joinSets(lookups.map(({ possible }) => possible));
  const certain = lookups.every(hasCertainKeys)
    ? strings
    : joinSets(lookups.map((each) => each.certain));
  return {
    possible: { ...NONE, strings, unkeyed: OTHER },
    certain: { ...NONE, strings: certain },
  };
}

/** Whether every possible key is certain; compares no keys, because there may be thousands. */
function hasCertainKeys({ possible, certain }: Lookup): boolean {
  return (
    possible.numbers === certain.numbers &&
    possible.strings === certain.strings &&
    lettersOf(possible.unkeyed).join() === lettersOf(certain.unkeyed).join()
  );
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

/** Whether a look-up by one term more has few enough keys. */
export function hasRoomFor(lookups: readonly Lookup[]): boolean {
  const sizes = lookups.map(({ possible }) => countSingleKeys(possible));
  return sizes.reduce((product, size) => product * size, 1) <= MAX_PREFIXES;
}

/** Number of keys of a set without ranges. */
function countSingleKeys({ numbers, strings, unkeyed }: KeySet): number {
  return numbers.length + strings.length + lettersOf(unkeyed).length;
}

/** The keys of a set without ranges, encoded as prefixes of the key of several values. */
function singleKeys({ numbers, strings, unkeyed }: KeySet): readonly string[] {
  const keys = [...numbers, ...strings].flatMap(({ low }) =>
    low ? [encodeIndexKey(low.key)] : [],
  );
  return [...keys, ...lettersOf(unkeyed)];
}

function lettersOf(unkeyed: KeySet['unkeyed']): readonly string[] {
  return [...unkeyed].flatMap((kind) =>
    kind === 'composite' || kind === 'other' ? [] : [KIND_LETTERS[kind]],
  );
}

/** All keys that consist of a prefix and a key of a set. */
function rangesOf({ numbers, strings, unkeyed }: KeySet, prefix: string): Bounds<string>[] {
  const after = (key: string): Bounds<string> => ({
    low: { key, inclusive: true },
    high: { key: `${key}${AFTER_KEY}`, inclusive: false },
  });
  /** The key before or after a bound. */
  const edge = ({ key }: Bound<number | string>, isAfter: boolean): string =>
    `${prefix}${encodeIndexKey(key)}${isAfter ? AFTER_KEY : ''}`;
  const within = (letter: string, { low, high }: Bounds<number> | Bounds<string>) => {
    // The letter of the kind after it.
    const next = String.fromCharCode(letter.charCodeAt(0) + 1);
    const isOneKey = low?.inclusive && high?.inclusive && low.key === high.key;
    if (isOneKey) return after(edge(low, false));
    const start = low === undefined ? prefix + letter : edge(low, !low.inclusive);
    const end = high === undefined ? prefix + next : edge(high, high.inclusive);
    return { low: { key: start, inclusive: true }, high: { key: end, inclusive: false } };
  };
  return [
    ...lettersOf(unkeyed).map((letter) => after(prefix + letter)),
    ...numbers.map((bounds) => within(KIND_LETTERS.number, bounds)),
    ...strings.map((bounds) => within(KIND_LETTERS.string, bounds)),
  ];
}
