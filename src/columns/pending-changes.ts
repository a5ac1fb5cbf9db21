// Pending changes of a table without readers. Writing to a rarely queried region then costs little,
// and of a frequently written key only the last value is scanned. They are stored as bytes, the
// form in which they are scanned.

import { extend, sortByBucket } from './arrays.ts';
import type { PartSplit } from './part-split.ts';
import type { RegionTable, TableChange } from './region-table.ts';
import type { RowDirectory } from './row-directory.ts';
import type { EncodedValue } from './row-writer.ts';
import { StringDictionary } from './string-dictionary.ts';
import { TextLog } from './text-log.ts';
import type { WrittenParts } from './written-parts.ts';

/** Limits of pending changes. */
export interface PendingRoom {
  readonly changes: number;
  readonly bytes: number;
}

const NONE = 0;
const PUT = 1;
const REMOVE = 2;

/** The minimum limits. */
const SOME_ROOM: PendingRoom = { changes: 16_384, bytes: 8 << 20 };
const FEW_CHANGES = 64;
/** Changes applied, or whose rows are found, between two yield points. */
const STEP = 32;
/**
 * Changes are sorted by ranges of 2^RANGE_BITS rows, which must divide a chunk. A range of a column
 * has a few pages of memory.
 */
const RANGE_BITS = 11;
/** The row of a key that has none yet; no table has so many rows. */
const NO_ROW = 0xffffffff;

/** The changes to apply, in this order. */
interface Order {
  readonly ids: Uint32Array;
  /** By ids. */
  readonly rows: Uint32Array;
  /** How many of them, the first ones, are of keys that had a row. */
  readonly known: number;
}

export class PendingChanges {
  /** Changes that are not applied yet. */
  size = 0;
  /** Changes that are applied to some parts only. */
  deferred = 0;
  #split: PartSplit | undefined;
  /** Sink for prefetched bytes. V8 would remove reads whose result is unused. */
  prefetched = 0;
  #room = SOME_ROOM;
  /** Assigns numbers to keys, which index everything else. */
  readonly #keys: StringDictionary = new StringDictionary(0);
  readonly #values: TextLog = new TextLog();
  #kinds: Uint8Array = new Uint8Array(FEW_CHANGES);
  #sequences: Float64Array = new Float64Array(FEW_CHANGES);

