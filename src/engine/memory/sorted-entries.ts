// The entries of one region in key order, as an immutable value. Every change returns a new value that
// shares all but one chunk with the old one, so a snapshot is a reference and costs nothing.
//
//   chunks: [ a…f ][ g…k ][ l…z ]      put(h) copies the middle chunk and the list of chunks

import type { KeyRange, StoredEntry } from '../engine.ts';
import { isAboveLower, type KeyWindow, toKeyWindow } from '../key-window.ts';

const MAX_CHUNK_ENTRIES = 512;

export type SortedEntry = readonly [key: string, entry: StoredEntry];

interface Chunk {
  readonly keys: readonly string[];
  readonly entries: readonly StoredEntry[];
}

export class SortedEntries {
  static readonly empty: SortedEntries = new SortedEntries([], 0, 0);

  readonly #chunks: readonly Chunk[];
  readonly count: number;
  readonly valueBytes: number;

  private constructor(chunks: readonly Chunk[], count: number, valueBytes: number) {
    this.#chunks = chunks;
    this.count = count;
    this.valueBytes = valueBytes;
  }

  find(key: string): StoredEntry | undefined {
    const chunk = this.#chunks[chunkFor(this.#chunks, key)];
    if (chunk === undefined) return undefined;
    const at = lowerBound(chunk.keys, key);
    return chunk.keys[at] === key ? chunk.entries[at] : undefined;
  }

  put(key: string, entry: StoredEntry): SortedEntries {
    const index = chunkFor(this.#chunks, key);
    const chunk = this.#chunks[index] ?? { keys: [], entries: [] };
    const at = lowerBound(chunk.keys, key);
    const old = chunk.keys[at] === key ? chunk.entries[at] : undefined;
    const replaced = old === undefined ? 0 : 1;
    const changed = split({
      keys: chunk.keys.toSpliced(at, replaced, key),
      entries: chunk.entries.toSpliced(at, replaced, entry),
    });
    return new SortedEntries(
      this.#chunks.toSpliced(index, 1, ...changed),
      this.count + 1 - replaced,
      this.valueBytes + sizeOf(entry) - sizeOf(old),
    );
  }

  remove(key: string): SortedEntries {
    const index = chunkFor(this.#chunks, key);
    const chunk = this.#chunks[index];
    if (chunk === undefined) return this;
    const at = lowerBound(chunk.keys, key);
    if (chunk.keys[at] !== key) return this;
    const keys = chunk.keys.toSpliced(at, 1);
    const rest = keys.length === 0 ? [] : [{ keys, entries: chunk.entries.toSpliced(at, 1) }];
    return new SortedEntries(
      this.#chunks.toSpliced(index, 1, ...rest),
      this.count - 1,
      this.valueBytes - sizeOf(chunk.entries[at]),
    );
  }

  /** Entries in the order of the range. */
  *iterate(range: KeyRange): Generator<SortedEntry> {
    const window = toKeyWindow(range);
    let left = range.limit ?? Number.POSITIVE_INFINITY;
    for (const item of window.order === 'asc' ? this.#ascend(window) : this.#descend(window)) {
      if (left <= 0) return;
      left -= 1;
      yield item;
    }
  }

  *#ascend({ lower, upper }: KeyWindow): Generator<SortedEntry> {
    const first = lower === undefined ? 0 : chunkFor(this.#chunks, lower.key);
    for (const chunk of this.#chunks.slice(first)) {
      for (const [at, key] of chunk.keys.entries()) {
        if (upper !== undefined && key >= upper) return;
        const entry = chunk.entries[at];
        if (entry !== undefined && isAboveLower(lower, key)) yield [key, entry];
      }
    }
  }

  *#descend({ lower, upper }: KeyWindow): Generator<SortedEntry> {
    const last = upper === undefined ? this.#chunks.length - 1 : chunkFor(this.#chunks, upper);
    for (const chunk of this.#chunks.slice(0, last + 1).reverse()) {
      for (let at = chunk.keys.length - 1; at >= 0; at -= 1) {
        const key = chunk.keys[at];
        const entry = chunk.entries[at];
        if (key === undefined || entry === undefined) continue;
        if (!isAboveLower(lower, key)) return;
        if (upper === undefined || key < upper) yield [key, entry];
      }
    }
  }
}

function sizeOf(entry: StoredEntry | undefined): number {
  return entry === undefined ? 0 : Buffer.byteLength(entry.value);
}

function split(chunk: Chunk): Chunk[] {
  if (chunk.keys.length <= MAX_CHUNK_ENTRIES) return [chunk];
  const half = chunk.keys.length >> 1;
  return [
    { keys: chunk.keys.slice(0, half), entries: chunk.entries.slice(0, half) },
    { keys: chunk.keys.slice(half), entries: chunk.entries.slice(half) },
  ];
}

/** The last chunk that begins at or before `key`; the first when none does. */
function chunkFor(chunks: readonly Chunk[], key: string): number {
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const first = chunks[middle]?.keys[0];
    if (first !== undefined && first <= key) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** The first position whose key is not before `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const candidate = keys[middle];
    if (candidate !== undefined && candidate < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
