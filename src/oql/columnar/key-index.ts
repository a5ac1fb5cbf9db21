// The keys of a region as an index. The rows of a table are in key order, except for the delta, so
// binary search finds a key or a range of keys, and no structure is built.

import type { Bounds, IndexWalk, SourceIndex } from '../../value/column-data.ts';
import type { IndexFacts, SourceTable } from './column-source.ts';
import type { VectorShape } from './shape.ts';

/** No user-defined index can have this name. Its path is that of a key: empty. */
export const KEY_INDEX: IndexFacts = { name: 'the key', kind: 'range', path: [] };

const ROWS_PER_BATCH = 32;

/** The indexes of each table, with the key index if the query refers to the key. */
export function withKeyIndex(
  { requests, columns, iterators }: VectorShape,
  indexes: readonly (readonly IndexFacts[])[],
): readonly (readonly IndexFacts[])[] {
  const keyed = new Set<number>();
  for (const { path, iterator } of columns) {
    if (path.length === 0) keyed.add(iterators[iterator]?.table ?? -1);
  }
  if (keyed.size === 0) return indexes;
  return requests.map((_, table) => {
    const own = indexes[table] ?? [];
    return keyed.has(table) ? [...own, KEY_INDEX] : own;
  });
}

/** An index of a table by its name, be it the key or one that was defined. */
export function openTableIndex(table: SourceTable, name: string): SourceIndex | undefined {
  return name === KEY_INDEX.name ? new KeyIndex(table) : table.index(name);
}

/** Rows `[from, to)`: row numbers of sorted rows, or positions in the delta. */
interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** Every key is a text, so other kinds have no rows. */
class KeyIndex implements SourceIndex {
  readonly #table: SourceTable;

  constructor(table: SourceTable) {
    this.#table = table;
  }

  countNumbers(): number {
    return 0;
  }

  forEachNumber(): void {}

  *walkNumbers(): Generator<Uint32Array> {}

  countUnkeyed(): number {
    return 0;
  }

  forEachUnkeyed(): void {}

  countStrings(bounds: Bounds<string>): number {
    const key = onlyKey(bounds);
    if (key !== undefined) return this.#find(key) === undefined ? 0 : 1;
    const sorted = this.#sorted(bounds);
    const delta = this.#delta(this.#table.deltaRows().rows, bounds);
    return sorted.to - sorted.from + (delta.to - delta.from);
  }

  forEachString(bounds: Bounds<string>, visit: (row: number) => void): void {
    const key = onlyKey(bounds);
    if (key !== undefined) {
      const row = this.#find(key);
      if (row !== undefined) visit(row);
      return;
    }
    for (const row of this.#rowsUp(bounds)) visit(row);
  }

  /** A key has one visible row, so one batch may have several ascending keys. */
  *walkStrings(bounds: Bounds<string>, { direction }: IndexWalk): Generator<Uint32Array> {
    const isUp = direction === 'up';
    let batch: number[] = [];
    for (const row of isUp ? this.#rowsUp(bounds) : this.#rowsDown(bounds)) {
      batch.push(row);
      if (isUp && batch.length < ROWS_PER_BATCH) continue;
      yield Uint32Array.from(batch);
      batch = [];
    }
    yield Uint32Array.from(batch);
  }

  /** A text that is not well-formed is no key, but may equal one after encoding. */
  #find(key: string): number | undefined {
    return key.isWellFormed() ? this.#table.findKey(key) : undefined;
  }

  *#rowsUp(bounds: Bounds<string>): Generator<number> {
    const { rows, before } = this.#table.deltaRows();
    const sorted = this.#sorted(bounds);
    const delta = this.#delta(rows, bounds);
    for (let next = sorted.from, at = delta.from; next < sorted.to || at < delta.to; ) {
      const isDelta = at < delta.to && (next === sorted.to || (before[at] ?? 0) <= next);
      yield isDelta ? (rows[at++] ?? 0) : next++;
    }
  }

  *#rowsDown(bounds: Bounds<string>): Generator<number> {
    const { rows, before } = this.#table.deltaRows();
    const sorted = this.#sorted(bounds);
    const delta = this.#delta(rows, bounds);
    for (let next = sorted.to, at = delta.to; next > sorted.from || at > delta.from; ) {
      const isDelta = at > delta.from && (next === sorted.from || (before[at - 1] ?? 0) >= next);
      yield isDelta ? (rows[--at] ?? 0) : --next;
    }
  }

  #sorted(bounds: Bounds<string>): RowRange {
    return findSpan(this.#table.sortedSize, bounds, (row) => this.#table.keyOf(row));
  }

  #delta(rows: Uint32Array, bounds: Bounds<string>): RowRange {
    return findSpan(rows.length, bounds, (at) => this.#table.keyOf(rows[at] ?? 0));
  }
}

/** The one key within bounds that have the same key at both ends. */
function onlyKey({ low, high }: Bounds<string>): string | undefined {
  const isOne = low !== undefined && low.key === high?.key && low.inclusive && high.inclusive;
  return isOne ? low.key : undefined;
}

/** The span of the keys within bounds among `size` ascending keys. */
function findSpan(
  size: number,
  { low, high }: Bounds<string>,
  keyAt: (at: number) => string,
): RowRange {
  const from = low && findFirst(size, (at) => isAbove(keyAt(at), low.key, low.inclusive));
  const to = high && findFirst(size, (at) => isAbove(keyAt(at), high.key, !high.inclusive));
  return { from: from ?? 0, to: Math.max(from ?? 0, to ?? size) };
}

function isAbove(key: string, bound: string, orEqual: boolean): boolean {
  return orEqual ? key >= bound : key > bound;
}

/** Binary search: the first position for which the test is true, and stays true after it. */
function findFirst(size: number, isTrue: (at: number) => boolean): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isTrue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
