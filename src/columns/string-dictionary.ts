// Strings as small integers: each distinct string is stored once, as UTF-8 in one byte buffer, and
// found through an open-addressing hash table. JavaScript strings are created only on demand.
//
//   bytes  s t a t u s a c t i v e …        ends[id] is where string `id` ends,
//          ^ends[i-1]  ^ends[i]             it begins where its predecessor ends

import type { Dictionary } from '../value/column-data.ts';

const EMPTY_SLOT = 0;
const INITIAL_SLOTS = 64;
const INITIAL_BYTES = 1024;
/** A table with one empty slot, never written: every look-up fails. */
const NO_SLOTS: Uint32Array = new Uint32Array(1);
const NO_BYTES: Uint8Array = new Uint8Array(0);
/** A string may begin with U+FEFF. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();
const SLOTS_PER_MOVE = 16;
/** Smaller buffers are copied at once, in some ten microseconds. */
const LARGE_BYTES = 1 << 18;
/**
 * Bytes copied ahead per added byte, once nine tenths are in use: all are copied before the last
 * tenth is full.
 */
const COPIED_PER_BYTE = 16;
/** The same for ids. */
const LARGE_IDS = 1 << 16;
const COPIED_PER_ID = 16;

export class StringDictionary implements Dictionary {
  size: number;
  bytes: Uint8Array = NO_BYTES;
  ends: Uint32Array;
  /** The successor of `bytes`, and how much of it is filled already. */
  #nextBytes: Uint8Array | undefined;
  #copied = 0;
  /** The same for `ends` and hashes. */
  #nextIds: { readonly ends: Uint32Array; readonly hashes: Uint32Array } | undefined;
  #copiedIds = 0;
  #hashes: Uint32Array;
  /** Id + 1, or 0 for an empty slot. Length is a power of two, at most two thirds are taken. */
  #slots: Uint32Array = NO_SLOTS;
  /** The table before the last doubling, while it is not yet emptied; else NO_SLOTS. */
  #oldSlots: Uint32Array = NO_SLOTS;
  /** Slots of it that were moved. */
  #moved = 0;
  #used = 0;
  #scratch: Uint8Array = NO_BYTES;

  /** Ids below `reserved` are never given to a string; they read as empty. */
  constructor(reserved: number) {
    this.size = reserved;
    this.ends = new Uint32Array(Math.max(16, reserved));
    this.#hashes = new Uint32Array(this.ends.length);
  }

  /** Removes all strings, and keeps the memory for the next ones. No id may be reserved. */
  clear(): void {
    this.size = 0;
    this.#used = 0;
    this.#slots.fill(EMPTY_SLOT);
    this.#oldSlots = NO_SLOTS;
    this.trim();
  }

  /** The id of the string in `source[start, end)`; the caller has computed its `hashBytes`. */
  intern(source: Uint8Array, start: number, end: number, hash: number): number {
    const slot = this.#seek(this.#slots, source, start, end, hash);
    const entry = this.#slots[slot] ?? EMPTY_SLOT;
    if (entry !== EMPTY_SLOT) return entry - 1;
    if (this.#oldSlots !== NO_SLOTS) {
      const old = this.#oldSlots[this.#seek(this.#oldSlots, source, start, end, hash)];
      if (old !== undefined && old !== EMPTY_SLOT) return old - 1;
    }
    return this.#add(source, start, end, hash, slot);
  }

