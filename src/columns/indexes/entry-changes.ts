// Pending insertions and removals of entries of sorted blocks. They are merged block by block, so
// that each block is fetched from memory once.

import { extend, sortByBucket } from '../arrays.ts';
import { EntryList } from './entry-list.ts';
import type { SortedBlocks } from './sorted-blocks.ts';

/** Entries that are merged between two yield points. */
const STEP = 256;
/** Entries whose block is found between two yield points. */
const LOOKUPS_PER_STEP = 2048;
/** Room for the changes of few writes. */
const FEW = 64;
const GONE = -1;
const NEW = 1;

export class EntryChanges {
  readonly #entries = new EntryList();
  /** For each entry whether it is new or gone. */
  #signs: Int8Array = new Int8Array(FEW);

  get size(): number {
    return this.#entries.size;
  }

  insert(key: number, row: number): void {
    this.#push(key, row, NEW);
  }

  remove(key: number, row: number): void {
    this.#push(key, row, GONE);
  }

  /**
   * Applies them in the order of blocks, and within a block in order of arrival. Nothing may be
   * added once this begins.
   */
  *applyTo(blocks: SortedBlocks): Generator<void> {
    const entries = this.#entries;
    const order = yield* this.#sortByBlock(blocks);
    for (let at = 0; at < order.length; at += 1) {
      const index = order[at] ?? 0;
      const [key, row] = [entries.keyAt(index), entries.rowAt(index)];
      if (this.#signs[index] === NEW) blocks.insert(key, row);
      else blocks.remove(key, row);
      if (at % STEP === STEP - 1) yield;
    }
  }

  /** Indexes of entries, sorted by their current block. */
  *#sortByBlock(blocks: SortedBlocks): Generator<void, Uint32Array> {
    const entries = this.#entries;
    const found = new Uint32Array(entries.size);
    for (let index = 0; index < found.length; index += 1) {
      if (index % LOOKUPS_PER_STEP === 0) yield;
      found[index] = blocks.blockOf(entries.keyAt(index), entries.rowAt(index));
    }
    return yield* sortByBucket(found, blocks.blockCount + 1);
  }

  sizeBytes(): number {
    return this.#signs.length + this.#entries.sizeBytes();
  }

  #push(key: number, row: number, sign: number): void {
    const { size } = this.#entries;
    this.#entries.push(key, row);
    if (size === this.#signs.length) this.#signs = extend(new Int8Array(size * 2), this.#signs);
    this.#signs[size] = sign;
  }
}
