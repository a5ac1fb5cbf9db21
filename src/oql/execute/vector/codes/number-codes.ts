// Codes of numbers that are compared as doubles, in an open-addressing table of typed arrays: no
// object per number, and nothing for the garbage collector to walk through.

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

/** A code plus one, 0 in an empty slot. Length is a power of two, at most half of the slots are taken. */
interface NumberTable {
  readonly keys: Float64Array;
  readonly codes: Int32Array;
}

/** Nothing is written to it: the pages of a large table come as they are used. */
function createTable(length: number): NumberTable {
  return { keys: new Float64Array(length), codes: new Int32Array(length) };
}

/** Slots of the table before that are moved with each number that is added. */
const SLOTS_PER_MOVE = 16;

export class NumberCodes {
  size = 0;
  #table: NumberTable = createTable(INITIAL_SLOTS);
  /** The table before the last doubling, until all of it is in the new one. */
  #old: NumberTable | undefined;
  #moved = 0;

  find(value: number): number {
    const table = this.#table;
    const code = table.codes[slotOf(table, value)] ?? 0;
    if (code !== 0 || this.#old === undefined) return code - 1;
    return (this.#old.codes[slotOf(this.#old, value)] ?? 0) - 1;
  }

  /** The number must not be there yet. */
  add(value: number, code: number): void {
    if (this.#old !== undefined) this.#move(SLOTS_PER_MOVE);
    else if (this.size * 2 >= this.#table.codes.length) this.#double();
    put(this.#table, value, code + 1);
    this.size += 1;
  }

  forEach(visit: (value: number, code: number) => void): void {
    if (this.#old !== undefined) this.#move(this.#old.codes.length);
    const { keys, codes } = this.#table;
    for (let slot = 0; slot < codes.length; slot += 1) {
      const code = codes[slot] ?? 0;
      if (code !== 0) visit(keys[slot] ?? 0, code - 1);
    }
  }

  #double(): void {
    this.#old = this.#table;
    this.#moved = 0;
    this.#table = createTable(this.#old.codes.length * 2);
    this.#move(SLOTS_PER_MOVE);
  }

  #move(slots: number): void {
    if (this.#old === undefined) return;
    const { keys, codes } = this.#old;
    const end = Math.min(this.#moved + slots, codes.length);
    for (let slot = this.#moved; slot < end; slot += 1) {
      const code = codes[slot] ?? 0;
      if (code !== 0) put(this.#table, keys[slot] ?? 0, code);
    }
    this.#moved = end;
    if (end === codes.length) this.#old = undefined;
  }
}

/** Where the number is, or where it would be put. */
function slotOf({ keys, codes }: NumberTable, value: number): number {
  const wrap = codes.length - 1;
  let slot = hashNumber(value) & wrap;
  while (codes[slot] !== 0 && keys[slot] !== value) slot = (slot + 1) & wrap;
  return slot;
}

function put(table: NumberTable, value: number, code: number): void {
  const slot = slotOf(table, value);
  table.keys[slot] = value;
  table.codes[slot] = code;
}

/** Codes of whole numbers by their distance from `low`. */
export interface NumberWindow {
  readonly low: number;
  readonly codes: Int32Array;
}

/** A window over all the numbers, if they are whole and lie close together. */
export function openWindow(known: NumberCodes): NumberWindow | undefined {
  let low = Number.MAX_SAFE_INTEGER;
  let high = Number.MIN_SAFE_INTEGER;
  let isWhole = known.size > 0;
  known.forEach((value) => {
    isWhole &&= Number.isSafeInteger(value);
    low = Math.min(low, value);
    high = Math.max(high, value);
  });
  if (!isWhole || high - low >= known.size * PLACES_PER_KEY) return undefined;
  const codes = new Int32Array(high - low + 1).fill(UNSEEN);
  known.forEach((value, code) => {
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
