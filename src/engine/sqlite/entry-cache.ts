// A cache of values that were read more than once recently, as of the last answered commit. A
// look-up in a tree of a million entries touches six pages; here it touches one object and the value.
//
// Values are appended to memory segments. When all segments are used, the oldest is dropped with all
// its values; values that are still read are cached again.

import { Buffer } from 'node:buffer';
import type { ValuesTogether } from '../engine.ts';
import { PADDING_AFTER, PADDING_BEFORE } from './value-padding.ts';

const SEGMENT_BYTES = 1024 * 1024;
/** Bounds the memory that values take in addition to their bytes. */
const SEGMENT_VALUES = 2048;
const MAX_SEGMENTS = 64;
export const MAX_BYTES: number = MAX_SEGMENTS * SEGMENT_BYTES;
/** Caching a longer value gains nothing: copying it costs more than looking it up. */
export const LONGEST_VALUE: number = 16 * 1024;
/** Slots of a filter of keys that were read before; it is cleared when one slot in 16 is set. */
const SEEN_SLOTS = 2 ** 21;
const MAX_SEEN = SEEN_SLOTS / 16;
/** Keys of a read that are looked up first, to decide whether to look up the rest. */
const SAMPLE = 8;
const HASH_FACTOR = 0x01000193;
const COMMA = 0x2c;

/** Values as read from the store, in the order of their keys. */
export interface ReadValues extends ValuesTogether {
  /** Where each value ends; a comma follows. */
  readonly ends: Uint32Array;
}

/** One value within a buffer: of a segment, or of a read. */
interface CachedValue {
  readonly version: number;
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

export class EntryCache {
  readonly #regions: Map<number, Map<string, CachedValue>> = new Map();
  /** Oldest first; values are appended to the last. */
  readonly #segments: Segment[] = [];
  /** Created with the first value: most stores never read many keys at once. */
  #seen: Uint8Array | undefined;
  #seenCount = 0;

  /** The values of these keys. `read` returns those not cached, or undefined when one is absent. */
  readTogether(
    regionId: number,
    keys: readonly string[],
    read: (keys: readonly string[]) => ReadValues | undefined,
  ): ValuesTogether | undefined {
    const known = findUseful(this.#regions.get(regionId), keys);
    const pieces = known === undefined ? [] : keys.map((key) => known.get(key));
    const missing = keys.filter((_, i) => pieces[i] === undefined);
    if (missing.length === 0) return join(pieces);
    // When most are missing, merging them with the cached ones costs more than it saves.
    const wanted = missing.length > keys.length / 2 ? keys : missing;
    const found = read(wanted);
    if (found === undefined) return undefined;
    for (const [i, key] of wanted.entries()) this.#offer(regionId, key, found, i);
    if (wanted === keys) return found;
    let next = 0;
    return join(pieces.map((piece) => piece ?? cut(found, next++)));
  }

  /** The entry of this key may have changed. */
  forget(regionId: number, key: string): void {
    this.#regions.get(regionId)?.delete(key);
  }

  /** Any entry of the region may have changed. */
  forgetRegion(regionId: number): void {
    this.#regions.delete(regionId);
  }

  /** Caches a value at its second read: most values are never read again. */
  #offer(regionId: number, key: string, found: ReadValues, position: number): void {
    if (!this.#isSeen(regionId, key) || this.#regions.get(regionId)?.has(key) === true) return;
    const piece = cut(found, position);
    if (piece.end - piece.start <= LONGEST_VALUE) this.#add(regionId, key, piece);
  }

  /** Whether the key, or another one of its slot, was read before; marks it as read. */
  #isSeen(regionId: number, key: string): boolean {
    if (this.#seen === undefined || this.#seenCount === MAX_SEEN) {
      this.#seen = new Uint8Array(SEEN_SLOTS);
      this.#seenCount = 0;
    }
    const slot = hash(regionId, key) % SEEN_SLOTS;
    if (this.#seen[slot] === 1) return true;
    this.#seen[slot] = 1;
    this.#seenCount += 1;
    return false;
  }

  #add(regionId: number, key: string, piece: CachedValue): void {
    let segment = this.#segments.at(-1);
    if (segment === undefined || !segment.hasRoom(piece.end - piece.start)) {
      if (this.#segments.length === MAX_SEGMENTS) this.#dropOldest();
      segment = new Segment();
      this.#segments.push(segment);
    }
    const values = this.#regions.get(regionId) ?? new Map<string, CachedValue>();
    this.#regions.set(regionId, values);
    const ownKey = ownText(key);
    values.set(ownKey, segment.add(regionId, ownKey, piece));
  }

  #dropOldest(): void {
    const oldest = this.#segments.shift();
    for (const [regionId, key] of oldest?.keys ?? []) {
      const values = this.#regions.get(regionId);
      // It may have been added again since.
      if (values?.get(key)?.bytes === oldest?.bytes) values?.delete(key);
    }
  }
}

/**
 * The cached values, unless most of the first keys are not cached. Then few of the others are
 * cached either, and looking up each in a map of a hundred thousand costs a fifth of reading them.
 */
function findUseful(
  known: ReadonlyMap<string, CachedValue> | undefined,
  keys: readonly string[],
): ReadonlyMap<string, CachedValue> | undefined {
  let found = 0;
  for (let i = 0; i < SAMPLE; i += 1) if (known?.has(keys[i] ?? '') === true) found += 1;
  return keys.length < 2 * SAMPLE || found >= SAMPLE / 2 ? known : undefined;
}

class Segment {
  readonly bytes: Buffer = Buffer.allocUnsafeSlow(SEGMENT_BYTES);
  readonly keys: (readonly [regionId: number, key: string])[] = [];
  #used = 0;

