// A radix sort of numbers, stable and in steps. It takes a third of the time of a merge sort: the
// processor cannot predict the comparisons of one.
//
// The bits of a floating-point number, as an unsigned integer, are in the order of the numbers once
// the sign bit is inverted, and for a negative number all bits are. Such integers are moved digit by
// digit, from the lowest digit to the highest, each time in a stable counting sort.

import type { EntryList } from './entry-list.ts';

const DIGIT_BITS = 11;
const DIGITS = Math.ceil(64 / DIGIT_BITS);
const BUCKETS = 1 << DIGIT_BITS;
const DIGIT_MASK = BUCKETS - 1;
/** Numbers that are read or moved between two yield points. */
const STEP = 1024;

/** The integers of numbers in two halves, and the indexes of the numbers. */
interface Items {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly indexes: Uint32Array;
}

/** The indexes of the entries in the order of their keys. */
export function* sortNumbers(entries: EntryList): Generator<void, Uint32Array> {
  let from = yield* createItems(entries.size);
  let to = yield* createItems(entries.size);
  // How often each value of each digit occurs.
  const counts = new Uint32Array(DIGITS * BUCKETS);
  for (let start = 0; start < entries.size; start += STEP) {
    readSome(entries, from, start, counts);
    yield;
  }
  for (let digit = 0; digit < DIGITS; digit += 1) {
    const next = toStarts(counts.subarray(digit * BUCKETS, (digit + 1) * BUCKETS));
    // All numbers have the same digit, as whole numbers do in the lower ones.
    if (next === undefined) continue;
    for (let start = 0; start < entries.size; start += STEP) {
      moveSome(from, to, start, digit, next);
      yield;
    }
    [from, to] = [to, from];
  }
  return from.indexes;
}

/** In steps, because large arrays take milliseconds to be cleared. */
function* createItems(size: number): Generator<void, Items> {
  const high = new Uint32Array(size);
  yield;
  const low = new Uint32Array(size);
  yield;
  const indexes = new Uint32Array(size);
  yield;
  return { high, low, indexes };
}

const number = new Float64Array(1);
const halves = new Uint32Array(number.buffer);
/** Which of the two halves is the higher one depends on the processor. */
const HIGH = highHalf();
const LOW = 1 - HIGH;

function highHalf(): 0 | 1 {
  number[0] = -1;
  return halves[1] === 0 ? 0 : 1;
}

function readSome(entries: EntryList, items: Items, start: number, counts: Uint32Array): void {
  const end = Math.min(start + STEP, entries.size);
  for (let index = start; index < end; index += 1) {
    // -0 and 0 are the same key.
    number[0] = entries.keyAt(index) + 0;
    let high = halves[HIGH] ?? 0;
    let low = halves[LOW] ?? 0;
    const isNegative = high >>> 31 === 1;
    high = isNegative ? ~high : high ^ 0x80000000;
    if (isNegative) low = ~low;
    items.high[index] = high;
    items.low[index] = low;
    items.indexes[index] = index;
    for (let digit = 0; digit < DIGITS; digit += 1) {
      const place = digit * BUCKETS + digitOf(high, low, digit);
      counts[place] = (counts[place] ?? 0) + 1;
    }
  }
}

function digitOf(high: number, low: number, digit: number): number {
  const bit = digit * DIGIT_BITS;
  if (bit >= 32) return (high >>> (bit - 32)) & DIGIT_MASK;
  const ofLow = low >>> bit;
  return (bit + DIGIT_BITS <= 32 ? ofLow : ofLow | (high << (32 - bit))) & DIGIT_MASK;
}

/** Turns the counts of a digit into the start of each bucket; undefined if only one is used. */
function toStarts(counts: Uint32Array): Uint32Array | undefined {
  let start = 0;
  let used = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    const count = counts[bucket] ?? 0;
    if (count > 0) used += 1;
    counts[bucket] = start;
    start += count;
  }
  return used > 1 ? counts : undefined;
}

function moveSome(from: Items, to: Items, start: number, digit: number, next: Uint32Array): void {
  const end = Math.min(start + STEP, from.indexes.length);
  for (let index = start; index < end; index += 1) {
    const high = from.high[index] ?? 0;
    const low = from.low[index] ?? 0;
    const bucket = digitOf(high, low, digit);
    const at = next[bucket] ?? 0;
    next[bucket] = at + 1;
    to.high[at] = high;
    to.low[at] = low;
    to.indexes[at] = from.indexes[index] ?? 0;
  }
}
