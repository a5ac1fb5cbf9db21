// An index over the values at one path, range or hash. It answers with rows that may hold what is
// sought; rows no longer visible may be among them, so whoever asks looks at the rows again.

import { CHUNK_ROWS } from './column.ts';
import { type IndexedKind, type IndexSource, visitValues } from './indexed-values.ts';
import { type Probe, SortedBlocks } from './sorted-blocks.ts';
import { compareUtf8 } from './utf8-order.ts';

export type ValueIndexKind = 'range' | 'hash';

/** Bounds of a range; a bound that is absent is open. */
export interface Bounds<Key> {
  readonly low?: { readonly key: Key; readonly inclusive: boolean } | undefined;
  readonly high?: { readonly key: Key; readonly inclusive: boolean } | undefined;
}

type KindApart = Exclude<IndexedKind, 'number' | 'string'>;

export class ValueIndex {
  readonly kind: ValueIndexKind;
  readonly #source: IndexSource;
  readonly #numbers: Keys;
  readonly #strings: Keys;
  readonly #apart: Readonly<Record<KindApart, Set<number>>> = {
    missing: new Set(),
    null: new Set(),
    boolean: new Set(),
    composite: new Set(),
    odd: new Set(),
  };

  constructor(kind: ValueIndexKind, source: IndexSource) {
    this.kind = kind;
    this.#source = source;
    const { strings } = source.column;
    const orderIds = (left: number, right: number): number =>
      left === right
        ? 0
        : compareUtf8(
            strings.bytes,
            strings.start(left),
            strings.ends[left] ?? 0,
            strings.bytes,
            strings.start(right),
            strings.ends[right] ?? 0,
          );
    this.#numbers = kind === 'range' ? new SortedKeys((a, b) => a - b) : new HashedKeys();
    this.#strings = kind === 'range' ? new SortedKeys(orderIds) : new HashedKeys();
  }

  /** Takes in rows [0, size), yielding now and then so that others may run. */
  *build(size: number): Generator<void> {
    const numbers = new EntryList();
    const strings = new EntryList();
    for (let row = 0; row < size; row += 1) {
      visitValues(this.#source, row, (kind, key) => {
        if (kind === 'number') numbers.push(key, row);
        else if (kind === 'string') strings.push(key, row);
        else this.#apart[kind].add(row);
      });
      if (row % CHUNK_ROWS === CHUNK_ROWS - 1) yield;
    }
    yield* this.#numbers.load(numbers);
    yield* this.#strings.load(strings);
  }

  /** The row's values were just written. */
  add(row: number): void {
    visitValues(this.#source, row, (kind, key) => {
      if (kind === 'number') this.#numbers.insert(key, row);
      else if (kind === 'string') this.#strings.insert(key, row);
      else this.#apart[kind].add(row);
    });
  }

  /** The row's values are about to be overwritten, or nobody will look at them again. */
  remove(row: number): void {
    visitValues(this.#source, row, (kind, key) => {
      if (kind === 'number') this.#numbers.remove(key, row);
      else if (kind === 'string') this.#strings.remove(key, row);
      else this.#apart[kind].delete(row);
    });
  }

  countApart(kind: KindApart): number {
    return this.#apart[kind].size;
  }

  forEachApart(kind: KindApart, visit: (row: number) => void): void {
    for (const row of this.#apart[kind]) visit(row);
  }

  countNumbers(bounds: Bounds<number>): number {
    return this.#numbers.count(...numberProbes(bounds), exactNumber(bounds));
  }

  forEachNumber(bounds: Bounds<number>, visit: (row: number) => void): void {
    this.#numbers.forEach(...numberProbes(bounds), exactNumber(bounds), visit);
  }

  countStrings(bounds: Bounds<string>): number {
    return this.#strings.count(...this.#stringProbes(bounds), this.#exactString(bounds));
  }

  forEachString(bounds: Bounds<string>, visit: (row: number) => void): void {
    this.#strings.forEach(...this.#stringProbes(bounds), this.#exactString(bounds), visit);
  }

  sizeBytes(): number {
    const apart = Object.values(this.#apart).reduce((sum, rows) => sum + rows.size, 0);
    return this.#numbers.sizeBytes() + this.#strings.sizeBytes() + apart * 40;
  }

  #exactString(bounds: Bounds<string>): number | undefined {
    const key = exactKey(bounds);
    return key === undefined ? undefined : (this.#source.column.strings.findText(key) ?? -1);
  }

  #stringProbes({ low, high }: Bounds<string>): [Probe, Probe] {
    const { strings } = this.#source.column;
    const encoder = new TextEncoder();
    const orderTo = (text: string): Probe => {
      const bytes = encoder.encode(text);
      return (id) =>
        compareUtf8(
          strings.bytes,
          strings.start(id),
          strings.ends[id] ?? 0,
          bytes,
          0,
          bytes.length,
        );
    };
    return [
      low === undefined ? ALL_FROM : fromProbe(orderTo(low.key), low.inclusive),
      high === undefined ? ALL_TO : toProbe(orderTo(high.key), high.inclusive),
    ];
  }
}