  /** Raises the limits; true when that is enough. */
  extend({ changes, bytes }: PendingRoom): boolean {
    this.#room = {
      changes: Math.max(SOME_ROOM.changes, changes),
      bytes: Math.max(SOME_ROOM.bytes, bytes),
    };
    return this.#isWithinRoom();
  }

  /** Forgets all changes, and keeps the memory for the next ones. */
  clear(): void {
    this.size = 0;
    this.deferred = 0;
    this.#split = undefined;
    this.#room = SOME_ROOM;
    this.#keys.clear();
    this.#values.clear();
    this.#kinds.fill(NONE);
  }

  /**
   * Replaces an earlier change of the key. False when the limits are exceeded. Nothing may be added
   * once the changes are being applied.
   */
  add(change: TableChange, sequence: number): boolean {
    const id = this.#keys.internText(change.key);
    if (id >= this.#kinds.length) this.#grow(id * 2);
    if (this.#kinds[id] === NONE) this.size += 1;
    this.#sequences[id] = sequence;
    if (change.kind === 'put') this.#values.set(id, change.value);
    this.#kinds[id] = change.kind === 'put' ? PUT : REMOVE;
    return this.#isWithinRoom();
  }

  /** From now on changes are applied to the needed parts first, unless that has begun for others. */
  splitBy(split: PartSplit): void {
    this.#split ??= split;
  }

  /** Whether all changes are applied to the parts that a query needs. */
  isAppliedTo(split: PartSplit): boolean {
    return this.size === 0 && !this.isDeferredFor(split);
  }

  /** Whether some needed part lacks changes that others have. */
  isDeferredFor({ units }: PartSplit): boolean {
    const applied = this.#split?.units;
    return applied !== undefined && [...units].some((unit) => !applied.has(unit));
  }

  /**
   * Overwrites the rows of the table in memory order; there must be no readers of the parts that
   * are written. Between two steps nothing else may overwrite rows of the table.
   */
  *applyTo(table: RegionTable): Generator<void> {
    const order = yield* this.#order(table);
    const { length } = order.ids;
    let start = 0;
    for (; start < length && this.#split === undefined; start += STEP) {
      if (start > 0) yield;
      this.#apply(table, order, start, table.allParts());
    }
    if (this.#split === undefined) return;
    const { needed, others } = this.#split;
    for (let at = start; at < length; at += STEP) {
      yield;
      this.deferred += this.#apply(table, order, at, needed);
    }
    for (let at = start; at < length; at += STEP) {
      yield;
      this.deferred -= this.#complete(table.rows, order, at, others);
    }
  }

  /** Applies one step; returns its number of changes. */
  #apply(table: RegionTable, { ids, rows }: Order, start: number, parts: WrittenParts): number {
    const end = Math.min(start + STEP, ids.length);
    parts.begin();
    this.#prefetch(parts, rows, ids.subarray(start, end));
    for (let at = start; at < end; at += 1) {
      const id = ids[at] ?? 0;
      const row = rows[id] ?? NO_ROW;
      const sequence = this.#sequences[id] ?? 0;
      if (this.#kinds[id] === REMOVE) table.remove(row === NO_ROW ? undefined : row, sequence);
      else if (row === NO_ROW) {
        const value = this.#valueOf(id);
        rows[id] = table.beginRow(this.#keys.bytesOf(id), value, sequence);
        parts.write(rows[id] ?? 0, value);
      } else {
        const value = this.#valueOf(id);
        rows[id] = table.beginOverwrite(row, value, sequence);
        parts.overwrite(rows[id] ?? 0, value);
      }
      this.size -= 1;
    }
    parts.end();
    return end - start;
  }

  /** Applies one step to the other parts, except to rows that later changes removed. */
  #complete(
    directory: RowDirectory,
    { ids, rows, known }: Order,
    start: number,
    parts: WrittenParts,
  ): number {
    const end = Math.min(start + STEP, ids.length);
    parts.begin();
    this.#prefetch(parts, rows, ids.subarray(start, end));
    for (let at = start; at < end; at += 1) {
      const id = ids[at] ?? 0;
      const row = rows[id] ?? 0;
      if (this.#kinds[id] === REMOVE || directory.isForgotten(row)) continue;
      if (at < known) parts.overwrite(row, this.#valueOf(id));
      else parts.write(row, this.#valueOf(id));
    }
    parts.end();
    return end - start;
  }

  #valueOf(id: number): EncodedValue {
    return { bytes: this.#values.bufferOf(id), start: this.#values.startOf(id) };
  }

  /** Brings the documents and rows of the next changes into the cache. */
  #prefetch(parts: WrittenParts, rows: Uint32Array, ids: Uint32Array): void {
    let sum = 0;
    for (let at = 0; at < ids.length; at += 1) {
      const id = ids[at] ?? 0;
      const row = rows[id] ?? NO_ROW;
      sum += this.#values.prefetch(id);
      if (row !== NO_ROW) sum += parts.prefetch(row);
    }
    this.prefetched += sum;
  }

  /** Sorted by ranges of rows; keys without a row come last, in order of arrival. */
  *#order(table: RegionTable): Generator<void, Order> {
    const rows = yield* this.#findRows(table.rows);
    const newRows = (table.rows.size >> RANGE_BITS) + 1;
    let known = 0;
    const ranges = rows.map((row) => {
      if (row === NO_ROW) return newRows;
      known += 1;
      return row >> RANGE_BITS;
    });
    return { ids: yield* sortByBucket(ranges, newRows + 1), rows, known };
  }

  *#findRows(directory: RowDirectory): Generator<void, Uint32Array> {
    const keys = this.#keys;
    const rows = new Uint32Array(keys.size);
    for (let id = 0; id < rows.length; id += 1) {
      if (id % STEP === 0) yield;
      rows[id] = directory.findBytes(keys.bytes, keys.start(id), keys.ends[id] ?? 0) ?? NO_ROW;
    }
    return rows;
  }

  sizeBytes(): number {
    const ownBytes = this.#kinds.byteLength + this.#sequences.byteLength;
    return this.#keys.sizeBytes() + this.#values.sizeBytes() + ownBytes;
  }

  #isWithinRoom(): boolean {
    return this.size <= this.#room.changes && this.sizeBytes() <= this.#room.bytes;
  }

  #grow(size: number): void {
    this.#kinds = extend(new Uint8Array(size), this.#kinds);
    this.#sequences = extend(new Float64Array(size), this.#sequences);
  }
}
