// Pending changes of a table without readers. Writing to a rarely queried region then costs little,
// and of a frequently written key only the last value is scanned. They are stored as bytes, the
// form in which they are scanned.

import { extend, sortByBucket } from './arrays.ts';
import type { RegionTable, TableChange } from './region-table.ts';
import type { RowDirectory } from './row-directory.ts';
import { StringDictionary } from './string-dictionary.ts';
import { TextLog } from './text-log.ts';

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
interface Plan {
  readonly ids: Uint32Array;
  /** By ids. */
  readonly rows: Uint32Array;
}

export class PendingChanges {
  /** Changes that are not applied yet. */
  size = 0;
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

  /**
   * Overwrites the rows of the table in memory order; there must be no readers. Between two steps
   * nothing else may add rows to the table.
   */
  *applyTo(table: RegionTable): Generator<void> {
    const { ids, rows } = yield* this.#plan(table);
    const keys = this.#keys;
    for (let at = 0; at < ids.length; at += 1) {
      if (at % STEP === 0) {
        if (at > 0) yield;
        table.forgetSelection();
        this.#prefetch(table, rows, ids.subarray(at, at + STEP));
      }
      const id = ids[at] ?? 0;
      const row = rows[id] === NO_ROW ? undefined : rows[id];
      const sequence = this.#sequences[id] ?? 0;
      if (this.#kinds[id] === REMOVE) table.remove(row, sequence);
      else {
        const value = { bytes: this.#values.bufferOf(id), start: this.#values.startOf(id) };
        table.overwrite(row ?? keys.bytesOf(id), value, sequence);
      }
      this.size -= 1;
    }
  }

  /** Brings the documents and rows of the next changes into the cache. */
  #prefetch(table: RegionTable, rows: Uint32Array, ids: Uint32Array): void {
    let sum = 0;
    for (let at = 0; at < ids.length; at += 1) {
      const id = ids[at] ?? 0;
      const row = rows[id] ?? NO_ROW;
      sum += this.#values.prefetch(id);
      if (row !== NO_ROW) sum += table.prefetch(row);
    }
    this.prefetched += sum;
  }

  /** Sorted by ranges of rows; keys without a row come last, in order of arrival. */
  *#plan(table: RegionTable): Generator<void, Plan> {
    const rows = yield* this.#findRows(table.rows);
    const newRows = (table.rows.size >> RANGE_BITS) + 1;
    const ranges = rows.map((row) => (row === NO_ROW ? newRows : row >> RANGE_BITS));
    return { ids: yield* sortByBucket(ranges, newRows + 1), rows };
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
