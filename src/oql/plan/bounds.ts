// Ranges of keys, united and intersected. Lists of ranges are ascending and do not overlap, so that
// counting the keys of each counts no key twice.

import type { Bound, Bounds } from '../../value/column-data.ts';

/** The same keys as ranges that do not overlap; ranges without keys are dropped. */
export function uniteBounds<Key>(ranges: readonly Bounds<Key>[]): readonly Bounds<Key>[] {
  const sorted = ranges.filter((range) => !isEmpty(range)).sort((a, b) => compareEnds('low', a, b));
  const united: Bounds<Key>[] = [];
  for (const range of sorted) {
    const last = united.at(-1);
    if (last !== undefined && touches(last.high, range.low)) {
      const high = compareEnds('high', last, range) > 0 ? last.high : range.high;
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
    const endsFirst = compareEnds('high', left, right) < 0;
    const range = {
      low: compareEnds('low', left, right) > 0 ? left.low : right.low,
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

/** The order of two ends of ranges: an open low end is before all others, an open high end after. */
function compareEnds<Key>(side: 'low' | 'high', a: Bounds<Key>, b: Bounds<Key>): number {
  const [left, right] = [a[side], b[side]];
  const sign = side === 'low' ? 1 : -1;
  if (left === undefined || right === undefined) {
    return sign * (Number(left !== undefined) - Number(right !== undefined));
  }
  if (left.key === right.key) return sign * (Number(right.inclusive) - Number(left.inclusive));
  return left.key < right.key ? -1 : 1;
}

/** No key lies between the end of one range and the beginning of the next. */
function touches<Key>(high: Bound<Key> | undefined, low: Bound<Key> | undefined): boolean {
  if (high === undefined || low === undefined || low.key < high.key) return true;
  return low.key === high.key && (low.inclusive || high.inclusive);
}
