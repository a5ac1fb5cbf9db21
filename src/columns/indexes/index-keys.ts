// The data structures of an index: sorted keys, or only the exceptions if the value is the row's own
// key.

import type { IndexWalk } from '../../value/column-data.ts';
import { CHUNK_ROWS } from '../../value/column-data.ts';
import { mergeSort, type Order, type SortSteps } from '../../value/merge-sort.ts';
import { EntryChanges } from './entry-changes.ts';
import type { EntryList } from './entry-list.ts';
import { RowSet } from './row-set.ts';
import { sortNumbers } from './sort-numbers.ts';
import { byNumber, type Probe, SortedBlocks } from './sorted-blocks.ts';

/** A string may take a microsecond to compare; in a merge each is compared once. */
const SORT_STEPS: SortSteps = { sortedPerStep: 512, mergedPerStep: 2048 };

/** Keys with their rows, in one of these structures. */
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
    yield* this.#blocks.load(entries, yield* this.#sort(entries));
  }

  /** Rows are added in ascending order, which both sorts preserve. */
  *#sort(entries: EntryList): Generator<void, Uint32Array> {
    if (this.#order === byNumber) return yield* sortNumbers(entries);
    const keys = yield* entries.copyKeys();
    const order: Order = (left, right) => this.#order(keys[left] ?? 0, keys[right] ?? 0);
    return yield* mergeSort(keys.length, order, SORT_STEPS);
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

/**
 * The contents of a key index: the rows whose value is not their key. They are candidates for every
 * key.
 */
export class KeyExceptions implements Keys {
  /** Every change is applied at once. */
  readonly pending: number = 0;
  readonly #print: (key: number) => string;
  readonly #keyOf: (row: number) => string;
  readonly #rows = new RowSet();
  #size = 0;

  constructor(print: (key: number) => string, keyOf: (row: number) => string) {
    this.#print = print;
    this.#keyOf = keyOf;
  }

  *mergePending(): Generator<void> {}

  *load(entries: EntryList): Generator<void> {
    for (let at = 0; at < entries.size; at += 1) {
      this.insert(entries.keyAt(at), entries.rowAt(at));
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
    this.#rows.forEach(visit);
  }

  sizeBytes(): number {
    return this.#rows.sizeBytes();
  }
}
