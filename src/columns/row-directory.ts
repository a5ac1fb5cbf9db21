// Maps keys to rows, with the lifetime of each row. Rows are appended and never move. A row is
// visible at sequence S when born ≤ S < died. A chunk of loaded rows, none of which has died, has
// no arrays of lifetimes, and queries skip the check there.
//
// Rows [0, sortedSize) are in key order, as loaded, and so are their keys: row and key have the
// same number. Later rows are delta rows: out of order, and few. Their keys are numbered after the
// sorted ones, unless a sorted row has the same key.

import { CHUNK_BITS, CHUNK_MASK, CHUNK_ROWS } from '../value/column-data.ts';
import type { JoinedTexts } from '../value/entry-bytes.ts';
import { compareUtf8 } from '../value/utf8-order.ts';
import { extend } from './arrays.ts';
import { type DeltaRowList, DeltaRows } from './delta-rows.ts';
import { KeyRun } from './key-run.ts';
import { StringDictionary } from './string-dictionary.ts';

/** Births and deaths of the first rows of a chunk; its other rows have neither. */
interface Lifetimes {
  born: Float64Array;
  died: Float64Array;
  /** Number of rows with a birth or a death. */
  marked: number;
}

/** Rows of the shortest arrays of lifetimes. */
const FEW_ROWS = 16;

const NO_TIMES = new Float64Array(0);

/** The death of a row that no reader can see; no commit has this sequence. */
const FORGOTTEN = 0;
/** Two numbers plus the overhead of the maps. */
const BYTES_PER_DELTA_ROW = 100;

