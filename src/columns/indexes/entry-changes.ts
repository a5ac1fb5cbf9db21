// Entries that came to sorted blocks, or went, and that no reader has asked for yet. They are put in
// order first and then taken over one beside the other: a block that several of them belong to is
// fetched from memory once, and a row that changed often is written once.

import { EntryList, sortPlaces } from './entry-list.ts';
import type { KeyOrder, SortedBlocks } from './sorted-blocks.ts';

/** Entries that are taken over between two yield points. */
const STEP = 256;
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

  /** What came and went again is left out. Nothing is added any more once this begins. */
  *applyTo(blocks: SortedBlocks, order: KeyOrder): Generator<void> {
    const { keys, rows, size } = this.#entries;
    const signs = this.#signs;
    const places = yield* sortPlaces(
      size,
      (a, b) => order(keys[a] ?? 0, keys[b] ?? 0) || (rows[a] ?? 0) - (rows[b] ?? 0),
    );
    let net = 0;
    for (let at = 0; at < size; at += 1) {
      const place = places[at] ?? 0;
      const next = places[at + 1] ?? -1;
      net += signs[place] ?? 0;
      if (at % STEP === STEP - 1) yield;
      if (keys[next] === keys[place] && rows[next] === rows[place]) continue;
      const [key, row] = [keys[place] ?? 0, rows[place] ?? 0];
      for (; net > 0; net -= 1) blocks.insert(key, row);
      for (; net < 0; net += 1) blocks.remove(key, row);
    }
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
