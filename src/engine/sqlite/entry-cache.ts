// A cache of values that were read more than once recently, as of the last answered commit. A
// look-up in a tree of a million entries touches six pages; here it touches two places in memory.

import { Buffer } from 'node:buffer';
import type { StoredEntry, ValuesTogether } from '../engine.ts';
import { ABSENT, CachedValues, hashOf, LONGEST_VALUE } from './cached-values.ts';
import { PADDING_AFTER, PADDING_BEFORE } from './value-padding.ts';

/** Slots of the filter of keys that were read before, for each that may be set. */
const SLOTS_PER_SEEN = 8;
/** Fewer keys are read from the store: most of such a request is not the look-up. */
const FEWEST_KEYS = 5;
/** Keys of a read that are looked up first, to decide whether to look up the rest. */
const SAMPLE = 8;
const COMMA = 0x2c;

/** Values as read from the store, in the order of their keys. */
export interface ReadValues extends ValuesTogether {
  /** Where each value ends; a comma follows. */
  readonly ends: Uint32Array;
}

type Entries = readonly (StoredEntry | undefined)[];

/** The keys of a read, and where their values are; undefined where they are not cached. */
interface Found {
  readonly positions: readonly number[];
  readonly missing: readonly string[];
}

export class EntryCache {
  readonly #values: CachedValues;
  /** A number for each region, and another one when all of its values are forgotten. */
  readonly #numbers: Map<number, number> = new Map();
  #lastNumber = 0;
  /** Created with the first value: most stores never read many keys at once. */
  #seen: Uint8Array | undefined;
  #seenCount = 0;

  constructor(maxBytes?: number) {
    this.#values = new CachedValues(maxBytes);
  }

  /** The entries of these keys. `read` returns those not cached. */
  read(
    regionId: number,
    keys: readonly string[],
    read: (keys: readonly string[]) => Entries,
  ): Entries {
    if (keys.length < FEWEST_KEYS) return read(keys);
    const region = this.#numberOf(regionId);
    const found = this.#findUseful(region, keys);
    const wanted = found?.missing ?? keys;
    const entries = wanted.length === 0 ? [] : read(wanted);
    let next = 0;
    const all =
      found?.positions.map((at) => (at === ABSENT ? entries[next++] : this.#entryAt(at))) ??
      entries;
    // Adding values may overwrite others, so it comes last.
    for (const [i, key] of wanted.entries()) {
      const entry = entries[i];
      if (entry !== undefined) this.#offerEntry(region, key, entry);
    }
    return all;
  }

  /** The values of these keys, joined. `read` returns undefined when one is absent. */
  readTogether(
    regionId: number,
    keys: readonly string[],
    read: (keys: readonly string[]) => ReadValues | undefined,
  ): ValuesTogether | undefined {
    const region = this.#numberOf(regionId);
    const known = this.#findUseful(region, keys);
    // When most are missing, merging them with the cached ones costs more than it saves.
    const found = known && known.missing.length <= keys.length / 2 ? known : undefined;
    const wanted = found?.missing ?? keys;
    const values = wanted.length === 0 ? NO_VALUES : read(wanted);
    if (values === undefined) return undefined;
    const all = found === undefined ? values : this.#join(found.positions, values);
    for (const [i, key] of wanted.entries()) this.#offerValue(region, key, values, i);
    return all;
  }

  /** The entry of this key may have changed. */
  forget(regionId: number, key: string): void {
    const region = this.#numbers.get(regionId);
    if (region !== undefined) this.#values.remove(region, key, hashOf(region, key));
  }

  /** Any entry of the region may have changed. */
  forgetRegion(regionId: number): void {
    this.#numbers.delete(regionId);
  }

  #numberOf(regionId: number): number {
    const known = this.#numbers.get(regionId);
    if (known !== undefined) return known;
    this.#lastNumber += 1;
    this.#numbers.set(regionId, this.#lastNumber);
    return this.#lastNumber;
  }

  /**
   * Where the values are, unless most of the first keys are not cached. Then few of the others are
   * cached either, and looking each up takes longer than it saves.
   */
  #findUseful(region: number, keys: readonly string[]): Found | undefined {
    const positions: number[] = [];
    const missing: string[] = [];
    for (const key of keys) {
      const at = this.#values.find(region, key, hashOf(region, key));
      positions.push(at);
      if (at === ABSENT) missing.push(key);
      const isSampled = positions.length === SAMPLE && keys.length >= 2 * SAMPLE;
      if (isSampled && missing.length > SAMPLE / 2) return undefined;
    }
    return { positions, missing };
  }

