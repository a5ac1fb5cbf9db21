// A nested collection: which items belong to which row. The items of all rows of a chunk lie one
// after another in arrays of that chunk, so a query runs over them as over rows. An overwritten row
// puts its items where the old ones were. Where these are too few, all are added at the end, and the
// old ones stay, unreachable, until the table is rebuilt.

import type { SourceItems, SourceLists } from '../value/column-data.ts';
import { extend } from './arrays.ts';
import { type ByteCount, FIRST_CAPACITY, grownCapacity } from './column.ts';

/** Bytes of a chunk without its arrays. */
const CHUNK_BYTES = 300;

export class ItemChunk implements SourceItems {
  starts: Uint32Array;
  counts: Uint32Array;
  parents: Uint32Array;
  size = 0;
  dense = true;
  readonly #count: ByteCount;

  constructor(rows: number, items: number, count: ByteCount) {
    this.starts = new Uint32Array(rows);
    this.counts = new Uint32Array(rows);
    this.parents = new Uint32Array(items);
    this.#count = count;
    count.bytes += CHUNK_BYTES + 8 * rows + 4 * items;
  }

  ensureRows(size: number): void {
    if (size <= this.starts.length) return;
    const capacity = Math.max(size, grownCapacity(this.starts.length));
    this.#count.bytes += 8 * (capacity - this.starts.length);
    this.starts = extend(new Uint32Array(capacity), this.starts);
    this.counts = extend(new Uint32Array(capacity), this.counts);
  }

  ensureItems(size: number): void {
    if (size <= this.parents.length) return;
    const capacity = Math.max(size, grownCapacity(this.parents.length));
    this.#count.bytes += 4 * (capacity - this.parents.length);
    this.parents = extend(new Uint32Array(capacity), this.parents);
  }
}

/** The target of sinks before a chunk is selected. */
const NO_CHUNK = new ItemChunk(0, 0, { bytes: 0 });
/** Bytes of lists without items. */
const LISTS_BYTES = 300;

/** Receives the items from the scanner. */
export interface ItemSink {
  select(chunkIndex: number): void;
  /** Starts the list of a row; items added next are its own. */
  begin(row: number): void;
  /** The index of the row's next item among the items of the chunk. */
  add(row: number): number;
}

/** The old items of a row in its chunk, and the number of all items there. */
interface OldItems {
  readonly start: number;
  readonly end: number;
  readonly size: number;
}

export class ItemLists implements ItemSink, SourceLists {
  readonly chunks: ItemChunk[] = [];
  /** Items of rows that were overwritten. */
  unreachable = 0;
  readonly #count: ByteCount = { bytes: LISTS_BYTES };
  #chunk: ItemChunk = NO_CHUNK;
  #lastRow = -1;
  #size = 0;
  /** The row whose items are overwritten, and the number of its old ones; -1 for none. */
  #overwritten = -1;
  #room = 0;
  /** True when the row that is overwritten got more items than it had. */
  isOverfull = false;

  select(chunkIndex: number): void {
    while (this.chunks.length <= chunkIndex) {
      // Chunks have similar numbers of rows and items.
      const { starts, size } = this.chunks.at(-1) ?? NO_CHUNK;
      const rows = Math.max(FIRST_CAPACITY, starts.length);
      this.chunks.push(new ItemChunk(rows, Math.max(FIRST_CAPACITY, size), this.#count));
    }
    const chunk = this.chunks[chunkIndex] ?? this.#chunk;
    if (chunk !== this.#chunk)
      this.#lastRow = chunk.size > 0 ? (chunk.parents[chunk.size - 1] ?? -1) : -1;
    this.#chunk = chunk;
  }

  chunk(chunkIndex: number): ItemChunk {
    while (this.chunks.length <= chunkIndex) this.chunks.push(new ItemChunk(0, 0, this.#count));
    return this.chunks[chunkIndex] ?? NO_CHUNK;
  }

  begin(row: number): void {
    if (row === this.#overwritten) return;
    const chunk = this.#chunk;
    chunk.ensureRows(row + 1);
    if (row < this.#lastRow) chunk.dense = false;
    this.#lastRow = row;
    chunk.starts[row] = chunk.size;
    chunk.counts[row] = 0;
  }

  add(row: number): number {
    return row === this.#overwritten ? this.#addInPlace(row) : this.#append(row);
  }

  #addInPlace(row: number): number {
    const { starts, counts } = this.#chunk;
    const count = counts[row] ?? 0;
    if (count < this.#room) {
      counts[row] = count + 1;
      return (starts[row] ?? 0) + count;
    }
    this.isOverfull = true;
    this.unreachable += 1;
    return this.#append(row);
  }

  #append(row: number): number {
    const chunk = this.#chunk;
    const item = chunk.size;
    chunk.ensureItems(item + 1);
    chunk.parents[item] = row;
    chunk.counts[row] = (chunk.counts[row] ?? 0) + 1;
    chunk.size += 1;
    this.#size += 1;
    return item;
  }

  /** From now on items of the row overwrite its old ones, until `endOverwrite` or `clear`. */
  beginOverwrite(row: number): OldItems {
    const room = this.#chunk.counts[row] ?? 0;
    this.isOverfull = false;
    this.#overwritten = room === 0 ? -1 : row;
    this.#room = room;
    return this.restart(row);
  }

  /** Starts over with the row that is being overwritten. */
  restart(row: number): OldItems {
    const { counts, starts, size } = this.#chunk;
    counts[row] = 0;
    const start = starts[row] ?? 0;
    return { start, end: start + this.#room, size };
  }

  endOverwrite(row: number): void {
    if (row !== this.#overwritten) return;
    this.#overwritten = -1;
    this.#addUnreachable(this.#room - this.countAt(row));
  }

  /** Removes the items of a row, also of one that is being overwritten. */
  clear(row: number): void {
    this.#addUnreachable(row === this.#overwritten ? this.#room : this.countAt(row));
    this.#overwritten = -1;
    this.isOverfull = false;
    this.#chunk.counts[row] = 0;
  }

  #addUnreachable(count: number): void {
    if (count === 0) return;
    this.unreachable += count;
    this.#chunk.dense = false;
  }

  countAt(row: number): number {
    return this.#chunk.counts[row] ?? 0;
  }

  /** Number of items, unreachable ones included. */
  size(): number {
    return this.#size;
  }

  sizeBytes(): number {
    return this.#count.bytes;
  }
}

/** Iterates over lists that were filled before, to add another column of their items. */
export class ItemReplay implements ItemSink {
  readonly #lists: ItemLists;
  #chunk: ItemChunk = NO_CHUNK;
  #next = 0;

  constructor(lists: ItemLists) {
    this.#lists = lists;
  }

  select(chunkIndex: number): void {
    this.#chunk = this.#lists.chunks[chunkIndex] ?? this.#chunk;
  }

  begin(row: number): void {
    this.#next = this.#chunk.starts[row] ?? 0;
  }

  add(): number {
    this.#next += 1;
    return this.#next - 1;
  }
}
