// Sorted keys, each with a row, in blocks: small enough that an insertion moves little, large
// enough that few blocks are searched. A sorted array in one piece costs 200 µs for an update at a
// million keys; this costs about one.

import type { FirstRows, IndexWalk } from '../../value/column-data.ts';
import type { Order } from '../../value/merge-sort.ts';
import { extend } from '../arrays.ts';
import type { EntryList } from './entry-list.ts';

const BLOCK = 1024;
/** Room of the first block of a small structure. */
const SMALL_BLOCK = 16;
const AFTER_ALL_ROWS = Number.POSITIVE_INFINITY;
/** Blocks that are filled in one go when everything is loaded, from anywhere in memory. */
const BLOCKS_PER_STEP = 4;

/** A block has room for `BLOCK` entries; one that is alone has less, and grows. */
interface Block {
  keys: Float64Array;
  rows: Uint32Array;
  size: number;
}

interface EntryPosition {
  readonly position: number;
  readonly at: number;
}

interface RowsOfKey {
  readonly rows: Uint32Array;
  /** After the last entry of the key. */
  readonly end: EntryPosition;
}

/** Keys that are the numbers themselves; their search calls no function per step. */
export const byNumber: Order = (left, right) => left - right;

/** Negative if a key is before the searched position, positive if after it. */
export type Probe = (key: number) => number;

export class SortedBlocks {
  readonly #order: Order;
  readonly #blocks: Block[] = [];
  /** The last entry of each block, side by side: the search for a block reads nothing else. */
  readonly #lastKeys: number[] = [];
  readonly #lastRows: number[] = [];
  /** Incremented with every change, so that a walk notices that its position is invalid. */
  #changes = 0;
  size = 0;

  /** Keys are numbers: values, or ids whose strings `order` compares. */
  constructor(order: Order) {
    this.#order = order;
  }

  /**
   * Fills an empty structure, yielding between steps. `sorted` has the indexes of the entries in the
   * order of (key, row).
   */
  *load(entries: EntryList, sorted: Uint32Array): Generator<void> {
    // Not quite full, so that the first insertions do not split every block.
    const share = Math.floor(BLOCK * 0.75);
    for (let start = 0; start < sorted.length; start += share) {
      const block = createBlock(sorted.length > share ? BLOCK : roomFor(sorted.length));
      block.size = Math.min(share, sorted.length - start);
      for (let at = 0; at < block.size; at += 1) {
        const index = sorted[start + at] ?? 0;
        block.keys[at] = entries.keyAt(index);
        block.rows[at] = entries.rowAt(index);
      }
      this.#blocks.push(block);
      this.#noteLast(this.#blocks.length - 1, block);
      if (this.#blocks.length % BLOCKS_PER_STEP === 0) yield;
    }
    this.size = sorted.length;
  }

  insert(key: number, row: number): void {
    const position = Math.min(this.blockOf(key, row), Math.max(0, this.#blocks.length - 1));
    const block = this.#blocks[position] ?? this.#addBlock();
    const at = this.#findIn(block, key, row);
    if (block.size === block.keys.length) grow(block);
    block.keys.copyWithin(at + 1, at, block.size);
    block.rows.copyWithin(at + 1, at, block.size);
    block.keys[at] = key;
    block.rows[at] = row;
    block.size += 1;
    if (at === block.size - 1) this.#noteLast(position, block);
    this.size += 1;
    this.#changes += 1;
    if (block.size === BLOCK) this.#split(position);
  }

  remove(key: number, row: number): void {
    const position = this.blockOf(key, row);
    const block = this.#blocks[position];
    if (block === undefined) return;
    const at = this.#findIn(block, key, row);
    if (at === block.size || block.keys[at] !== key || block.rows[at] !== row) return;
    block.keys.copyWithin(at, at + 1, block.size);
    block.rows.copyWithin(at, at + 1, block.size);
    block.size -= 1;
    this.size -= 1;
    this.#changes += 1;
    if (block.size === 0) this.#dropBlock(position);
    else if (at === block.size) this.#noteLast(position, block);
  }

  /** Number of entries from the first not before `from` to the last not after `to`. */
  count(from: Probe, to: Probe): number {
    return this.#countBetween(
      this.#find(from),
      this.#find((key) => (to(key) > 0 ? 1 : -1)),
    );
  }

  /** Number of entries of a key. */
  countKey(key: number): number {
    return this.#countBetween(this.#positionOf(key, 0), this.#positionOf(key, AFTER_ALL_ROWS));
  }

  #countBetween(start: EntryPosition, end: EntryPosition): number {
    if (start.position > end.position) return 0;
    let count = end.at - start.at;
    for (let position = start.position; position < end.position; position += 1) {
      count += this.#blocks[position]?.size ?? 0;
    }
    return Math.max(0, count);
  }

  /** Calls `visit` with the rows of these entries, in order. */
  forEach(from: Probe, to: Probe, visit: (row: number) => void): void {
    for (const { block, start, end } of this.#spans(from, to)) {
      for (let at = start; at < end; at += 1) visit(block.rows[at] ?? 0);
    }
  }

  /** Calls `visit` with the rows of a key, ascending. */
  forEachOfKey(key: number, visit: (row: number) => void): void {
    let position = this.blockOf(key, 0);
    let block = this.#blocks[position];
    let at = block === undefined ? 0 : this.#findIn(block, key, 0);
    while (block !== undefined) {
      for (; at < block.size; at += 1) {
        if (block.keys[at] !== key) return;
        visit(block.rows[at] ?? 0);
      }
      position += 1;
      block = this.#blocks[position];
      at = 0;
    }
  }

  /**
   * The rows key by key, ascending within a key, or only the `firstRows` of each key. Entries may
   * change between two steps: the walk then finds its position again by the last key.
   */
  *walk(from: Probe, to: Probe, { direction, firstRows }: IndexWalk): Generator<Uint32Array> {
    const isUp = direction === 'up';
    // Upwards the next entry is the first not before the edge, downwards the last before it.
    let edge: Probe = isUp ? from : (key) => (to(key) > 0 ? 1 : -1);
    let changes = -1;
    let cursor: EntryPosition = { position: 0, at: 0 };
    for (;;) {
      if (changes !== this.#changes) cursor = this.#find(edge);
      changes = this.#changes;
      const found = isUp ? cursor : this.#before(cursor);
      const key = this.#blocks[found.position]?.keys[found.at];
      if (key === undefined || to(key) > 0 || from(key) < 0) return;
      const start = isUp ? found : this.#startOf(found, key);
      const { rows, end } = firstRows
        ? this.#firstRowsOf(start, key, firstRows)
        : this.#rowsOf(start, key);
      cursor = isUp ? end : start;
      edge = (other) => this.#order(other, key) || (isUp ? -1 : 1);
      yield rows;
    }
  }

  /** The first entry not before the searched position. */
  #find(probe: Probe): EntryPosition {
    return this.#findEntry((key) => probe(key));
  }

  #findEntry(entry: EntryProbe): EntryPosition {
    const position = this.#findBlock(entry);
    const block = this.#blocks[position];
    return { position, at: block === undefined ? 0 : lowerBound(block, entry) };
  }

