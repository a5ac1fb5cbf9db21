// Ranges of keys, united and intersected. Lists of ranges are ascending and do not overlap, so that
// counting the keys of each counts no key twice.

import type { Bound, Bounds } from '../../value/column-data.ts';

/** The same keys as ranges that do not overlap; ranges without keys are gone. */
export function uniteBounds<Key>(ranges: readonly Bounds<Key>[]): readonly Bounds<Key>[] {
  const sorted = ranges.filter((range) => !isEmpty(range)).sort((a, b) => compareLow(a.low, b.low));
  const united: Bounds<Key>[] = [];
  for (const range of sorted) {
    const last = united.at(-1);
    if (last !== undefined && touches(last.high, range.low)) {
      const high = compareHigh(last.high, range.high) > 0 ? last.high : range.high;
      united[united.length - 1] = { low: last.low, high };
    } else {
      united.push(range);
    }
  }
  return united;
}

/** The keys that both lists have; takes time by the length of the lists, not of their product. */
export function intersectBounds<Key>(
  a: readonly Bounds<Key>[],
  b: readonly Bounds<Key>[],
): readonly Bounds<Key>[] {
  const [lefts, rights] = [uniteBounds(a), uniteBounds(b)];
  const both: Bounds<Key>[] = [];
  for (let i = 0, j = 0; ; ) {
    const [left, right] = [lefts[i], rights[j]];
    if (left === undefined || right === undefined) return both;
    const endsFirst = compareHigh(left.high, right.high) < 0;
    const range = {
      low: compareLow(left.low, right.low) > 0 ? left.low : right.low,
      high: endsFirst ? left.high : right.high,
    };
    if (!isEmpty(range)) both.push(range);
    if (endsFirst) i++;
    else j++;
  }
}

/** True if more than one key may be within. */
export function isOpen({ low, high }: Bounds<number> | Bounds<string>): boolean {
  return low === undefined || high === undefined || low.key !== high.key;
}

function isEmpty<Key>({ low, high }: Bounds<Key>): boolean {
  if (low === undefined || high === undefined || low.key < high.key) return false;
  return low.key > high.key || !low.inclusive || !high.inclusive;
}

function compareLow<Key>(a: Bound<Key> | undefined, b: Bound<Key> | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (a.key === b.key) return Number(b.inclusive) - Number(a.inclusive);
  return a.key < b.key ? -1 : 1;
}

function compareHigh<Key>(a: Bound<Key> | undefined, b: Bound<Key> | undefined): number {
  if (a === undefined || b === undefined) return Number(b !== undefined) - Number(a !== undefined);
  if (a.key === b.key) return Number(a.inclusive) - Number(b.inclusive);
  return a.key < b.key ? -1 : 1;
}

/** No key lies between the end of one range and the beginning of the next. */
function touches<Key>(high: Bound<Key> | undefined, low: Bound<Key> | undefined): boolean {
  if (high === undefined || low === undefined || low.key < high.key) return true;
  return low.key === high.key && (low.inclusive || high.inclusive);
}
