// One region in memory: its rows, and the columns that queries requested. While queries hold a pin,
// a change does not modify rows that they see: an update adds a row and ends the old one. Without
// pins rows are overwritten in place, so that steady writes leave no garbage.

import { CHUNK_ROWS } from '../value/column-data.ts';
import { type ColumnPath, collectionPath, pathKey } from '../value/column-path.ts';
import { Column } from './column.ts';
import type { ValueIndex } from './indexes/value-index.ts';
import { ItemLists } from './item-lists.ts';
import { joinUnits, type PartSplit, unitOf } from './part-split.ts';
import { PathSummary } from './path-summary.ts';
import { RowDirectory } from './row-directory.ts';
import { type EncodedValue, RowWriter } from './row-writer.ts';
import { WrittenParts } from './written-parts.ts';

/** A change as the engine reports it, without the region. */
export type TableChange =
  | { readonly kind: 'put'; readonly key: string; readonly value: string }
  | { readonly kind: 'remove' | 'expire'; readonly key: string };

interface TablePart<Part> {
  readonly path: ColumnPath;
  readonly part: Part;
  /** Increases with each use; the lowest is evicted first. */
  lastUse: number;
}

export interface DroppablePart {
  readonly kind: 'column' | 'lists';
  readonly key: string;
  readonly path: ColumnPath;
  readonly lastUse: number;
  /** Including the indexes that are dropped with it. */
  readonly sizeBytes: number;
}

interface TableIndex {
  /** The columns it is derived from; it is dropped with the first of them. */
  readonly paths: readonly ColumnPath[];
  readonly index: ValueIndex;
}

/** First byte of `null`; no other JSON value begins with it. */
const LOWER_N = 0x6e;
/** Less garbage is not worth a rebuild. */
const MUCH_GARBAGE = 1 << 16;

export class RegionTable {
  readonly rows: RowDirectory = new RowDirectory();
  /** True once the rows are loaded; before, changes are queued. */
  loaded = false;
  /** Queries that may still read. */
  pins = 0;
  /** The last commit that changed a row. */
  lastChange = 0;
  #summary: PathSummary | undefined;
  readonly #columns = new Map<string, TablePart<Column>>();
  readonly #lists = new Map<string, TablePart<ItemLists>>();
  readonly #indexes = new Map<string, TableIndex>();
  /** The values of `#indexes`, for loops. */
  #indexList: readonly ValueIndex[] = [];
  /** Undefined after parts were added or dropped. */
  #allParts: WrittenParts | undefined;

  /** Which paths occur in the region; undefined until it is needed. */
  get summary(): PathSummary | undefined {
    return this.#summary;
  }

  /**
   * From now on changes add their paths to a summary. It is complete once the caller has scanned
   * all existing rows into it.
   */
  beginSummary(): PathSummary {
    this.#summary = new PathSummary();
    this.#allParts = undefined;
    return this.#summary;
  }

  dropSummary(): void {
    this.#summary = undefined;
    this.#allParts = undefined;
  }

  /** Entries at `sequence`, which must not be below that of the first query. */
  countEntries(sequence: number): number {
    const { deadRows, size } = this.rows;
    return this.lastChange <= sequence ? size - deadRows : this.rows.countAlive(sequence);
  }

  /** Columns, lists and indexes. */
  partCount(): number {
    return this.#columns.size + this.#lists.size + this.#indexes.size;
  }

  column(path: ColumnPath): Column | undefined {
    return this.#columns.get(pathKey(path))?.part;
  }

  lists(path: ColumnPath): ItemLists | undefined {
    return this.#lists.get(pathKey(path))?.part;
  }

  index(name: string): ValueIndex | undefined {
    return this.#indexes.get(name)?.index;
  }

  /** From now on every change updates the index. */
  setIndex(name: string, paths: readonly ColumnPath[], index: ValueIndex): void {
    this.#indexes.set(name, { paths, index });
    this.#listIndexes();
  }