  /** The position of an entry, or of the next one. */
  #positionOf(key: number, row: number): EntryPosition {
    const position = this.blockOf(key, row);
    const block = this.#blocks[position];
    return { position, at: block === undefined ? 0 : this.#findIn(block, key, row) };
  }

  #before({ position, at }: EntryPosition): EntryPosition {
    if (at > 0) return { position, at: at - 1 };
    return { position: position - 1, at: (this.#blocks[position - 1]?.size ?? 0) - 1 };
  }

  /** The first entry of a key, given its last one. */
  #startOf(last: EntryPosition, key: number): EntryPosition {
    let cursor = last;
    for (;;) {
      const before = this.#before(cursor);
      if (this.#blocks[before.position]?.keys[before.at] !== key) return cursor;
      cursor = before;
    }
  }

  /** The first visible row before `split`, and all rows from `split` on. */
  #firstRowsOf(start: EntryPosition, key: number, { split, isVisible }: FirstRows): RowsOfKey {
    const rows: number[] = [];
    const atSplit = this.#findEntry((other, row) => this.#order(other, key) || row - split);
    let { position, at } = start;
    while (rows.length === 0 && (position < atSplit.position || at < atSplit.at)) {
      const block = this.#blocks[position];
      if (block === undefined) break;
      const row = block.rows[at] ?? 0;
      if (isVisible(row)) rows.push(row);
      at += 1;
      if (at < block.size) continue;
      position += 1;
      at = 0;
    }
    const { rows: others, end } = this.#rowsOf(atSplit, key);
    return { rows: Uint32Array.from([...rows, ...others]), end };
  }