const ALL_FROM: Probe = () => 1;
const ALL_TO: Probe = () => -1;

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

/** The key, where the bounds admit only one. */
function exactKey<Key>({ low, high }: Bounds<Key>): Key | undefined {
  if (low === undefined || high === undefined || low.key !== high.key) return undefined;
  return low.inclusive && high.inclusive ? low.key : undefined;
}

function exactNumber(bounds: Bounds<number>): number | undefined {
  return exactKey(bounds);
}

/** Keys with their rows, in either organisation. */
interface Keys {
  load(entries: EntryList): Generator<void>;
  insert(key: number, row: number): void;
  remove(key: number, row: number): void;
  count(from: Probe, to: Probe, exact: number | undefined): number;
  forEach(from: Probe, to: Probe, exact: number | undefined, visit: (row: number) => void): void;
  sizeBytes(): number;
}

class SortedKeys implements Keys {
  readonly #blocks: SortedBlocks;
  readonly #order: (left: number, right: number) => number;

  constructor(order: (left: number, right: number) => number) {
    this.#order = order;
    this.#blocks = new SortedBlocks(order);
  }

  *load(entries: EntryList): Generator<void> {
    const order = yield* sortEntries(entries, this.#order);
    this.#blocks.load(
      Float64Array.from(order, (place) => entries.keys[place] ?? 0),
      Uint32Array.from(order, (place) => entries.rows[place] ?? 0),
    );
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

  sizeBytes(): number {
    return this.#blocks.sizeBytes();
  }
}

/** Serves single keys; for a range it offers every row. A key of one row keeps just that row. */
class HashedKeys implements Keys {
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

  sizeBytes(): number {
    return this.#rows.size * 60 + this.#size * 24;
  }
}

/** Entries in the order they were met. */
class EntryList {
  keys: Float64Array = new Float64Array(1024);
  rows: Uint32Array = new Uint32Array(1024);
  size = 0;

  push(key: number, row: number): void {
    if (this.size === this.keys.length) {
      const keys = new Float64Array(this.size * 2);
      keys.set(this.keys);
      this.keys = keys;
      const rows = new Uint32Array(this.size * 2);
      rows.set(this.rows);
      this.rows = rows;
    }
    this.keys[this.size] = key;
    this.rows[this.size] = row;
    this.size += 1;
  }
}

/** Places of the entries in order of key; rows come ascending, and a stable sort keeps them so. */
function* sortEntries(
  { keys, size }: EntryList,
  order: (left: number, right: number) => number,
): Generator<void, Uint32Array> {
  let places = new Uint32Array(size);
  for (let start = 0; start < size; start += CHUNK_ROWS) {
    const some = Array.from({ length: Math.min(CHUNK_ROWS, size - start) }, (_, at) => start + at);
    places.set(
      some.sort((a, b) => order(keys[a] ?? 0, keys[b] ?? 0)),
      start,
    );
    yield;
  }
  for (let width = CHUNK_ROWS; width < size; width *= 2) {
    const merged = new Uint32Array(size);
    for (let start = 0; start < size; start += width * 2) {
      const run = { start, width, size };
      yield* mergeRuns(places, merged, run, (a, b) => order(keys[a] ?? 0, keys[b] ?? 0));
    }
    places = merged;
  }
  return places;
}

function* mergeRuns(
  source: Uint32Array,
  target: Uint32Array,
  run: { readonly start: number; readonly width: number; readonly size: number },
  order: (left: number, right: number) => number,
): Generator<void> {
  const middle = Math.min(run.start + run.width, run.size);
  const end = Math.min(middle + run.width, run.size);
  let left = run.start;
  let right = middle;
  for (let at = run.start; at < end; at += 1) {
    const takesLeft =
      right === end || (left < middle && order(source[left] ?? 0, source[right] ?? 0) <= 0);
    target[at] = source[takesLeft ? left : right] ?? 0;
    if (takesLeft) left += 1;
    else right += 1;
    if (at % CHUNK_ROWS === CHUNK_ROWS - 1) yield;
  }
}
