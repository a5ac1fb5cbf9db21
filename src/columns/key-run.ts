// Sorted keys, concatenated as UTF-8. They need no hash table: a key is found by binary search, and
// a scan of the store has the same order.

import { type JoinedTexts, startOf } from '../value/entry-bytes.ts';
import { compareUtf8 } from '../value/utf8-order.ts';
import { extend } from './arrays.ts';
import { KeySamples } from './key-samples.ts';

/** Fewer keys are searched without samples. */
const MANY_KEYS = 1024;

export class KeyRun {
  size = 0;
  /** Keys are separated by one byte. */
  #bytes: Buffer = Buffer.alloc(256);
  #ends: Uint32Array = new Uint32Array(32);
  #expected = 0;
  #samples: KeySamples | undefined;

  /** The expected number of keys. */
  expect(keys: number): void {
    this.#expected = keys;
  }

  /** Each must sort after all existing keys. */
  appendAll({ bytes, ends }: JoinedTexts): void {
    const begin = this.start(this.size);
    this.#ensure(ends.length, bytes.length);
    this.#bytes.set(bytes, begin);
    const own = this.#ends;
    for (let index = 0, at = this.size; index < ends.length; index += 1, at += 1) {
      own[at] = (ends[index] ?? 0) + begin;
    }
    this.size += ends.length;
  }

  /** False, and no effect, if the key does not sort after all existing keys. */
  append(key: Uint8Array): boolean {
    if (this.size > 0 && this.compareAt(this.size - 1, key) >= 0) return false;
    this.appendAll({ bytes: key, ends: Uint32Array.of(key.length) });
    return true;
  }

  start(index: number): number {
    return startOf(this.#ends, index);
  }

  /** The order of a key here to one in `source[start, end)`. */
  compareAt(index: number, source: Uint8Array, start = 0, end: number = source.length): number {
    const own = this.#ends[index] ?? 0;
    return compareUtf8(this.#bytes, this.start(index), own, source, start, end);
  }

  /** Whether it equals the key in `source[start, end)`; cheaper than `compareAt`. */
  isAt(index: number, source: Uint8Array, start: number, end: number): boolean {
    if (index >= this.size) return false;
    const bytes = this.#bytes;
    let at = this.start(index);
    if ((this.#ends[index] ?? 0) - at !== end - start) return false;
    for (let other = start; other < end; other += 1, at += 1) {
      if (bytes[at] !== source[other]) return false;
    }
    return true;
  }

  /** The first key that is not below the one in `source[start, end)`. */
  lowerBound(source: Uint8Array, start = 0, end: number = source.length): number {
    const samples = this.#sample();
    const span = samples?.narrow(source, start, end);
    let low = span?.low ?? 0;
    let high = span?.high ?? this.size;
    // There may be keys after the last one that is covered.
    if (high === samples?.size) high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compareAt(middle, source, start, end) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Samples are taken on first use, and again when the run has grown much. */
  #sample(): KeySamples | undefined {
    const known = this.#samples;
    if (this.size < MANY_KEYS || (known !== undefined && this.size < known.size * 1.25))
      return known;
    const positions = {
      bytes: this.#bytes,
      start: (index: number) => this.start(index),
      end: (index: number) => this.#ends[index] ?? 0,
    };
    this.#samples = new KeySamples(positions, this.size);
    return this.#samples;
  }

  bytesAt(index: number): Uint8Array {
    return this.#bytes.subarray(this.start(index), this.#ends[index]);
  }

  text(index: number): string {
    return this.#bytes.toString('utf8', this.start(index), this.#ends[index]);
  }

  sizeBytes(): number {
    const sampleBytes = this.#samples?.sizeBytes() ?? 0;
    return this.#bytes.byteLength + this.#ends.byteLength + sampleBytes;
  }

  #ensure(keys: number, bytes: number): void {
    const size = this.size + keys;
    if (size > this.#ends.length) {
      const isForeseen = size <= this.#expected;
      const capacity = isForeseen ? this.#expected : Math.ceil(size * 1.25);
      this.#ends = extend(new Uint32Array(capacity), this.#ends);
    }
    const needed = this.start(this.size) + bytes;
    if (needed <= this.#bytes.length) return;
    // Keys of a region have similar lengths: their mean predicts the size of the rest.
    const foreseen = Math.ceil((needed / size) * this.#expected * 1.01);
    const capacity = Math.max(needed, foreseen, Math.ceil(this.#bytes.length * 1.25));
    this.#bytes = extend(Buffer.alloc(capacity), this.#bytes);
  }
}
