// Which row stands for which key, and when. Rows are appended and never move. A row is visible at
// sequence S when born ≤ S < died; a chunk none of whose rows was born late or died keeps no arrays
// for that, and a query skips the check there.
//
// Rows [0, sortedSize) are in key order. Later rows are not; a query that owes its rows in key
// order sorts the few of them among the others by `orderOf`.

import { CHUNK_BITS, CHUNK_MASK, CHUNK_ROWS } from './column.ts';
import { StringDictionary } from './string-dictionary.ts';
import { compareUtf8 } from './utf8-order.ts';

interface Lifetimes {
  readonly born: Float64Array;
  readonly died: Float64Array;
}

export interface LateRows {
  readonly rows: Uint32Array;
  readonly before: Uint32Array;
}

export class RowDirectory {
  /** Number of rows, dead ones included. */
  size = 0;
  sortedSize = 0;
  deadRows = 0;
  readonly keys: StringDictionary = new StringDictionary(0);
  /** Key id to its newest row + 1, be it dead or alive. */
  #rowOfKey: Uint32Array = new Uint32Array(1024);
  #keyOfRow: Uint32Array = new Uint32Array(1024);
  readonly #lifetimes: (Lifetimes | undefined)[] = [];
  /** Rows whose whole value is null; queries over values pass them over. */
  readonly #nullRows = new Map<number, Set<number>>();
  /** For each unsorted row, the sorted row it comes before; found as the row comes. */
  readonly #lateOrders: number[] = [];
  #lateRows: LateRows = { rows: new Uint32Array(0), before: new Uint32Array(0) };
  /** The row a later version of the same key replaced. */
  readonly #replaced = new Map<number, number>();

  chunkCount(): number {
    return (this.size + CHUNK_MASK) >> CHUNK_BITS;
  }

  /** Rows of a chunk; all but the last are full. */
  chunkSize(chunk: number): number {
    return Math.min(CHUNK_ROWS, this.size - (chunk << CHUNK_BITS));
  }

  /** Adds a row that has been there since before any query of this table. */
  append(key: string): number {
    return this.#appendRow(this.keys.internText(key));
  }

  /** Adds a row that becomes visible with commit `sequence`. */
  appendBorn(key: string, sequence: number): number {
    const keyId = this.keys.internText(key);
    const before = this.#rowOfKey[keyId] ?? 0;
    const row = this.#appendRow(keyId);
    if (before > 0) this.#replaced.set(row, before - 1);
    this.#lifetimesOf(row).born[row & CHUNK_MASK] = sequence;
    return row;
  }

  /** Ends the row with commit `sequence`; its key may get a new one. */
  kill(row: number, sequence: number): void {
    this.#lifetimesOf(row).died[row & CHUNK_MASK] = sequence;
    this.deadRows += 1;
  }

  /** The living row of a key. */
  find(key: string): number | undefined {
    const row = this.#newest(key);
    return row === undefined || this.#diedAt(row) < Number.POSITIVE_INFINITY ? undefined : row;
  }