export class RowDirectory {
  /** Number of rows, dead ones included. */
  size = 0;
  sortedSize = 0;
  deadRows = 0;
  readonly #sortedKeys: KeyRun = new KeyRun();
  readonly #deltaKeys: StringDictionary = new StringDictionary(0);
  /** The numbers of the keys of delta rows, and the sorted rows that they precede. */
  readonly #keysOfDelta: number[] = [];
  readonly #ordersOfDelta: number[] = [];
  readonly #deltaRows: DeltaRows = new DeltaRows(
    (row) => this.#ordersOfDelta[row - this.sortedSize] ?? 0,
    (left, right) => this.compareKeys(left, right),
  );
  /** The newest row, dead or alive, of each key that has a delta row. */
  readonly #newest = new Map<number, number>();
  readonly #lifetimes: (Lifetimes | undefined)[] = [];
  /** Rows with a place in some array of lifetimes. */
  #rowsWithLifetimes = 0;
  /** Rows whose whole value is null; queries over values skip them. */
  readonly #nullRows = new Map<number, Set<number>>();
  /** For each row, the row of the same key that it replaced. */
  readonly #replaced = new Map<number, number>();
  readonly #encoder = new TextEncoder();
  #scratch: Uint8Array = new Uint8Array(256);

  chunkCount(): number {
    return (this.size + CHUNK_MASK) >> CHUNK_BITS;
  }

  /** Rows of a chunk; all but the last are full. */
  chunkSize(chunk: number): number {
    return Math.min(CHUNK_ROWS, this.size - (chunk << CHUNK_BITS));
  }

  /** The expected number of rows of a load. */
  expect(rows: number): void {
    this.#sortedKeys.expect(rows);
  }

  /**
   * Adds rows that are visible to all queries of this table, in key order and after all others.
   * Returns the first.
   */
  appendAll(keys: JoinedTexts): number {
    const first = this.size;
    this.#sortedKeys.appendAll(keys);
    this.size = this.#sortedKeys.size;
    this.sortedSize = this.size;
    return first;
  }

  /** Adds a row that becomes visible with commit `sequence`. */
  appendBorn(key: string, sequence: number): number {
    return this.appendBornBytes(this.#encode(key), sequence);
  }

  /** `appendBorn` for a key in UTF-8. */
  appendBornBytes(key: Uint8Array, sequence: number): number {
    const row = this.size;
    const isNext = row === this.sortedSize && this.#sortedKeys.append(key);
    this.size += 1;
    if (isNext) this.sortedSize = this.size;
    else this.#appendDelta(row, key);
    this.#mark(row, 'born', sequence);
    return row;
  }

  #appendDelta(row: number, key: Uint8Array): void {
    const order = this.#sortedKeys.lowerBound(key);
    const isKnown = this.#sortedKeys.isAt(order, key, 0, key.length);
    const keyId = isKnown ? order : this.sortedSize + this.#deltaKeys.internBytes(key);
    const before = this.#newestOf(keyId);
    if (before !== undefined) this.#replaced.set(row, before);
    this.#newest.set(keyId, row);
    this.#keysOfDelta.push(keyId);
    this.#ordersOfDelta.push(order);
    this.#deltaRows.add(row);
  }

  /** Ends the row with commit `sequence`; its key may get a new one. */
  kill(row: number, sequence: number): void {
    this.#mark(row, 'died', sequence);
    this.deadRows += 1;
  }

  /** Ends a row that has no readers and will not be overwritten. */
  forget(row: number): void {
    this.kill(row, FORGOTTEN);
  }

  isForgotten(row: number): boolean {
    return this.#diedAt(row) === FORGOTTEN;
  }

  /**
   * The sorted row of the same key that a live delta row replaced; undefined if there is none that
   * may be overwritten.
   */
  sortedRowOf(row: number): number | undefined {
    const sorted = row < this.sortedSize ? undefined : this.#keyIdOf(row);
    if (sorted === undefined || sorted >= this.sortedSize) return undefined;
    return this.isForgotten(sorted) ? undefined : sorted;
  }

  /** Revives the sorted row of a key, and removes its delta rows. There must be no readers. */
  moveToSorted(row: number, sorted: number): void {
    this.forget(row);
    for (let at: number | undefined = row; at !== undefined && at !== sorted; ) {
      const before = this.#replaced.get(at);
      this.#deltaRows.remove(at);
      this.#replaced.delete(at);
      at = before;
    }
    this.#newest.delete(sorted);
    this.#mark(sorted, 'died', Number.POSITIVE_INFINITY);
    this.deadRows -= 1;
  }

  /** The live row of a key. */
  find(key: string): number | undefined {
    const bytes = this.#encode(key);
    return this.findBytes(bytes, 0, bytes.length);
  }

  /** `find` for a key in `source[start, end)`. */
  findBytes(source: Uint8Array, start: number, end: number): number | undefined {
    const row = this.#newestOf(this.#findKey(source, start, end));
    return row === undefined || this.#diedAt(row) < Number.POSITIVE_INFINITY ? undefined : row;
  }

  /** The row of a key that is visible at `sequence`. */
  findAt(key: string, sequence: number): number | undefined {
    const bytes = this.#encode(key);
    return this.#rowAt(this.#findKey(bytes, 0, bytes.length), sequence);
  }

  /** For a scan at `sequence`, whose keys come in order: the row of each key in `source[start, end)`. */
  createFinder(
    sequence: number,
  ): (source: Uint8Array, start: number, end: number) => number | undefined {
    const keys = this.#sortedKeys;
    let next = 0;
    return (source, start, end) => {
      // Rows that died before `sequence` are skipped.
      while (!keys.isAt(next, source, start, end)) {
        const isDelta = next >= keys.size || keys.compareAt(next, source, start, end) > 0;
        if (isDelta) return this.#rowAt(this.#findDeltaKey(source, start, end), sequence);
        next += 1;
      }
      next += 1;
      return this.#rowAt(next - 1, sequence);
    };
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

  /** Whether the row exists at `sequence` and is not null. */
  isVisible(row: number, sequence: number): boolean {
    if (this.#nullRows.get(row >> CHUNK_BITS)?.has(row) === true) return false;
    return this.isAlive(row, sequence);
  }

  isAlive(row: number, sequence: number): boolean {
    const lifetimes = this.#lifetimes[row >> CHUNK_BITS];
    if (lifetimes === undefined) return true;
    const local = row & CHUNK_MASK;
    if (local >= lifetimes.born.length) return true;
    return (lifetimes.born[local] ?? 0) <= sequence && sequence < (lifetimes.died[local] ?? 0);
  }

  /** Entries at `sequence`. */
  countAlive(sequence: number): number {
    let count = this.size;
    this.#lifetimes.forEach((lifetimes, chunk) => {
      if (lifetimes === undefined) return;
      const { born, died } = lifetimes;
      const size = Math.min(this.chunkSize(chunk), born.length);
      for (let row = 0; row < size; row += 1) {
        if ((born[row] ?? 0) > sequence || (died[row] ?? 0) <= sequence) count -= 1;
      }
    });
    return count;
  }

  /** One byte per row of the chunk, 1 for visible; undefined when all are. */
  visibleRows(chunk: number, sequence: number): Uint8Array | undefined {
    const lifetimes = this.#lifetimes[chunk];
    const nulls = this.#nullRows.get(chunk);
    if (lifetimes === undefined && (nulls === undefined || nulls.size === 0)) return undefined;
    const visible = new Uint8Array(this.chunkSize(chunk)).fill(1);
    let count = visible.length;
    if (lifetimes !== undefined) {
      const { born, died } = lifetimes;
      const size = Math.min(visible.length, born.length);
      count -= size;
      for (let row = 0; row < size; row += 1) {
        const isThere = Number((born[row] ?? 0) <= sequence && sequence < (died[row] ?? 0));
        visible[row] = isThere;
        count += isThere;
      }
    }
    for (const row of nulls ?? []) visible[row & CHUNK_MASK] = 0;
    const isHiding = count < visible.length || (nulls?.size ?? 0) > 0;
    return isHiding ? visible : undefined;
  }

  keyOf(row: number): string {
    const keyId = this.#keyIdOf(row);
    return keyId < this.sortedSize
      ? this.#sortedKeys.text(keyId)
      : this.#deltaKeys.text(keyId - this.sortedSize);
  }

  /** The delta rows in key order, each with the sorted row it comes before. */
  deltaRows(): DeltaRowList {
    return this.#deltaRows.list();
  }

  /**
   * The sorted row that a delta row precedes in key order. Two delta rows with the same result are
   * ordered by their keys.
   */
  orderOf(row: number): number {
    return row < this.sortedSize ? row : (this.#ordersOfDelta[row - this.sortedSize] ?? 0);
  }

  compareKeys(left: number, right: number): number {
    const a = this.#keyIdOf(left);
    const b = this.#keyIdOf(right);
    if (a === b || (a < this.sortedSize && b < this.sortedSize)) return a - b;
    const leftKey = this.#keyBytes(a);
    const rightKey = this.#keyBytes(b);
    return compareUtf8(leftKey, 0, leftKey.length, rightKey, 0, rightKey.length);
  }

  sizeBytes(): number {
    return (
      this.#sortedKeys.sizeBytes() +
      this.#deltaKeys.sizeBytes() +
      this.#deltaRows.sizeBytes() +
      this.#keysOfDelta.length * BYTES_PER_DELTA_ROW +
      this.#rowsWithLifetimes * 16
    );
  }

  #keyIdOf(row: number): number {
    return row < this.sortedSize ? row : (this.#keysOfDelta[row - this.sortedSize] ?? 0);
  }

  #keyBytes(keyId: number): Uint8Array {
    return keyId < this.sortedSize
      ? this.#sortedKeys.bytesAt(keyId)
      : this.#deltaKeys.bytesOf(keyId - this.sortedSize);
  }

  #findKey(source: Uint8Array, start: number, end: number): number | undefined {
    const at = this.#sortedKeys.lowerBound(source, start, end);
    const isThere = this.#sortedKeys.isAt(at, source, start, end);
    return isThere ? at : this.#findDeltaKey(source, start, end);
  }

  #findDeltaKey(source: Uint8Array, start: number, end: number): number | undefined {
    const found = this.#deltaKeys.find(source, start, end);
    return found === undefined ? undefined : this.sortedSize + found;
  }

  /** The newest row of a key, dead or alive. */
  #newestOf(keyId: number | undefined): number | undefined {
    if (keyId === undefined) return undefined;
    return this.#newest.get(keyId) ?? (keyId < this.sortedSize ? keyId : undefined);
  }

  #rowAt(keyId: number | undefined, sequence: number): number | undefined {
    let row = this.#newestOf(keyId);
    while (row !== undefined && this.#bornAt(row) > sequence) row = this.#replaced.get(row);
    return row === undefined || this.#diedAt(row) <= sequence ? undefined : row;
  }

  /**
   * UTF-8 in a buffer that the next call overwrites; the plain loop is fast for short ASCII keys.
   */
  #encode(key: string): Uint8Array {
    if (key.length * 3 > this.#scratch.length) this.#scratch = new Uint8Array(key.length * 4);
    const scratch = this.#scratch;
    for (let index = 0; index < key.length; index += 1) {
      const unit = key.charCodeAt(index);
      if (unit > 0x7f) return scratch.subarray(0, this.#encoder.encodeInto(key, scratch).written);
      scratch[index] = unit;
    }
    return scratch.subarray(0, key.length);
  }

  #diedAt(row: number): number {
    const lifetimes = this.#lifetimes[row >> CHUNK_BITS];
    return lifetimes?.died[row & CHUNK_MASK] ?? Number.POSITIVE_INFINITY;
  }

  #bornAt(row: number): number {
    return this.#lifetimes[row >> CHUNK_BITS]?.born[row & CHUNK_MASK] ?? 0;
  }

  /** A chunk without births and deaths needs no lifetimes. */
  #mark(row: number, what: 'born' | 'died', sequence: number): void {
    const chunk = row >> CHUNK_BITS;
    const local = row & CHUNK_MASK;
    const lifetimes = this.#lifetimesOf(chunk, local);
    const isPlain = (): boolean =>
      lifetimes.born[local] === 0 && lifetimes.died[local] === Number.POSITIVE_INFINITY;
    const wasPlain = isPlain();
    lifetimes[what][local] = sequence;
    lifetimes.marked += Number(wasPlain) - Number(isPlain());
    if (lifetimes.marked > 0) return;
    this.#lifetimes[chunk] = undefined;
    this.#rowsWithLifetimes -= lifetimes.born.length;
  }

  /** The lifetimes of a chunk, with a place for one of its rows. */
  #lifetimesOf(chunk: number, local: number): Lifetimes {
    while (this.#lifetimes.length <= chunk) this.#lifetimes.push(undefined);
    const lifetimes = this.#lifetimes[chunk] ?? { born: NO_TIMES, died: NO_TIMES, marked: 0 };
    this.#lifetimes[chunk] = lifetimes;
    const { born, died } = lifetimes;
    if (local < born.length) return lifetimes;
    let size = Math.max(FEW_ROWS, born.length);
    while (size <= local) size *= 2;
    lifetimes.born = extend(new Float64Array(size), born);
    lifetimes.died = extend(new Float64Array(size).fill(Number.POSITIVE_INFINITY), died);
    this.#rowsWithLifetimes += size - born.length;
    return lifetimes;
  }
}
