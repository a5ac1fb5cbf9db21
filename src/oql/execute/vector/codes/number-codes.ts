// Codes of numbers that are compared as doubles, in an open-addressing table of typed arrays: no
// object per number, and nothing for the garbage collector to trace.

import { INTEGER } from '../../../../value/row-tags.ts';
import type { Vector } from '../frames/vector.ts';

/** The code of a number that has none. */
export const UNSEEN = -1;

const INITIAL_SLOTS = 64;
/** A window over all whole keys is kept if it has at most so many elements per key. */
const ELEMENTS_PER_KEY = 8;

const float = new Float64Array(1);
const halves = new Uint32Array(float.buffer);

/**
 * Must not be called with -0, which equals 0 but has other bits. The factors are those of
 * MurmurHash3 and xxHash32.
 */
function hashNumber(value: number): number {
  float[0] = value;
  const mixed = Math.imul((halves[0] ?? 0) ^ Math.imul(halves[1] ?? 0, 0x85ebca6b), 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/**
 * Each slot has a number and its code plus one, or 0 if it is empty. The number of slots is a power
 * of two, and at most half of them are in use.
 */
class NumberTable {
  readonly slots: number;
  readonly #cells: Float64Array;

  constructor(slots: number) {
    this.slots = slots;
    this.#cells = new Float64Array(slots * 2);
  }

  /** The code of a number plus one, or 0. */
  find(value: number): number {
    return this.#cells[this.#cellOf(value) + 1] ?? 0;
  }

  /** The number must be new. */
  put(value: number, code: number): void {
    const at = this.#cellOf(value);
    this.#cells[at] = value;
    this.#cells[at + 1] = code;
  }

  /** The position of a number, or of the empty slot where it belongs. */
  #cellOf(value: number): number {
    const cells = this.#cells;
    const mask = cells.length - 1;
    for (let at = (hashNumber(value) << 1) & mask; ; at = (at + 2) & mask) {
      if (cells[at + 1] === 0 || cells[at] === value) return at;
    }
  }

  /** Visits the numbers in some of the slots, with their codes plus one. */
  visit(from: number, to: number, take: (value: number, code: number) => void): void {
    const cells = this.#cells;
    for (let at = from * 2; at < to * 2; at += 2) {
      const code = cells[at + 1] ?? 0;
      if (code !== 0) take(cells[at] ?? 0, code);
    }
  }
}

/** Codes are far below this: there are never so many rows. */
const PAIR_FACTOR = 2 ** 26;

/** A number that only this pair of codes has. */
export function pairOf(left: number, right: number): number {
  return left * PAIR_FACTOR + right;
}

/** Slots of the old table that are moved with each added number. */
const SLOTS_PER_MOVE = 16;
/** Slots visited between two yield points. */
const SLOTS_PER_STEP = 1 << 15;

export class NumberCodes {
  /** How many numbers have codes. */
  size = 0;
  #table: NumberTable = new NumberTable(INITIAL_SLOTS);
  /** The table before the last doubling, until all of it has moved. */
  #old: NumberTable | undefined;
  #moved = 0;

  find(value: number): number {
    const code = this.#table.find(value);
    if (code !== 0 || this.#old === undefined) return code - 1;
    return this.#old.find(value) - 1;
  }

  /** The number must be new. */
  add(value: number, code: number): void {
    if (this.#old !== undefined) this.#move(SLOTS_PER_MOVE);
    else if (this.size * 2 >= this.#table.slots) this.#double();
    this.#table.put(value, code + 1);
    this.size += 1;
  }

  /** The code of a number, which is the next one if the number is new. */
  encode(value: number): number {
    const known = this.find(value);
    if (known !== UNSEEN) return known;
    this.add(value, this.size);
    return this.size - 1;
  }

  /** Visits all numbers, in steps. Nothing may be added meanwhile. */
  *visit(take: (value: number, code: number) => void): Generator<void> {
    for (const table of [this.#old, this.#table]) {
      // Slots of the old table that have moved are in the new one.
      const start = table === this.#old ? this.#moved : 0;
      const end = table?.slots ?? 0;
      for (let slot = start; slot < end; slot += SLOTS_PER_STEP) {
        const stop = Math.min(slot + SLOTS_PER_STEP, end);
        table?.visit(slot, stop, (value, code) => take(value, code - 1));
        yield;
      }
    }
  }

  #double(): void {
    this.#old = this.#table;
    this.#moved = 0;
    this.#table = new NumberTable(this.#old.slots * 2);
    this.#move(SLOTS_PER_MOVE);
  }

  #move(slots: number): void {
    if (this.#old === undefined) return;
    const end = Math.min(this.#moved + slots, this.#old.slots);
    const table = this.#table;
    this.#old.visit(this.#moved, end, (value, code) => table.put(value, code));
    this.#moved = end;
    if (end === this.#old.slots) this.#old = undefined;
  }
}

/** Codes of whole numbers by their distance from `low`; none if the numbers are far apart. */
export interface NumberWindow {
  readonly low: number;
  readonly codes: Int32Array;
}

const NO_WINDOW: NumberWindow = { low: 0, codes: new Int32Array(0) };

/** A window over all numbers, if they are integers and close together; built in steps. */
export function* openWindow(known: NumberCodes): Generator<void, NumberWindow> {
  let low = Number.MAX_SAFE_INTEGER;
  let high = Number.MIN_SAFE_INTEGER;
  let isWhole = known.size > 0;
  yield* known.visit((value) => {
    isWhole &&= Number.isSafeInteger(value);
    low = Math.min(low, value);
    high = Math.max(high, value);
  });
  if (!isWhole || high - low >= known.size * ELEMENTS_PER_KEY) return NO_WINDOW;
  const codes = new Int32Array(high - low + 1);
  for (let from = 0; from < codes.length; from += SLOTS_PER_STEP) {
    codes.fill(UNSEEN, from, from + SLOTS_PER_STEP);
    yield;
  }
  yield* known.visit((value, code) => {
    codes[value - low] = code;
  });
  return { low, codes };
}

/** The same window with the label of each code instead of the code, made in steps. */
export function* labelWindow(
  { low, codes }: NumberWindow,
  labels: Uint32Array,
): Generator<void, NumberWindow> {
  const labelled = new Int32Array(codes.length);
  for (let from = 0; from < codes.length; from += SLOTS_PER_STEP) {
    const to = from + SLOTS_PER_STEP;
    labelCodes(codes.subarray(from, to), labels, labelled.subarray(from, to));
    yield;
  }
  return { low, codes: labelled };
}

/** Writes as many labels of codes as there is room for, and -1 for none. */
export function labelCodes(codes: Int32Array, labels: Uint32Array, labelled: Int32Array): void {
  for (let at = 0; at < labelled.length; at += 1) {
    const code = codes[at] ?? UNSEEN;
    labelled[at] = code === UNSEEN ? UNSEEN : (labels[code] ?? UNSEEN);
  }
}

/** Numbers outside of the window have no code. */
export function findInWindow(
  vector: Vector,
  size: number,
  found: Int32Array,
  window: NumberWindow,
): void {
  const find = areWithin(vector, window) ? findInside : findAnywhere;
  find(vector.numbers, size, found, window);
}

/** Whether all values are integers in the range of a window, as their bounds show. */
export function areWithin(
  { mask, lowest, highest }: Vector,
  { low, codes }: NumberWindow,
): boolean {
  return mask === 1 << INTEGER && lowest >= low && highest < low + codes.length;
}

/** For integers that are all in the window. */
function findInside(
  numbers: Float64Array,
  size: number,
  found: Int32Array,
  { low, codes }: NumberWindow,
): void {
  for (let row = 0; row < size; row += 1) {
    found[row] = codes[((numbers[row] ?? 0) - low) | 0] ?? UNSEEN;
  }
}

/** The same for any numbers. */
function findAnywhere(
  numbers: Float64Array,
  size: number,
  found: Int32Array,
  { low, codes }: NumberWindow,
): void {
  const end = codes.length;
  for (let row = 0; row < size; row += 1) {
    const value = numbers[row] ?? 0;
    const at = (value - low) >>> 0;
    // The difference may be rounded or too large; the sum of two integers in range is exact.
    const isInside = at < end && at + low === value;
    found[row] = isInside ? (codes[at] ?? UNSEEN) : UNSEEN;
  }
}
