// Samples of a sorted run of keys, every sixteenth key as a number: a few bytes after the common
// prefix of all keys. Searching adjacent numbers is much faster than searching keys that are
// scattered in memory.

/** Keys from one sample to the next. */
const KEYS_PER_SAMPLE = 16;
/** A double holds this many bytes exactly. */
const SAMPLED_BYTES = 6;

/** The position of the i-th key of a run. */
export interface KeyPositions {
  readonly bytes: Uint8Array;
  start(index: number): number;
  end(index: number): number;
}

export class KeySamples {
  /** Keys of the run that are covered, from the first on. */
  readonly size: number;
  /** Their common prefix. */
  readonly #prefix: Uint8Array;
  readonly #numbers: Float64Array;

  constructor(keys: KeyPositions, size: number) {
    this.size = size;
    const { bytes } = keys;
    // In a sorted run, the common prefix of the first and the last key is that of all.
    const first = bytes.subarray(keys.start(0), keys.end(0));
    const last = bytes.subarray(keys.start(size - 1), keys.end(size - 1));
    let shared = 0;
    while (shared < first.length && first[shared] === last[shared]) shared += 1;
    this.#prefix = first.slice(0, shared);
    this.#numbers = new Float64Array(Math.ceil(size / KEYS_PER_SAMPLE));
    for (let at = 0; at < this.#numbers.length; at += 1) {
      const index = at * KEYS_PER_SAMPLE;
      this.#numbers[at] = numberAt(bytes, keys.start(index) + shared, keys.end(index));
    }
  }

  /**
   * A span with the first key that is not below the one in `source[start, end)`: that key is in
   * [low, high) or at `high`. Undefined when the key in `source` has another prefix.
   */
  narrow(source: Uint8Array, start: number, end: number): KeySpan | undefined {
    const prefix = this.#prefix;
    for (let index = 0; index < prefix.length; index += 1) {
      if (start + index >= end || source[start + index] !== prefix[index]) return undefined;
    }
    const target = numberAt(source, start + prefix.length, end);
    const numbers = this.#numbers;
    // Keys that differ only after the sampled bytes have the same number.
    const below = countBelow(numbers, target);
    const hasEqual = numbers[below] === target;
    const high = hasEqual ? countBelow(numbers, target + 1) : below;
    const low = Math.max(0, below - 1);
    return { low: low * KEYS_PER_SAMPLE, high: Math.min(this.size, high * KEYS_PER_SAMPLE) };
  }

  sizeBytes(): number {
    return this.#numbers.byteLength;
  }
}

export interface KeySpan {
  readonly low: number;
  readonly high: number;
}

function countBelow(numbers: Float64Array, limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Monotonic in the order of keys. */
function numberAt(bytes: Uint8Array, start: number, end: number): number {
  let number = 0;
  for (let index = 0; index < SAMPLED_BYTES; index += 1) {
    const at = start + index;
    number = number * 256 + (at < end ? rankOf(bytes[at] ?? 0) : 0);
  }
  return number;
}

/** The bytes of UTF-8 in the order of UTF-16: see `utf8-order.ts`. */
function rankOf(byte: number): number {
  if (byte < 0xee) return byte;
  return byte < 0xf0 ? byte + 5 : byte - 2;
}
