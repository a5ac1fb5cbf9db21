// Values in memory, found by region and key. Neither values nor what finds them are objects: a
// hundred thousand of those would be a quarter of their memory and work for the garbage collector.
//
// A value is a record in a segment. Records are appended; when all segments are full, the oldest is
// emptied and used again. Slots refer to records. They are in buckets of one half of a cache line,
// so a look-up reads one bucket and the record.
//
//   record   version 8   region 4   hash 4   bytes of the value 4   units of the key 4
//            key, two bytes per unit   value in UTF-8   up to the next multiple of eight
//   slot     upper eight bits of the hash, then the record's position divided by eight, plus one

import { Buffer } from 'node:buffer';

const SEGMENT_BITS = 20;
const SEGMENT_BYTES: number = 2 ** SEGMENT_BITS;
const UNIT = 8;
/** Positions divided by eight have 24 bits. */
const MAX_SEGMENTS = 128;
const MAX_CACHE_BYTES: number = MAX_SEGMENTS * SEGMENT_BYTES;
/** A longer key is not cached. */
export const LONGEST_KEY = 1024;
/** Caching a longer value gains nothing: copying it costs more than looking it up. */
export const LONGEST_VALUE: number = 16 * 1024;

const SLOTS_IN_BUCKET = 8;
/** A record of usual length. */
const RECORD_BYTES = 300;
/** So that few buckets are full. */
const SLOTS_PER_RECORD = 2;
const TAG_SHIFT = 24;
const POSITION_MASK: number = 2 ** TAG_SHIFT - 1;

const HEAD_BYTES = 24;
// Words of four bytes from the start of a record.
const REGION_AT = 2;
const HASH_AT = 3;
const VALUE_BYTES_AT = 4;
const KEY_UNITS_AT = 5;

/** The result of a look-up without a match. */
export const ABSENT = -1;

export class CachedValues {
  /** About how many values of usual length there is room for. */
  readonly capacity: number;
  readonly #maxSegments: number;
  readonly #buckets: number;
  readonly #segments: Segment[] = [];
  /** The segment that records are appended to. */
  #current = 0;
  /** Created with the first value. */
  #slots: Uint32Array = new Uint32Array(0);