  internText(text: string): number {
    const length = this.#encode(text);
    return this.intern(this.#scratch, 0, length, hashBytes(this.#scratch, 0, length));
  }

  internBytes(source: Uint8Array): number {
    return this.intern(source, 0, source.length, hashBytes(source, 0, source.length));
  }

  /** The id of a string that is already here. */
  find(source: Uint8Array, start: number, end: number): number | undefined {
    const hash = hashBytes(source, start, end);
    for (const slots of [this.#slots, this.#oldSlots]) {
      const entry = slots[this.#seek(slots, source, start, end, hash)] ?? EMPTY_SLOT;
      if (entry !== EMPTY_SLOT) return entry - 1;
    }
    return undefined;
  }

  /** The slot of a string, or the empty slot where it belongs. */
  #seek(slots: Uint32Array, source: Uint8Array, start: number, end: number, hash: number): number {
    const wrap = slots.length - 1;
    for (let slot = spread(hash) & wrap; ; slot = (slot + 1) & wrap) {
      const entry = slots[slot] ?? EMPTY_SLOT;
      if (entry === EMPTY_SLOT) return slot;
      const id = entry - 1;
      if (this.#hashes[id] === hash >>> 0 && this.#isEqual(id, source, start, end)) return slot;
    }
  }

  findText(text: string): number | undefined {
    const length = this.#encode(text);
    return this.find(this.#scratch, 0, length);
  }

  text(id: number): string {
    return decoder.decode(this.bytesOf(id));
  }

  bytesOf(id: number): Uint8Array {
    return this.bytes.subarray(this.start(id), this.ends[id]);
  }

  start(id: number): number {
    return id === 0 ? 0 : (this.ends[id - 1] ?? 0);
  }

  sizeBytes(): number {
    return (
      this.bytes.byteLength +
      (this.#nextBytes?.byteLength ?? 0) +
      (this.#nextIds?.ends.byteLength ?? 0) * 2 +
      this.ends.byteLength +
      this.#hashes.byteLength +
      this.#slots.byteLength +
      this.#oldSlots.byteLength
    );
  }

  #isEqual(id: number, source: Uint8Array, start: number, end: number): boolean {
    const bytes = this.bytes;
    let at = this.start(id);
    if ((this.ends[id] ?? 0) - at !== end - start) return false;
    for (let index = start; index < end; index += 1, at += 1) {
      if (bytes[at] !== source[index]) return false;
    }
    return true;
  }

  #add(source: Uint8Array, start: number, end: number, hash: number, emptySlot: number): number {
    const id = this.size;
    let slot = emptySlot;
    if (this.#slots === NO_SLOTS) {
      this.#slots = new Uint32Array(INITIAL_SLOTS);
      slot = spread(hash) & (INITIAL_SLOTS - 1);
    }
    if (id === this.ends.length) this.#growIds();
    const begin = this.start(id);
    const finish = begin + end - start;
    if (finish > this.bytes.length) this.#growBytes(finish);
    const bytes = this.bytes;
    for (let index = start, at = begin; index < end; index += 1, at += 1) {
      bytes[at] = source[index] ?? 0;
    }
    if (finish * 10 > bytes.length * 9) this.#copyAhead(begin, finish);
    this.ends[id] = finish;
    this.#hashes[id] = hash;
    this.#slots[slot] = id + 1;
    this.size += 1;
    this.#used += 1;
    if (this.size * 10 > this.ends.length * 9) this.#copyIdsAhead();
    if (this.#oldSlots !== NO_SLOTS) this.#moveSome();
    else if (this.#used * 3 > this.#slots.length * 2) this.#beginMove();
    return id;
  }

  #growIds(): void {
    const capacity = grownIds(this.ends.length);
    const { ends, hashes } = this.#nextIds ?? createIds(capacity);
    ends.set(this.ends.subarray(this.#copiedIds), this.#copiedIds);
    hashes.set(this.#hashes.subarray(this.#copiedIds), this.#copiedIds);
    this.ends = ends;
    this.#hashes = hashes;
    this.#nextIds = undefined;
    this.#copiedIds = 0;
  }

  /** Like `#copyAhead`: ends and hashes never change either. */
  #copyIdsAhead(): void {
    const { length } = this.ends;
    if (length < LARGE_IDS) return;
    this.#nextIds ??= createIds(grownIds(length));
    const start = this.#copiedIds;
    const end = Math.min(this.size, start + COPIED_PER_ID);
    this.#nextIds.ends.set(this.ends.subarray(start, end), start);
    this.#nextIds.hashes.set(this.#hashes.subarray(start, end), start);
    this.#copiedIds = end;
  }

  #growBytes(needed: number): void {
    const ahead = this.#nextBytes;
    const isEnough = ahead !== undefined && ahead.length >= needed;
    const capacity = Math.max(needed, grownBytes(this.bytes.length));
    const grown = isEnough ? ahead : new Uint8Array(capacity);
    const copied = isEnough ? this.#copied : 0;
    grown.set(this.bytes.subarray(copied), copied);
    this.bytes = grown;
    this.#nextBytes = undefined;
    this.#copied = 0;
  }

  /** Strings are never changed, so they may be copied long before the new buffer is needed. */
  #copyAhead(begin: number, finish: number): void {
    const { bytes } = this;
    if (bytes.length < LARGE_BYTES) return;
    this.#nextBytes ??= new Uint8Array(grownBytes(bytes.length));
    const end = Math.min(finish, this.#copied + COPIED_PER_BYTE * (finish - begin));
    this.#nextBytes.set(bytes.subarray(this.#copied, end), this.#copied);
    this.#copied = end;
  }

  /** Frees spare capacity. */
  trim(): void {
    this.#nextBytes = undefined;
    this.#copied = 0;
    this.#nextIds = undefined;
    this.#copiedIds = 0;
  }

  /**
   * Doubles the table. The contents of the old one move incrementally, with every added string, so
   * that no caller waits for millions of strings; until then both are searched. The move ends long
   * before the new table is full.
   */
  #beginMove(): void {
    this.#oldSlots = this.#slots;
    this.#slots = new Uint32Array(this.#oldSlots.length * 2);
    this.#moved = 0;
    this.#moveSome();
  }

  #moveSome(): void {
    const old = this.#oldSlots;
    const slots = this.#slots;
    const wrap = slots.length - 1;
    const end = Math.min(this.#moved + SLOTS_PER_MOVE, old.length);
    for (let from = this.#moved; from < end; from += 1) {
      const entry = old[from] ?? EMPTY_SLOT;
      if (entry === EMPTY_SLOT) continue;
      let slot = spread(this.#hashes[entry - 1] ?? 0) & wrap;
      while (slots[slot] !== EMPTY_SLOT) slot = (slot + 1) & wrap;
      slots[slot] = entry;
    }
    this.#moved = end;
    if (end === old.length) this.#oldSlots = NO_SLOTS;
  }

  /** UTF-8 into the scratch buffer; the plain loop is fast for short ASCII keys. */
  #encode(text: string): number {
    if (text.length * 3 > this.#scratch.length) {
      this.#scratch = new Uint8Array(Math.max(256, text.length * 4));
    }
    const scratch = this.#scratch;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit > 0x7f) return encoder.encodeInto(text, scratch).written;
      scratch[index] = unit;
    }
    return text.length;
  }
}

/** One step per byte, so that a scanner can compute it on the way to the closing quote. */
export function hashBytes(source: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let index = start; index < end; index += 1) {
    hash = (Math.imul(hash, 31) + (source[index] ?? 0)) | 0;
  }
  return hash;
}

/** Mixes the high bits into the low ones, which select the slot. */
function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

function grownBytes(length: number): number {
  return Math.max(INITIAL_BYTES, Math.ceil(length * 1.25));
}

function grownIds(length: number): number {
  return Math.ceil(length * (length < 4096 ? 2 : 1.25));
}

function createIds(length: number): { ends: Uint32Array; hashes: Uint32Array } {
  return { ends: new Uint32Array(length), hashes: new Uint32Array(length) };
}
