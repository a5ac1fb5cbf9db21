// The data structures of an index: sorted, hashed, or only the exceptions if the value is the row's
// own key.

import type { IndexWalk } from '../../value/column-data.ts';
import { CHUNK_ROWS } from '../../value/column-data.ts';
import type { Order } from '../../value/merge-sort.ts';
import { EntryChanges } from './entry-changes.ts';
import { type EntryList, sortEntries } from './entry-list.ts';
import { type Probe, SortedBlocks } from './sorted-blocks.ts';

/** Keys with their rows, in any of these structures. */
export interface Keys {
  /** Changes that the next reader would have to merge. */
  readonly pending: number;
  /**
   * Merges them, yielding between steps; a reader that comes meanwhile merges the rest. Later
   * changes stay pending, because fast writers would keep it from ending.
   */
  mergePending(): Generator<void>;
  load(entries: EntryList): Generator<void>;
  insert(key: number, row: number): void;
  remove(key: number, row: number): void;
  /** `exact` is the only key between the probes, which are then not needed. */
  count(from: Probe, to: Probe, exact: number | undefined): number;
  forEach(from: Probe, to: Probe, exact: number | undefined, visit: (row: number) => void): void;
  walk(from: Probe, to: Probe, walk: IndexWalk): Generator<Uint32Array>;
  sizeBytes(): number;
}

/** The changes being merged. */
interface Merging {
  readonly changes: EntryChanges;
  readonly steps: Generator<void>;
}

/** Changes stay pending until the next read, because most writes are not followed by one. */
export class SortedKeys implements Keys {
  readonly #blocks: SortedBlocks;
  readonly #order: Order;
  #changes: EntryChanges | undefined;
  #merging: Merging | undefined;

  constructor(order: Order) {
    this.#order = order;
    this.#blocks = new SortedBlocks(order);
  }

  get pending(): number {
    return (this.#changes?.size ?? 0) + (this.#merging?.changes.size ?? 0);
  }

  *mergePending(): Generator<void> {
    yield* this.#finishMerging();
    const changes = this.#changes;
    if (changes === undefined) return;
    this.#changes = undefined;
    this.#merging = { changes, steps: changes.applyTo(this.#blocks) };
    yield* this.#finishMerging();
  }

  *#finishMerging(): Generator<void> {
    while (this.#merging !== undefined) {
      if (this.#merging.steps.next().done === true) this.#merging = undefined;
      else yield;
    }
  }

  /** The blocks with all changes merged. */
  #read(): SortedBlocks {
    if (this.pending > 0) for (const _ of this.mergePending());
    return this.#blocks;
  }

  #take(): EntryChanges {
    this.#changes ??= new EntryChanges();
    return this.#changes;
  }

  *load(entries: EntryList): Generator<void> {
    const { keys: unsorted, size } = entries;
    const order = yield* sortEntries(size, (a, b) =>
      // Rows are added in ascending order, which a stable sort preserves.
      this.#order(unsorted[a] ?? 0, unsorted[b] ?? 0),
    );
    const keys = new Float64Array(order.length);
    const rows = new Uint32Array(order.length);
    for (let at = 0; at < order.length; at += 1) {
      const index = order[at] ?? 0;
      keys[at] = unsorted[index] ?? 0;
      rows[at] = entries.rows[index] ?? 0;
      if (at % CHUNK_ROWS === CHUNK_ROWS - 1) yield;
    }
    yield* this.#blocks.load(keys, rows);
  }

  insert(key: number, row: number): void {
    this.#take().insert(key, row);
  }

  remove(key: number, row: number): void {
    this.#take().remove(key, row);
  }

  count(from: Probe, to: Probe, exact: number | undefined): number {
    const blocks = this.#read();
    return exact === undefined ? blocks.count(from, to) : blocks.countKey(exact);
  }

  forEach(from: Probe, to: Probe, exact: number | undefined, visit: (row: number) => void): void {
    const blocks = this.#read();
    if (exact === undefined) blocks.forEach(from, to, visit);
    else blocks.forEachOfKey(exact, visit);
  }

  walk(from: Probe, to: Probe, walk: IndexWalk): Generator<Uint32Array> {
    return this.#read().walk(from, to, walk);
  }

  sizeBytes(): number {
    const merging = this.#merging?.changes.sizeBytes() ?? 0;
    return this.#blocks.sizeBytes() + (this.#changes?.sizeBytes() ?? 0) + merging;
  }
}

/** Keys without an order, which apply every change at once. */
abstract class UnorderedKeys {
  readonly pending: number = 0;

  *mergePending(): Generator<void> {}

  *load({ keys, rows, size }: EntryList): Generator<void> {
    for (let at = 0; at < size; at += 1) {
      this.insert(keys[at] ?? 0, rows[at] ?? 0);
      if (at % CHUNK_ROWS === CHUNK_ROWS - 1) yield;
    }
  }

  abstract insert(key: number, row: number): void;

  walk(): never {
    throw new Error('only a range index can be walked in order');
  }
}

/**
 * The contents of a key index: the rows whose value is not their key. They are candidates for every
 * key.
 */
export class KeyExceptions extends UnorderedKeys implements Keys {
  readonly #print: (key: number) => string;
  readonly #keyOf: (row: number) => string;
  readonly #rows = new Set<number>();
  #size = 0;

  constructor(print: (key: number) => string, keyOf: (row: number) => string) {
    super();
    this.#print = print;
    this.#keyOf = keyOf;
  }

  insert(key: number, row: number): void {
    this.#size += 1;
    if (this.#print(key) !== this.#keyOf(row)) this.#rows.add(row);
  }

  remove(_key: number, row: number): void {
    this.#size -= 1;
    this.#rows.delete(row);
  }

  /** Besides the exceptions, one row may have the value as its key. */
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

  sizeBytes(): number {
    return this.#rows.size * 40;
  }
}

/**
 * Finds single keys; for a range it returns every row as a candidate. A key with one row stores
 * just that row.
 */
export class HashedKeys extends UnorderedKeys implements Keys {
  readonly #rows = new Map<number, number | Set<number>>();
  #size = 0;

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

  sizeBytes(): number {
    return this.#rows.size * 60 + this.#size * 24;
  }
}
