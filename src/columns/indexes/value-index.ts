// An index over the values at one path: range, hash or key. It returns candidate rows; rows that
// are no longer visible may be among them, so the caller checks the rows again.

import type { Bounds, IndexWalk, SourceIndex, UnkeyedKind } from '../../value/column-data.ts';
import { CHUNK_BITS, CHUNK_MASK, CHUNK_ROWS } from '../../value/column-data.ts';
import type { Order } from '../../value/merge-sort.ts';
import type { IndexKind } from '../../value/region-words.ts';
import { compareIds, compareIdTo } from '../../value/utf8-order.ts';
import { EntryList } from './entry-list.ts';
import { KeyExceptions, type Keys, SortedKeys } from './index-keys.ts';
import {
  type IndexedKind,
  type IndexSource,
  keyAt,
  kindAt,
  visitValues,
} from './indexed-values.ts';
import { RowSet } from './row-set.ts';
import { byNumber, type Probe } from './sorted-blocks.ts';

/** No row has this text, not even one that is no longer visible. */
const NO_TEXT = -1;
const encoder = new TextEncoder();

/** Rows between two yield points, for computed values. */
const COMPUTED_ROWS = 64;

/**
 * One of the kind `key` stores only rows whose value is not their key; all others are found by their
 * keys.
 */