  #rowsOf(start: EntryPosition, key: number): RowsOfKey {
    const first = this.#blocks[start.position];
    const end = first === undefined ? 0 : endOfKey(first, start.at, key);
    if (first !== undefined && end < first.size) {
      return { rows: first.rows.slice(start.at, end), end: { position: start.position, at: end } };
    }
    const rows: number[] = [];
    let { position, at } = start;
    for (let block = this.#blocks[position]; block !== undefined; block = this.#blocks[position]) {
      const last = endOfKey(block, at, key);
      for (; at < last; at += 1) rows.push(block.rows[at] ?? 0);
      if (at < block.size) break;
      position += 1;
      at = 0;
    }
    return { rows: Uint32Array.from(rows), end: { position, at } };
  }

  sizeBytes(): number {
    const { length } = this.#blocks;
    const room = length === 1 ? (this.#blocks[0]?.keys.length ?? 0) : BLOCK;
    return length * (room * 12 + 216);
  }

  *#spans(from: Probe, to: Probe): Generator<{ block: Block; start: number; end: number }> {
    const first: EntryProbe = (key) => from(key);
    for (let position = this.#findBlock(first); position < this.#blocks.length; position += 1) {
      const block = this.#blocks[position];
      if (block === undefined || to(block.keys[0] ?? 0) > 0) return;
      const start = lowerBound(block, first);
      const end = lowerBound(block, (key) => (to(key) > 0 ? 1 : -1));
      if (end > start) yield { block, start, end };
    }
  }

  /** The first block whose last entry is not before the searched position. */
  #findBlock(probe: EntryProbe): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (probe(this.#lastKeys[middle] ?? 0, this.#lastRows[middle] ?? 0) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  get blockCount(): number {
    return this.#blocks.length;
  }

  /** The first block whose last entry is not before this one; `blockCount` if there is none. */
  blockOf(key: number, row: number): number {
    return this.#order === byNumber
      ? countBefore(this.#lastKeys, this.#lastRows, this.#blocks.length, { key, row })
      : this.#findBlock(this.#probeEntry(key, row));
  }

  /** The first entry of a block that is not before this one. */
  #findIn(block: Block, key: number, row: number): number {
    return this.#order === byNumber
      ? countBefore(block.keys, block.rows, block.size, { key, row })
      : lowerBound(block, this.#probeEntry(key, row));
  }

  #probeEntry(key: number, row: number): EntryProbe {
    return (otherKey, otherRow) => this.#order(otherKey, key) || otherRow - row;
  }

  #addBlock(): Block {
    const block = createBlock(SMALL_BLOCK);
    this.#blocks.push(block);
    return block;
  }

  #split(position: number): void {
    const block = this.#blocks[position];
    if (block === undefined) return;
    const half = block.size >> 1;
    const second = createBlock(BLOCK);
    second.keys.set(block.keys.subarray(half, block.size));
    second.rows.set(block.rows.subarray(half, block.size));
    second.size = block.size - half;
    block.size = half;
    this.#blocks.splice(position + 1, 0, second);
    this.#lastKeys.splice(position, 0, 0);
    this.#lastRows.splice(position, 0, 0);
    this.#noteLast(position, block);
  }

  #dropBlock(position: number): void {
    this.#blocks.splice(position, 1);
    this.#lastKeys.splice(position, 1);
    this.#lastRows.splice(position, 1);
  }

  #noteLast(position: number, { keys, rows, size }: Block): void {
    this.#lastKeys[position] = keys[size - 1] ?? 0;
    this.#lastRows[position] = rows[size - 1] ?? 0;
  }
}

type EntryProbe = (key: number, row: number) => number;

function createBlock(room: number): Block {
  return { keys: new Float64Array(room), rows: new Uint32Array(room), size: 0 };
}

/** The room of a block with so many entries, so that one more fits. */
function roomFor(entries: number): number {
  let room = SMALL_BLOCK;
  while (room <= entries) room *= 2;
  return room;
}

function grow(block: Block): void {
  const room = roomFor(block.size);
  block.keys = extend(new Float64Array(room), block.keys);
  block.rows = extend(new Uint32Array(room), block.rows);
}

/** The end of the entries of a key in a block. */
function endOfKey({ keys, size }: Block, start: number, key: number): number {
  let at = start;
  while (at < size && keys[at] === key) at += 1;
  return at;
}

/**
 * How many of `size` entries in order come before an entry. Rows are compared only for equal keys.
 */
function countBefore(
  keys: ArrayLike<number>,
  rows: ArrayLike<number>,
  size: number,
  entry: { readonly key: number; readonly row: number },
): number {
  const { key, row } = entry;
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = keys[middle] ?? 0;
    if (other < key || (other === key && (rows[middle] ?? 0) < row)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first entry that is not before the searched position. */
function lowerBound(block: Block, probe: EntryProbe): number {
  let low = 0;
  let high = block.size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (probe(block.keys[middle] ?? 0, block.rows[middle] ?? 0) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