  constructor(maxBytes: number = MAX_CACHE_BYTES) {
    const segments = Math.floor(maxBytes / SEGMENT_BYTES);
    this.#maxSegments = Math.max(2, Math.min(segments, MAX_SEGMENTS));
    this.capacity = Math.floor((this.#maxSegments * SEGMENT_BYTES) / RECORD_BYTES);
    const buckets = (this.capacity * SLOTS_PER_RECORD) / SLOTS_IN_BUCKET;
    this.#buckets = 2 ** Math.ceil(Math.log2(buckets));
  }

  /** The position of a value, valid until the next `add`. */
  find(region: number, key: string, hash: number): number {
    const slot = this.#findSlot(region, key, hash);
    return slot === ABSENT ? ABSENT : positionOf(this.#slots[slot] ?? 0);
  }

  remove(region: number, key: string, hash: number): void {
    const slot = this.#findSlot(region, key, hash);
    if (slot !== ABSENT) this.#slots[slot] = 0;
  }

  /** `write` writes the value, of this many bytes, into a buffer at an offset. */
  add(
    { hash, key, region, version }: NewValue,
    bytes: number,
    write: (to: Buffer, at: number) => void,
  ): void {
    if (key.length > LONGEST_KEY || bytes > LONGEST_VALUE) return;
    const length = recordBytes(key.length, bytes);
    const segment = this.#segmentFor(length);
    const at = segment.used;
    const { words } = segment;
    const head = at / 4;
    segment.versions[at / 8] = version;
    words[head + REGION_AT] = region;
    words[head + HASH_AT] = hash;
    words[head + VALUE_BYTES_AT] = bytes;
    words[head + KEY_UNITS_AT] = key.length;
    const units = (at + HEAD_BYTES) / 2;
    for (let i = 0; i < key.length; i += 1) segment.units[units + i] = key.charCodeAt(i);
    write(segment.bytes, at + HEAD_BYTES + 2 * key.length);
    segment.used += length;
    this.#setSlot(hash, this.#current * SEGMENT_BYTES + at);
  }

  versionAt(position: number): number {
    return this.#segmentAt(position).versions[offsetOf(position) / 8] ?? 0;
  }

  bytesAt(position: number): number {
    return this.#segmentAt(position).words[offsetOf(position) / 4 + VALUE_BYTES_AT] ?? 0;
  }

  textAt(position: number): string {
    const start = this.#startOf(position);
    return this.#segmentAt(position).bytes.toString('utf8', start, start + this.bytesAt(position));
  }

  /** Copies the value to an offset of a buffer; returns its length. */
  copyTo(to: Buffer, at: number, position: number): number {
    const start = this.#startOf(position);
    return this.#segmentAt(position).bytes.copy(to, at, start, start + this.bytesAt(position));
  }

  #findSlot(region: number, key: string, hash: number): number {
    const first = this.#bucketOf(hash);
    const tag = hash >>> TAG_SHIFT;
    for (let at = first; at < first + SLOTS_IN_BUCKET; at += 1) {
      const slot = this.#slots[at] ?? 0;
      if (slot === 0 || slot >>> TAG_SHIFT !== tag) continue;
      if (this.#isAt(positionOf(slot), region, key)) return at;
    }
    return ABSENT;
  }

  #isAt(position: number, region: number, key: string): boolean {
    const { units, words } = this.#segmentAt(position);
    const head = offsetOf(position) / 4;
    if (words[head + REGION_AT] !== region || words[head + KEY_UNITS_AT] !== key.length) {
      return false;
    }
    const first = (offsetOf(position) + HEAD_BYTES) / 2;
    for (let i = 0; i < key.length; i += 1) {
      if (units[first + i] !== key.charCodeAt(i)) return false;
    }
    return true;
  }

  /** Takes a free slot of the bucket, or one of the eight. */
  #setSlot(hash: number, position: number): void {
    if (this.#slots.length === 0) this.#slots = new Uint32Array(this.#buckets * SLOTS_IN_BUCKET);
    const first = this.#bucketOf(hash);
    const number = position / UNIT + 1;
    let at = first + (number % SLOTS_IN_BUCKET);
    for (let i = first; i < first + SLOTS_IN_BUCKET; i += 1) if (this.#slots[i] === 0) at = i;
    this.#slots[at] = ((hash >>> TAG_SHIFT) << TAG_SHIFT) | number;
  }

  #bucketOf(hash: number): number {
    return (hash & (this.#buckets - 1)) * SLOTS_IN_BUCKET;
  }

  #segmentFor(length: number): Segment {
    const current = this.#segments[this.#current];
    if (current !== undefined && current.used + length <= SEGMENT_BYTES) return current;
    if (current !== undefined) this.#current = (this.#current + 1) % this.#maxSegments;
    const known = this.#segments[this.#current];
    if (known !== undefined) {
      this.#empty(known);
      return known;
    }
    const added = new Segment();
    this.#segments.push(added);
    return added;
  }

  #empty(segment: Segment): void {
    const start = this.#current * SEGMENT_BYTES;
    for (let at = 0; at < segment.used; ) {
      const head = at / 4;
      const first = this.#bucketOf(segment.words[head + HASH_AT] ?? 0);
      for (let i = first; i < first + SLOTS_IN_BUCKET; i += 1) {
        if (positionOf(this.#slots[i] ?? 0) === start + at) this.#slots[i] = 0;
      }
      const keyUnits = segment.words[head + KEY_UNITS_AT] ?? 0;
      at += recordBytes(keyUnits, segment.words[head + VALUE_BYTES_AT] ?? 0);
    }
    segment.used = 0;
  }

  #startOf(position: number): number {
    const offset = offsetOf(position);
    const keyUnits = this.#segmentAt(position).words[offset / 4 + KEY_UNITS_AT] ?? 0;
    return offset + HEAD_BYTES + 2 * keyUnits;
  }

  /** There is one for each position that `find` returns. */
  #segmentAt(position: number): Segment {
    return this.#segments[position >>> SEGMENT_BITS] as Segment;
  }
}

export interface NewValue {
  readonly region: number;
  readonly key: string;
  readonly hash: number;
  readonly version: number;
}

class Segment {
  readonly bytes: Buffer = Buffer.allocUnsafeSlow(SEGMENT_BYTES);
  readonly units: Uint16Array = new Uint16Array(this.bytes.buffer);
  readonly words: Uint32Array = new Uint32Array(this.bytes.buffer);
  readonly versions: Float64Array = new Float64Array(this.bytes.buffer);
  used = 0;
}

function recordBytes(keyUnits: number, valueBytes: number): number {
  return Math.ceil((HEAD_BYTES + 2 * keyUnits + valueBytes) / UNIT) * UNIT;
}

/** Of a free slot, a negative number. */
function positionOf(slot: number): number {
  return ((slot & POSITION_MASK) - 1) * UNIT;
}

function offsetOf(position: number): number {
  return position & (SEGMENT_BYTES - 1);
}

const FACTOR = 0x01000193;

/** 32 bits. */
export function hashOf(region: number, key: string): number {
  let hash = Math.imul(region ^ 0x811c9dc5, FACTOR);
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), FACTOR);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