export class ValueIndex implements SourceIndex {
  readonly kind: IndexKind;
  readonly #source: IndexSource;
  readonly #numbers: Keys;
  readonly #strings: Keys;
  readonly #unkeyed: Readonly<Record<UnkeyedKind, RowSet>> = {
    missing: new RowSet(),
    null: new RowSet(),
    true: new RowSet(),
    false: new RowSet(),
    composite: new RowSet(),
    other: new RowSet(),
  };

  /** The old value of the row being overwritten. */
  readonly #old: { kind: IndexedKind; key: number } = { kind: 'missing', key: 0 };

  constructor(kind: IndexKind, source: IndexSource) {
    this.kind = kind;
    this.#source = source;
    const { strings } = source.column;
    const byText: Order = (left, right) =>
      left === right ? 0 : compareIds(strings, left, strings, right);
    this.#numbers = this.#createKeys(byNumber, String);
    // A hash index finds single texts only, for which any order will do.
    this.#strings = this.#createKeys(kind === 'range' ? byText : byNumber, (id) =>
      strings.text(id),
    );
  }

  #createKeys(order: Order, print: (key: number) => string): Keys {
    const { keyOf } = this.#source;
    const isKey = this.kind === 'key' && keyOf !== undefined;
    return isKey ? new KeyExceptions(print, keyOf) : new SortedKeys(order);
  }

  /** Adds rows [0, size), yielding between steps. */
  *build(size: number): Generator<void> {
    const pace = this.#source.derived !== undefined ? COMPUTED_ROWS : CHUNK_ROWS;
    const numbers = new EntryList();
    const strings = new EntryList();
    for (let row = 0; row < size; row += 1) {
      this.#source.derived?.derive(row);
      visitValues(this.#source, row, (kind, key) => {
        if (kind === 'number') numbers.push(key, row);
        else if (kind === 'string') strings.push(key, row);
        else this.#unkeyed[kind].add(row);
      });
      if (row % pace === pace - 1) yield;
    }
    yield* this.#numbers.load(numbers);
    yield* this.#strings.load(strings);
  }

  /** Changes that a reader would have to merge first. */
  get pending(): number {
    return this.#numbers.pending + this.#strings.pending;
  }

  /** Merges them, yielding between steps; a reader merges the rest at once. */
  *mergePending(): Generator<void> {
    yield* this.#numbers.mergePending();
    yield* this.#strings.mergePending();
  }

  /** Call it after the row's values were written. */
  add(row: number): void {
    this.#source.derived?.derive(row);
    visitValues(this.#source, row, (kind, key) => this.#insert(kind, key, row));
  }

  /** Call it before the row's values are overwritten or dropped. */
  remove(row: number): void {
    visitValues(this.#source, row, (kind, key) => this.#remove(kind, key, row));
  }

  /** Call it before the row's values are overwritten, and `endOverwrite` after it. */
  beginOverwrite(row: number): void {
    if (this.#source.lists.length > 0) {
      this.remove(row);
      return;
    }
    const values = this.#source.column.chunks[row >> CHUNK_BITS];
    const index = row & CHUNK_MASK;
    this.#old.kind = kindAt(values, index);
    this.#old.key = keyAt(values, index, this.#old.kind);
  }

  /** Most writes leave most members unchanged; then there is nothing to do. */
  endOverwrite(row: number): void {
    if (this.#source.lists.length > 0) {
      this.add(row);
      return;
    }
    this.#source.derived?.derive(row);
    const { kind: oldKind, key: oldKey } = this.#old;
    const values = this.#source.column.chunks[row >> CHUNK_BITS];
    const kind = kindAt(values, row & CHUNK_MASK);
    const key = keyAt(values, row & CHUNK_MASK, kind);
    if (kind === oldKind && key === oldKey) return;
    this.#remove(oldKind, oldKey, row);
    this.#insert(kind, key, row);
  }

  #insert(kind: IndexedKind, key: number, row: number): void {
    if (kind === 'number') this.#numbers.insert(key, row);
    else if (kind === 'string') this.#strings.insert(key, row);
    else this.#unkeyed[kind].add(row);
  }

  #remove(kind: IndexedKind, key: number, row: number): void {
    if (kind === 'number') this.#numbers.remove(key, row);
    else if (kind === 'string') this.#strings.remove(key, row);
    else this.#unkeyed[kind].delete(row);
  }

  countUnkeyed(kind: UnkeyedKind): number {
    return this.#unkeyed[kind].size;
  }

  forEachUnkeyed(kind: UnkeyedKind, visit: (row: number) => void): void {
    this.#unkeyed[kind].forEach(visit);
  }

  countNumbers(bounds: Bounds<number>): number {
    const exact = exactKey(bounds);
    return this.#numbers.count(...this.#numberProbes(bounds, exact), exact);
  }

  forEachNumber(bounds: Bounds<number>, visit: (row: number) => void): void {
    const exact = exactKey(bounds);
    this.#numbers.forEach(...this.#numberProbes(bounds, exact), exact, visit);
  }

  countStrings(bounds: Bounds<string>): number {
    const exact = this.#exactString(bounds);
    return exact === NO_TEXT ? 0 : this.#strings.count(...this.#stringProbes(bounds, exact), exact);
  }

  forEachString(bounds: Bounds<string>, visit: (row: number) => void): void {
    const exact = this.#exactString(bounds);
    if (exact === NO_TEXT) return;
    this.#strings.forEach(...this.#stringProbes(bounds, exact), exact, visit);
  }

  /** The rows in the order of numbers; only a range index has an order. */
  walkNumbers(bounds: Bounds<number>, walk: IndexWalk): Generator<Uint32Array> {
    return this.#inOrder(this.#numbers).walk(...this.#numberProbes(bounds), walk);
  }

  walkStrings(bounds: Bounds<string>, walk: IndexWalk): Generator<Uint32Array> {
    return this.#inOrder(this.#strings).walk(...this.#stringProbes(bounds), walk);
  }

  #inOrder(keys: Keys): SortedKeys {
    if (this.kind === 'range' && keys instanceof SortedKeys) return keys;
    throw new Error('only a range index can be walked in order');
  }

  sizeBytes(): number {
    const unkeyed = Object.values(this.#unkeyed).reduce((sum, rows) => sum + rows.sizeBytes(), 0);
    const ownBytes = this.#source.derived?.column.sizeBytes() ?? 0;
    return this.#numbers.sizeBytes() + this.#strings.sizeBytes() + unkeyed + ownBytes;
  }

  /** Number of texts that only this index has, including those of removed values. */
  ownTexts(): number {
    return this.#source.derived?.column.strings.size ?? 0;
  }

  #exactString(bounds: Bounds<string>): number | undefined {
    const key = exactKey(bounds);
    return key === undefined ? undefined : (this.#source.column.strings.findText(key) ?? NO_TEXT);
  }

  /** Only ranges of sorted keys are found by probing. */
  #numberProbes(bounds: Bounds<number>, exact?: number): [Probe, Probe] {
    return this.kind === 'range' && exact === undefined ? numberProbes(bounds) : EVERYTHING;
  }

  #stringProbes({ low, high }: Bounds<string>, exact?: number): [Probe, Probe] {
    if (this.kind !== 'range' || exact !== undefined) return EVERYTHING;
    const { strings } = this.#source.column;
    const orderTo = (text: string): Probe => {
      const bytes = encoder.encode(text);
      return (id) => compareIdTo(strings, id, bytes);
    };
    return [
      low === undefined ? ALL_FROM : fromProbe(orderTo(low.key), low.inclusive),
      high === undefined ? ALL_TO : toProbe(orderTo(high.key), high.inclusive),
    ];
  }
}

const ALL_FROM: Probe = () => 1;
const ALL_TO: Probe = () => -1;
const EVERYTHING: [Probe, Probe] = [ALL_FROM, ALL_TO];

/** An excluded bound counts as lying outside. */
function fromProbe(order: Probe, inclusive: boolean): Probe {
  return inclusive ? order : (key) => order(key) || -1;
}

function toProbe(order: Probe, inclusive: boolean): Probe {
  return inclusive ? order : (key) => order(key) || 1;
}

function numberProbes({ low, high }: Bounds<number>): [Probe, Probe] {
  return [
    low === undefined ? ALL_FROM : fromProbe((key) => key - low.key, low.inclusive),
    high === undefined ? ALL_TO : toProbe((key) => key - high.key, high.inclusive),
  ];
}

/** The key, if the bounds admit only one. */
function exactKey<Key>({ low, high }: Bounds<Key>): Key | undefined {
  if (low === undefined || high === undefined || low.key !== high.key) return undefined;
  return low.inclusive && high.inclusive ? low.key : undefined;
}
