// Codes of numbers that are compared as doubles, in an open-addressing table of typed arrays: no
// object per number, and nothing for the garbage collector to walk through.

import { PagedDoubles, PagedWords } from './pages.ts';

/** What stands for a number that has no code. */
export const UNSEEN = -1;

const INITIAL_SLOTS = 64;
/** A window over all whole keys is kept if it has at most so many places per key. */
const PLACES_PER_KEY = 8;

const float = new Float64Array(1);
const halves = new Uint32Array(float.buffer);

/** -0 must not come: it equals 0, but not in its bits. */
function hashNumber(value: number): number {
  float[0] = value;
  const mixed = Math.imul((halves[0] ?? 0) ^ Math.imul(halves[1] ?? 0, 0x85ebca6b), 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** Codes plus one, 0 in an empty slot. Slots are a power of two, at most half of them are taken. */
class NumberTable {
  readonly slots: number;
  readonly #wrap: number;
  readonly #keys = new PagedDoubles();
  readonly #codes = new PagedWords();

  constructor(slots: number) {
    this.slots = slots;
    this.#wrap = slots - 1;
  }

  /** The code of a number plus one, or 0. */
  find(value: number): number {
    return this.#codes.at(this.#slotOf(value));
  }

  put(value: number, code: number): void {
    const slot = this.#slotOf(value);
    this.#keys.set(slot, value);
    this.#codes.set(slot, code);
  }

  /** Visits the numbers in some of the slots, with their codes plus one. */
  visit(from: number, to: number, take: (value: number, code: number) => void): void {
    for (let slot = from; slot < to; slot += 1) {
      const code = this.#codes.at(slot);
      if (code !== 0) take(this.#keys.at(slot), code);
    }
  }

  /** Where the number is, or where it would be put. */
  #slotOf(value: number): number {
    let slot = hashNumber(value) & this.#wrap;
    while (this.#codes.at(slot) !== 0 && this.#keys.at(slot) !== value) {
      slot = (slot + 1) & this.#wrap;
    }
    return slot;
  }
}

/** Slots of the table before that are moved with each number that is added. */
const SLOTS_PER_MOVE = 16;
/** Slots visited between two borders at which a caller may pause. */
const SLOTS_PER_STEP = 1 << 15;

export class NumberCodes {
  size = 0;
  #table: NumberTable = new NumberTable(INITIAL_SLOTS);
  /** The table before the last doubling, until all of it is in the new one. */
  #old: NumberTable | undefined;
  #moved = 0;

  find(value: number): number {
    const code = this.#table.find(value);
    if (code !== 0 || this.#old === undefined) return code - 1;
    return this.#old.find(value) - 1;
  }

  /** The number must not be there yet. */
  add(value: number, code: number): void {
    if (this.#old !== undefined) this.#move(SLOTS_PER_MOVE);
    else if (this.size * 2 >= this.#table.slots) this.#double();
    this.#table.put(value, code + 1);
    this.size += 1;
  }

  /** Visits all numbers, in steps. Nothing may be added meanwhile. */
  *visit(take: (value: number, code: number) => void): Generator<void> {
    for (const table of [this.#old, this.#table]) {
      // Of the old table the slots that were moved are in the new one.
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
    this.#old.visit(this.#moved, end, (value, code) => this.#table.put(value, code));
    this.#moved = end;
    if (end === this.#old.slots) this.#old = undefined;
  }
}

/** Codes of whole numbers by their distance from `low`. */
export interface NumberWindow {
  readonly low: number;
  readonly codes: Int32Array;
}

/** A window over all the numbers, if they are whole and lie close together; found in steps. */
export function* openWindow(known: NumberCodes): Generator<void, NumberWindow | undefined> {
  let low = Number.MAX_SAFE_INTEGER;
  let high = Number.MIN_SAFE_INTEGER;
  let isWhole = known.size > 0;
  yield* known.visit((value) => {
    isWhole &&= Number.isSafeInteger(value);
    low = Math.min(low, value);
    high = Math.max(high, value);
  });
  if (!isWhole || high - low >= known.size * PLACES_PER_KEY) return undefined;
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

/** Numbers outside of the window have no code. */
export function findInWindow(
  numbers: Float64Array,
  size: number,
  found: Int32Array,
  { low, codes }: NumberWindow,
): void {
  const end = codes.length;
  for (let row = 0; row < size; row += 1) {
    const value = numbers[row] ?? 0;
    const place = (value - low) >>> 0;
    // The difference may be rounded or too large; the sum of two whole numbers is what it is.
    const isInside = place < end && place + low === value;
    found[row] = isInside ? (codes[place] ?? UNSEEN) : UNSEEN;
  }
}
