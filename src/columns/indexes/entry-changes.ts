// Entries that came to sorted blocks, or went, and that no reader has asked for yet. They are taken
// over block by block, so that a block that several of them belong to is fetched from memory once.

import { EntryList } from './entry-list.ts';
import type { SortedBlocks } from './sorted-blocks.ts';

/** Entries that are taken over between two yield points. */
const STEP = 256;
/** Entries whose block is found between two. */
const GLANCES_PER_STEP = 2048;
const GONE = -1;
const NEW = 1;

export class EntryChanges {
  readonly #entries = new EntryList();
  #signs: Int8Array = new Int8Array(this.#entries.keys.length);

  get size(): number {
    return this.#entries.size;
  }

  insert(key: number, row: number): void {
    this.#push(key, row, NEW);
  }

  remove(key: number, row: number): void {
    this.#push(key, row, GONE);
  }

  /** In the order of blocks, and within one as they came. Nothing is added once this begins. */
  *applyTo(blocks: SortedBlocks): Generator<void> {
    const { keys, rows } = this.#entries;
    const places = yield* this.#sortByBlock(blocks);
    for (let at = 0; at < places.length; at += 1) {
      const place = places[at] ?? 0;
      const [key, row] = [keys[place] ?? 0, rows[place] ?? 0];
      if (this.#signs[place] === NEW) blocks.insert(key, row);
      else blocks.remove(key, row);
      if (at % STEP === STEP - 1) yield;
    }
  }

  /** Places of entries, by the block that each belongs to now: a counting sort, which is stable. */
  *#sortByBlock(blocks: SortedBlocks): Generator<void, Uint32Array> {
    const { keys, rows, size } = this.#entries;
    const found = new Uint32Array(size);
    const starts = new Uint32Array(blocks.blockCount + 2);
    for (let place = 0; place < size; place += 1) {
      if (place % GLANCES_PER_STEP === 0) yield;
      const block = blocks.blockOf(keys[place] ?? 0, rows[place] ?? 0);
      found[place] = block;
      starts[block + 1] = (starts[block + 1] ?? 0) + 1;
    }
    for (let block = 1; block < starts.length; block += 1) {
      starts[block] = (starts[block] ?? 0) + (starts[block - 1] ?? 0);
    }
    const places = new Uint32Array(size);
    for (let place = 0; place < size; place += 1) {
      if (place % GLANCES_PER_STEP === 0) yield;
      const block = found[place] ?? 0;
      const at = starts[block] ?? 0;
      places[at] = place;
      starts[block] = at + 1;
    }
    return places;
  }

  sizeBytes(): number {
    return this.#signs.length + this.#entries.sizeBytes();
  }

  #push(key: number, row: number, sign: number): void {
    const { size } = this.#entries;
    this.#entries.push(key, row);
    if (size === this.#signs.length) {
      const signs = new Int8Array(this.#entries.keys.length);
      signs.set(this.#signs);
      this.#signs = signs;
    }
    this.#signs[size] = sign;
  }
}