  /** The row of a key that is visible at `sequence`. */
  findAt(key: string, sequence: number): number | undefined {
    let row = this.#newest(key);
    while (row !== undefined && this.#bornAt(row) > sequence) row = this.#replaced.get(row);
    return row === undefined || this.#diedAt(row) <= sequence ? undefined : row;
  }

  /** Remembers whether the whole value of a row is null. */
  setNull(row: number, isNull: boolean): void {
    const chunk = row >> CHUNK_BITS;
    const rows = this.#nullRows.get(chunk);
    if (!isNull) {
      rows?.delete(row);
      return;
    }
    if (rows === undefined) this.#nullRows.set(chunk, new Set([row]));
    else rows.add(row);
  }

  /** How many of the entries at `sequence` are null. */
  countNulls(sequence: number): number {
    let count = 0;
    for (const rows of this.#nullRows.values()) {
      for (const row of rows) if (this.isAlive(row, sequence)) count += 1;
    }
    return count;
  }

  /** There at `sequence`, and not null. */
  isVisible(row: number, sequence: number): boolean {
    if (this.#nullRows.get(row >> CHUNK_BITS)?.has(row) === true) return false;
    return this.isAlive(row, sequence);
  }

  isAlive(row: number, sequence: number): boolean {
    const lifetimes = this.#lifetimes[row >> CHUNK_BITS];
    if (lifetimes === undefined) return true;
    const local = row & CHUNK_MASK;
    return (lifetimes.born[local] ?? 0) <= sequence && sequence < (lifetimes.died[local] ?? 0);
  }

  /** One byte per row of the chunk, 1 for visible; undefined when all are. */
  visibleRows(chunk: number, sequence: number): Uint8Array | undefined {
    const lifetimes = this.#lifetimes[chunk];
    const nulls = this.#nullRows.get(chunk);
    if (lifetimes === undefined && (nulls === undefined || nulls.size === 0)) return undefined;
    const visible = new Uint8Array(this.chunkSize(chunk)).fill(1);
    if (lifetimes !== undefined) {
      const { born, died } = lifetimes;
      for (let row = 0; row < visible.length; row += 1) {
        visible[row] = Number((born[row] ?? 0) <= sequence && sequence < (died[row] ?? 0));
      }
    }
    for (const row of nulls ?? []) visible[row & CHUNK_MASK] = 0;
    return visible;
  }

  keyOf(row: number): string {
    return this.keys.text(this.#keyOfRow[row] ?? 0);
  }

  keyIdOf(row: number): number {
    return this.#keyOfRow[row] ?? 0;
  }

  /**
   * The unsorted rows in key order, each with the sorted row it comes before. Kept from one query to
   * the next: only rows added since have to be sorted in.
   */
  lateRows(): LateRows {
    const known = this.#lateRows;
    const count = this.#lateOrders.length;
    if (known.rows.length === count) return known;
    const added: number[] = [];
    for (let late = known.rows.length; late < count; late += 1) added.push(this.sortedSize + late);
    added.sort((a, b) => this.#compareLate(a, b));
    const rows = new Uint32Array(count);
    const before = new Uint32Array(count);
    let old = 0;
    let fresh = 0;
    for (let at = 0; at < count; at += 1) {
      const left = known.rows[old];
      const right = added[fresh];
      const takesOld =
        right === undefined || (left !== undefined && this.#compareLate(left, right) <= 0);
      const row = (takesOld ? left : right) ?? 0;
      if (takesOld) old += 1;
      else fresh += 1;
      rows[at] = row;
      before[at] = this.#lateOrders[row - this.sortedSize] ?? 0;
    }
    this.#lateRows = { rows, before };
    return this.#lateRows;
  }

  #compareLate(left: number, right: number): number {
    const a = this.#lateOrders[left - this.sortedSize] ?? 0;
    const b = this.#lateOrders[right - this.sortedSize] ?? 0;
    return a - b || this.compareKeys(left, right);
  }

  /**
   * Where an unsorted row belongs: before all sorted rows from the returned one on. Two unsorted
   * rows with the same answer are ordered by their keys.
   */
  orderOf(row: number): number {
    let low = 0;
    let high = this.sortedSize;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.compareKeys(middle, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  compareKeys(left: number, right: number): number {
    const { bytes, ends } = this.keys;
    const a = this.keyIdOf(left);
    const b = this.keyIdOf(right);
    if (a === b) return 0;
    const leftStart = this.keys.start(a);
    const rightStart = this.keys.start(b);
    return compareUtf8(bytes, leftStart, ends[a] ?? 0, bytes, rightStart, ends[b] ?? 0);
  }

  sizeBytes(): number {
    const lifetimeBytes = this.#lifetimes.filter((found) => found !== undefined).length;
    return (
      this.keys.sizeBytes() +
      this.#rowOfKey.byteLength +
      this.#keyOfRow.byteLength +
      lifetimeBytes * CHUNK_ROWS * 16
    );
  }

  #appendRow(keyId: number): number {
    const row = this.size;
    if (row === this.#keyOfRow.length) this.#keyOfRow = grow(this.#keyOfRow);
    if (keyId >= this.#rowOfKey.length) this.#rowOfKey = grow(this.#rowOfKey);
    this.#keyOfRow[row] = keyId;
    this.#rowOfKey[keyId] = row + 1;
    this.size += 1;
    const isNext = row === this.sortedSize && (row === 0 || this.compareKeys(row - 1, row) < 0);
    if (isNext) this.sortedSize = this.size;
    else this.#lateOrders.push(this.orderOf(row));
    return row;
  }

  #newest(key: string): number | undefined {
    const keyId = this.keys.findText(key);
    const row = keyId === undefined ? 0 : (this.#rowOfKey[keyId] ?? 0);
    return row === 0 ? undefined : row - 1;
  }

  #diedAt(row: number): number {
    const lifetimes = this.#lifetimes[row >> CHUNK_BITS];
    return lifetimes?.died[row & CHUNK_MASK] ?? Number.POSITIVE_INFINITY;
  }

  #bornAt(row: number): number {
    return this.#lifetimes[row >> CHUNK_BITS]?.born[row & CHUNK_MASK] ?? 0;
  }

  #lifetimesOf(row: number): Lifetimes {
    const chunk = row >> CHUNK_BITS;
    const known = this.#lifetimes[chunk];
    if (known !== undefined) return known;
    while (this.#lifetimes.length <= chunk) this.#lifetimes.push(undefined);
    const created = {
      born: new Float64Array(CHUNK_ROWS),
      died: new Float64Array(CHUNK_ROWS).fill(Number.POSITIVE_INFINITY),
    };
    this.#lifetimes[chunk] = created;
    return created;
  }
}

function grow(array: Uint32Array): Uint32Array {
  const grown = new Uint32Array(Math.ceil(array.length * 1.125));
  grown.set(array);
  return grown;
}
