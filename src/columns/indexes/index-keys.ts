// How the keys of an index are kept with their rows: sorted, hashed, or not at all where a row's own
// key says it.

import { CHUNK_ROWS } from '../column.ts';
import { type EntryList, sortEntries } from './entry-list.ts';
import { type Heads, type Probe, SortedBlocks } from './sorted-blocks.ts';

/** In which direction keys are gone through, and whether all rows of each are wanted. */
export interface Walk {
  readonly direction: 'up' | 'down';
  readonly heads?: Heads | undefined;
}

/** Keys with their rows, in any organisation. */
export interface Keys {
  load(entries: EntryList): Generator<void>;
  insert(key: number, row: number): void;
  remove(key: number, row: number): void;
  count(from: Probe, to: Probe, exact: number | undefined): number;
  forEach(from: Probe, to: Probe, exact: number | undefined, visit: (row: number) => void): void;
  walk(from: Probe, to: Probe, walk: Walk): Generator<Uint32Array>;
  sizeBytes(): number;
}

export class SortedKeys implements Keys {
  readonly #blocks: SortedBlocks;
  readonly #order: (left: number, right: number) => number;

  constructor(order: (left: number, right: number) => number) {
    this.#order = order;
    this.#blocks = new SortedBlocks(order);
  }

  *load(entries: EntryList): Generator<void> {
    const order = yield* sortEntries(entries, this.#order);
    const keys = new Float64Array(order.length);
    const rows = new Uint32Array(order.length);
    for (let at = 0; at < order.length; at += 1) {
      const place = order[at] ?? 0;
      keys[at] = entries.keys[place] ?? 0;
      rows[at] = entries.rows[place] ?? 0;
      if (at % CHUNK_ROWS === CHUNK_ROWS - 1) yield;
    }
    yield* this.#blocks.load(keys, rows);
  }

  insert(key: number, row: number): void {
    this.#blocks.insert(key, row);
  }

  remove(key: number, row: number): void {
    this.#blocks.remove(key, row);
  }

  count(from: Probe, to: Probe): number {
    return this.#blocks.count(from, to);
  }

  forEach(from: Probe, to: Probe, _exact: number | undefined, visit: (row: number) => void): void {
    this.#blocks.forEach(from, to, visit);
  }

  walk(from: Probe, to: Probe, walk: Walk): Generator<Uint32Array> {
    return this.#blocks.walk(from, to, walk);
  }

  sizeBytes(): number {
    return this.#blocks.sizeBytes();
  }
}

function hasNoOrder(): never {
  throw new Error('only a range index can be walked in order');
}

/** What a key index keeps: the rows whose value is not their key. They are offered for every key. */
export class KeyExceptions implements Keys {
  readonly #print: (key: number) => string;
  readonly #keyOf: (row: number) => string;
  readonly #rows = new Set<number>();
  #size = 0;

  constructor(print: (key: number) => string, keyOf: (row: number) => string) {
    this.#print = print;
    this.#keyOf = keyOf;
  }

  *load({ keys, rows, size }: EntryList): Generator<void> {
    for (let at = 0; at < size; at += 1) {
      this.insert(keys[at] ?? 0, rows[at] ?? 0);
      if (at % CHUNK_ROWS === CHUNK_ROWS - 1) yield;
    }
  }

  insert(key: number, row: number): void {
    this.#size += 1;
    if (this.#print(key) !== this.#keyOf(row)) this.#rows.add(row);
  }

  remove(_key: number, row: number): void {
    this.#size -= 1;
    this.#rows.delete(row);
  }

  /** One row has the key itself. */
  count(_from: Probe, _to: Probe, exact: number | undefined): number {
    return exact === undefined ? this.#size : this.#rows.size + 1;
  }

  forEach(
    _from: Probe,
    _to: Probe,
    _exact: number | undefined,
    visit: (row: number) => void,
  ): void {
    for (const row of this.#rows) visit(row);
  }

  walk(): never {
    return hasNoOrder();
  }

  sizeBytes(): number {
    return this.#rows.size * 40;
  }
}

/** Serves single keys; for a range it offers every row. A key of one row keeps just that row. */
export class HashedKeys implements Keys {
  readonly #rows = new Map<number, number | Set<number>>();
  #size = 0;

  *load({ keys, rows, size }: EntryList): Generator<void> {
    for (let at = 0; at < size; at += 1) {
      this.insert(keys[at] ?? 0, rows[at] ?? 0);
      if (at % CHUNK_ROWS === CHUNK_ROWS - 1) yield;
    }
  }

  insert(key: number, row: number): void {
    const rows = this.#rows.get(key);
    // Two items of one row may have the same value.
    if (rows === row || (typeof rows === 'object' && rows.has(row))) return;
    if (rows === undefined) this.#rows.set(key, row);
    else if (typeof rows === 'number') this.#rows.set(key, new Set([rows, row]));
    else rows.add(row);
    this.#size += 1;
  }

  remove(key: number, row: number): void {
    const rows = this.#rows.get(key);
    const isFound = rows === row || (typeof rows === 'object' && rows.delete(row));
    if (!isFound) return;
    this.#size -= 1;
    if (typeof rows !== 'object' || rows.size === 0) this.#rows.delete(key);
  }

  count(_from: Probe, _to: Probe, exact: number | undefined): number {
    if (exact === undefined) return this.#size;
    const rows = this.#rows.get(exact);
    return typeof rows === 'number' ? 1 : (rows?.size ?? 0);
  }

  forEach(_from: Probe, _to: Probe, exact: number | undefined, visit: (row: number) => void): void {
    const lists = exact === undefined ? this.#rows.values() : [this.#rows.get(exact) ?? []];
    for (const rows of lists) {
      if (typeof rows === 'number') visit(rows);
      else for (const row of rows) visit(row);
    }
  }

  walk(): never {
    return hasNoOrder();
  }

  sizeBytes(): number {
    return this.#rows.size * 60 + this.#size * 24;
  }
}