  #listIndexes(): void {
    this.#indexList = [...this.#indexes.values()].map(({ index }) => index);
    this.#allParts = undefined;
  }

  /** Marks paths as just used. */
  touch(paths: readonly ColumnPath[], use: number): void {
    for (const path of paths) {
      for (let at: ColumnPath | undefined = path; at !== undefined; at = collectionPath(at)) {
        const column = this.#columns.get(pathKey(at));
        if (column !== undefined) column.lastUse = use;
        const lists = this.#lists.get(pathKey(at));
        if (lists !== undefined) lists.lastUse = use;
      }
    }
  }

  /** Adds empty columns; from now on changes fill them, and the builder fills older rows. */
  addParts(
    columns: readonly ColumnPath[],
    lists: readonly ColumnPath[],
    use: number,
  ): { readonly columns: [ColumnPath, Column][]; readonly lists: [ColumnPath, ItemLists][] } {
    const added = {
      columns: columns.map((path): [ColumnPath, Column] => [path, new Column()]),
      lists: lists.map((path): [ColumnPath, ItemLists] => [path, new ItemLists()]),
    };
    for (const [path, part] of added.columns) {
      this.#columns.set(pathKey(path), { path, part, lastUse: use });
    }
    for (const [path, part] of added.lists) {
      this.#lists.set(pathKey(path), { path, part, lastUse: use });
    }
    this.#allParts = undefined;
    return added;
  }

  /**
   * Drops parts in one pass over all parts. Lists are dropped with the columns of their items,
   * because refilled lists would number the items differently. Queries keep their references to
   * dropped parts, which no longer change.
   */
  drop(columns: readonly ColumnPath[], lists: readonly ColumnPath[]): void {
    for (const path of columns) this.#columns.delete(pathKey(path));
    for (const path of lists) this.#lists.delete(pathKey(path));
    if (lists.length > 0) this.#dropOrphans();
    for (const [name, { paths }] of this.#indexes) {
      // An index without its columns cannot be updated.
      if (!paths.every((path) => this.#columns.has(pathKey(path)))) this.#indexes.delete(name);
    }
    this.#listIndexes();
  }

  /** Drops parts of collections whose lists were dropped. */
  #dropOrphans(): void {
    const isOrphan = ({ path }: { readonly path: ColumnPath }): boolean => {
      const collection = collectionPath(path);
      return collection !== undefined && !this.#lists.has(pathKey(collection));
    };
    // Outer lists first, so that inner ones are known as orphans.
    const lists = [...this.#lists].sort(([, a], [, b]) => a.path.length - b.path.length);
    for (const [key, part] of lists) if (isOrphan(part)) this.#lists.delete(key);
    for (const [key, part] of this.#columns) if (isOrphan(part)) this.#columns.delete(key);
  }

  /** Everything that could be dropped. */
  droppable(): DroppablePart[] {
    const indexBytes = new Map<string, number>();
    for (const { paths, index } of this.#indexes.values()) {
      const key = pathKey(paths[0] ?? []);
      indexBytes.set(key, (indexBytes.get(key) ?? 0) + index.sizeBytes());
    }
    const parts: DroppablePart[] = [];
    for (const [key, { path, part, lastUse }] of this.#columns) {
      const sizeBytes = part.sizeBytes() + (indexBytes.get(key) ?? 0);
      parts.push({ kind: 'column', key, path, lastUse, sizeBytes });
    }
    for (const [key, { path, part, lastUse }] of this.#lists) {
      parts.push({ kind: 'lists', key, path, lastUse, sizeBytes: part.sizeBytes() });
    }
    return parts;
  }

  /**
   * Applies the changes of one commit, which must be later than every one applied before to the
   * same key. Rows that queries see stay unchanged.
   */
  append(change: TableChange, sequence: number): void {
    const row = this.rows.find(change.key);
    this.lastChange = Math.max(this.lastChange, sequence);
    if (row !== undefined) this.rows.kill(row, sequence);
    if (change.kind !== 'put') return;
    const value = { bytes: encode(change.value), start: 0 };
    const added = this.rows.appendBorn(change.key, sequence);
    this.rows.setNull(added, isNull(value));
    const parts = this.allParts();
    parts.begin();
    parts.write(added, value);
    parts.end();
  }

  /**
   * Prepares a row to be overwritten in all parts. A delta row moves back to the sorted row of its
   * key, where a scan finds it directly. Returns the row that must be overwritten. Rows may be
   * overwritten only without readers.
   */
  beginOverwrite(row: number, value: EncodedValue, sequence: number): number {
    this.lastChange = Math.max(this.lastChange, sequence);
    const moved = this.#moveToSorted(row);
    this.rows.setNull(moved, isNull(value));
    return moved;
  }

  /** Adds a row for a new key, which must then be written in all parts. */
  beginRow(key: Uint8Array, value: EncodedValue, sequence: number): number {
    this.lastChange = Math.max(this.lastChange, sequence);
    const row = this.rows.appendBornBytes(key, sequence);
    this.rows.setNull(row, isNull(value));
    return row;
  }

  /** Moves a delta row to the sorted row of its key; the row itself if there is none. */
  #moveToSorted(row: number): number {
    const sorted = this.rows.sortedRowOf(row);
    if (sorted === undefined) return row;
    for (const index of this.#indexList) index.remove(row);
    this.rows.moveToSorted(row, sorted);
    return sorted;
  }

  /** Ends a row that has no readers, if there is one. */
  remove(row: number | undefined, sequence: number): void {
    this.lastChange = Math.max(this.lastChange, sequence);
    if (row === undefined) return;
    this.rows.forget(row);
    for (const index of this.#indexList) index.remove(row);
  }

  /** Changes that indexes must merge before they are read. */
  get pendingEntries(): number {
    let entries = 0;
    for (const index of this.#indexList) entries += index.pending;
    return entries;
  }

  /** Lets an index merge some of them; false when there are none. */
  mergeStep(): boolean {
    for (const { index } of this.#indexes.values()) {
      if (index.pending === 0) continue;
      index.mergePending().next();
      return true;
    }
    return false;
  }

  /**
   * True when a rebuild from the store pays: too many rows are dead or out of order, or overwriting
   * left too many unreachable items and strings.
   */
  isStale(): boolean {
    const { size, sortedSize, deadRows } = this.rows;
    if (deadRows + size - sortedSize > Math.max(CHUNK_ROWS, size >> 4)) return true;
    let slots = size;
    for (const { part } of this.#lists.values()) {
      const items = part.size();
      if (part.unreachable > Math.max(MUCH_GARBAGE, items >> 1)) return true;
      slots += items;
    }
    for (const { part } of this.#columns.values()) {
      const stringCount = Math.max(part.strings.size, part.texts.size);
      if (stringCount > MUCH_GARBAGE + 2 * slots) return true;
    }
    for (const { index } of this.#indexes.values()) {
      if (index.ownTexts() > MUCH_GARBAGE + 2 * size) return true;
    }
    return false;
  }

  /** Linear in the number of parts, which know their sizes. */
  sizeBytes(): number {
    let bytes = this.rows.sizeBytes();
    for (const { part } of this.#columns.values()) bytes += part.sizeBytes();
    for (const { part } of this.#lists.values()) bytes += part.sizeBytes();
    for (const { index } of this.#indexes.values()) bytes += index.sizeBytes();
    return bytes;
  }

  allParts(): WrittenParts {
    this.#allParts ??= this.#partsOf(() => true, this.#summary);
    return this.#allParts;
  }

  /** All units of the indexes that the units are part of, and the units themselves. */
  joinUnits(units: readonly string[]): ReadonlySet<string> {
    return joinUnits(
      units,
      [...this.#indexes.values()].map(({ paths }) => paths),
    );
  }

  /** Undefined if all parts are in the units, which are those of whole indexes. */
  split(units: ReadonlySet<string>): PartSplit | undefined {
    const isNeeded = (path: ColumnPath): boolean => units.has(unitOf(path));
    const parts = [...this.#columns.values(), ...this.#lists.values()];
    if (this.#summary === undefined && parts.every(({ path }) => isNeeded(path))) return undefined;
    return {
      units,
      needed: this.#partsOf(isNeeded, undefined),
      others: this.#partsOf((path) => !isNeeded(path), this.#summary),
    };
  }

  #partsOf(
    isIncluded: (path: ColumnPath) => boolean,
    summary: PathSummary | undefined,
  ): WrittenParts {
    const writer = new RowWriter(
      [...this.#columns.values()].filter(({ path }) => isIncluded(path)),
      [...this.#lists.values()].filter(({ path }) => isIncluded(path)),
      summary?.root,
    );
    const indexes = [...this.#indexes.values()].filter(({ paths }) => paths.every(isIncluded));
    return new WrittenParts(
      writer,
      indexes.map(({ index }) => index),
    );
  }
}

const encoder = new TextEncoder();
/** Where short values are encoded, one at a time. */
const scratch = new Uint8Array(1 << 14);

/** UTF-8, which the next call may overwrite. */
function encode(value: string): Uint8Array {
  if (value.length * 3 > scratch.length) return encoder.encode(value);
  return scratch.subarray(0, encoder.encodeInto(value, scratch).written);
}

function isNull({ bytes, start }: EncodedValue): boolean {
  return bytes[start] === LOWER_N;
}