  #entryAt(position: number): StoredEntry {
    const value = this.#values.textAt(position);
    return { value, version: this.#values.versionAt(position) };
  }

  /** The values in a new buffer, with padding around them; those not cached from `read`, in order. */
  #join(positions: readonly number[], read: ReadValues): ValuesTogether {
    let length = positions.length - 1;
    let next = 0;
    for (const at of positions) {
      length +=
        at === ABSENT ? endOf(read, next) - startOf(read, next++) : this.#values.bytesAt(at);
    }
    const padded = Buffer.allocUnsafeSlow(PADDING_BEFORE + length + PADDING_AFTER);
    const stored = toBuffer(read.values);
    const versions: number[] = [];
    let end = PADDING_BEFORE;
    next = 0;
    for (const at of positions) {
      if (versions.length > 0) padded[end++] = COMMA;
      if (at === ABSENT) {
        versions.push(read.versions[next] ?? 0);
        end += stored.copy(padded, end, startOf(read, next), endOf(read, next++));
      } else {
        versions.push(this.#values.versionAt(at));
        end += this.#values.copyTo(padded, end, at);
      }
    }
    return { versions, values: padded.subarray(PADDING_BEFORE, end) };
  }

  #offerEntry(region: number, key: string, { value, version }: StoredEntry): void {
    if (value.length > LONGEST_VALUE) return;
    const hash = hashOf(region, key);
    if (!this.#isSeen(hash) || this.#values.find(region, key, hash) !== ABSENT) return;
    this.#values.add({ region, key, hash, version }, Buffer.byteLength(value), (to, at) =>
      to.write(value, at),
    );
  }

  #offerValue(region: number, key: string, read: ReadValues, number: number): void {
    const hash = hashOf(region, key);
    if (!this.#isSeen(hash) || this.#values.find(region, key, hash) !== ABSENT) return;
    const start = startOf(read, number);
    const end = endOf(read, number);
    const version = read.versions[number] ?? 0;
    this.#values.add({ region, key, hash, version }, end - start, (to, at) =>
      toBuffer(read.values).copy(to, at, start, end),
    );
  }

  /**
   * Whether the key, or another one of its slot, was read before; marks it as read. Most values are
   * never read again, so a value is cached at its second read. The filter is cleared when it has as
   * many keys as there is room for: a key that returns later than that would not be found either.
   */
  #isSeen(hash: number): boolean {
    const { capacity } = this.#values;
    if (this.#seen === undefined || this.#seenCount >= capacity) {
      this.#seen = new Uint8Array(capacity * SLOTS_PER_SEEN);
      this.#seenCount = 0;
    }
    const slot = hash % this.#seen.length;
    if (this.#seen[slot] === 1) return true;
    this.#seen[slot] = 1;
    this.#seenCount += 1;
    return false;
  }
}

const NO_VALUES: ReadValues = {
  values: new Uint8Array(0),
  versions: [],
  ends: new Uint32Array(0),
};

function startOf({ ends }: ReadValues, number: number): number {
  return number === 0 ? 0 : (ends[number - 1] ?? 0) + 1;
}

function endOf({ ends }: ReadValues, number: number): number {
  return ends[number] ?? 0;
}

function toBuffer({ buffer, byteLength, byteOffset }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