  hasRoom(length: number): boolean {
    return this.#used + length <= SEGMENT_BYTES && this.keys.length < SEGMENT_VALUES;
  }

  /** Copies the value, whose bytes belong to the caller. */
  add(regionId: number, key: string, { bytes, end, start, version }: CachedValue): CachedValue {
    const from = this.#used;
    this.#used += bytes.copy(this.bytes, from, start, end);
    this.keys.push([regionId, key]);
    return { version, bytes: this.bytes, start: from, end: this.#used };
  }
}

/** A copy of the text. A slice of a longer string would keep all of it in memory. */
function ownText(key: string): string {
  return Buffer.from(key, 'utf16le').toString('utf16le');
}

function cut({ ends, values, versions }: ReadValues, position: number): CachedValue {
  return {
    version: versions[position] ?? 0,
    bytes: Buffer.from(values.buffer, values.byteOffset, values.byteLength),
    start: position === 0 ? 0 : (ends[position - 1] ?? 0) + 1,
    end: ends[position] ?? 0,
  };
}

/** The values in a new buffer, with padding around them. */
function join(pieces: readonly (CachedValue | undefined)[]): ValuesTogether {
  const versions: number[] = [];
  let length = -1;
  for (const piece of pieces) if (piece !== undefined) length += piece.end - piece.start + 1;
  const padded = Buffer.allocUnsafeSlow(PADDING_BEFORE + length + PADDING_AFTER);
  let at = PADDING_BEFORE;
  for (const piece of pieces) {
    if (piece === undefined) continue;
    if (versions.length > 0) padded[at++] = COMMA;
    at += piece.bytes.copy(padded, at, piece.start, piece.end);
    versions.push(piece.version);
  }
  return { versions, values: padded.subarray(PADDING_BEFORE, at) };
}

function hash(regionId: number, key: string): number {
  let result = regionId;
  for (let i = 0; i < key.length; i += 1) {
    result = Math.imul(result ^ key.charCodeAt(i), HASH_FACTOR);
  }
  return (result ^ (result >>> 15)) >>> 0;
}
