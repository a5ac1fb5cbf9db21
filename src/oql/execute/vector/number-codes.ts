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

export class NumberCodes {
  size = 0;
  #keys: Float64Array = new Float64Array(INITIAL_SLOTS);
  /** UNSEEN in an empty slot. Length is a power of two, at most half of the slots are taken. */
  #codes: Int32Array = new Int32Array(INITIAL_SLOTS).fill(UNSEEN);

  find(value: number): number {
    return this.#codes[this.#slotOf(value)] ?? UNSEEN;
  }

  /** The number must not be there yet. */
  add(value: number, code: number): void {
    if (this.size * 2 >= this.#codes.length) this.#grow();
    const slot = this.#slotOf(value);
    this.#keys[slot] = value;
    this.#codes[slot] = code;
    this.size += 1;
  }

  forEach(visit: (value: number, code: number) => void): void {
    for (let slot = 0; slot < this.#codes.length; slot += 1) {
      const code = this.#codes[slot] ?? UNSEEN;
      if (code !== UNSEEN) visit(this.#keys[slot] ?? 0, code);
    }
  }

  /** Where the number is, or where it would be put. */
  #slotOf(value: number): number {
    const keys = this.#keys;
    const codes = this.#codes;
    const wrap = codes.length - 1;
    let slot = hashNumber(value) & wrap;
    while (codes[slot] !== UNSEEN && keys[slot] !== value) slot = (slot + 1) & wrap;
    return slot;
  }

  #grow(): void {
    const keys = this.#keys;
    const codes = this.#codes;
    this.#keys = new Float64Array(keys.length * 2);
    this.#codes = new Int32Array(codes.length * 2).fill(UNSEEN);
    for (let from = 0; from < codes.length; from += 1) {
      if (codes[from] === UNSEEN) continue;
      const slot = this.#slotOf(keys[from] ?? 0);
      this.#keys[slot] = keys[from] ?? 0;
      this.#codes[slot] = codes[from] ?? UNSEEN;
    }
  }
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
