// One region in memory: its rows, and the columns that queries requested. While queries hold a pin,
// a change never touches what they see: an update adds a row and ends the old one. Without pins
// rows are overwritten in place, so that steady writing leaves no garbage.

import { CHUNK_BITS, CHUNK_MASK, CHUNK_ROWS, Column } from './column.ts';
import { type ColumnPath, collectionPath, pathKey } from './column-path.ts';
import type { ValueIndex } from './indexes/value-index.ts';
import { ItemLists } from './item-lists.ts';
import { PathSummary } from './path-summary.ts';
import { buildPathTree } from './path-tree.ts';
import { RowDirectory } from './row-directory.ts';
import { JsonScanner } from './scan-json.ts';

/** A change as the engine reports it, without the region. */
export type TableChange =
  | { readonly kind: 'put'; readonly key: string; readonly value: string }
  | { readonly kind: 'remove' | 'expire'; readonly key: string };

/** Compact JSON as UTF-8; after it the bytes end, or a newline follows. */
export interface EncodedValue {
  readonly bytes: Uint8Array;
  readonly start: number;
}

interface Kept<Part> {
  readonly path: ColumnPath;
  readonly part: Part;
  /** Goes up with each use; the lowest is dropped first. */
  lastUse: number;
}

export interface DroppablePart {
  readonly kind: 'column' | 'lists';
  readonly key: string;
  readonly path: ColumnPath;
  readonly lastUse: number;
  /** With the indexes that go with it. */
  readonly sizeBytes: number;
}

interface KeptIndex {
  /** The columns it is derived from; it goes with the first of them that goes. */
  readonly paths: readonly ColumnPath[];
  readonly index: ValueIndex;
}

/** The writers that a document passes through, for all parts at once. */
interface RowWriter {
  readonly scanner: JsonScanner;
  /** All parts, to be pointed at a chunk. */
  readonly columns: readonly Kept<Column>[];
  readonly lists: readonly Kept<ItemLists>[];
  /** The parts that have one place for each row, not for each item of a row. */
  readonly rowColumns: readonly Column[];
  readonly rowLists: readonly ItemLists[];
}

/** Of the values of a document only null begins with it. */
const LOWER_N = 0x6e;
/** Garbage that is not worth a rebuild. */
const MUCH_GARBAGE = 1 << 16;

export class RegionTable {
  readonly rows: RowDirectory = new RowDirectory();
  /** True once the rows are known; before, changes are queued. */
  loaded = false;
  /** Queries that may still read. */
  pins = 0;
  /** The last commit that changed a row. */
  lastChange = 0;
  #summary: PathSummary | undefined;
  readonly #columns = new Map<string, Kept<Column>>();
  readonly #lists = new Map<string, Kept<ItemLists>>();
  readonly #indexes = new Map<string, KeptIndex>();
  readonly #encoder = new TextEncoder();
  #buffer: Uint8Array = new Uint8Array(4096);
  /** Undefined when parts have come or gone. */
  #writer: RowWriter | undefined;
  /** The chunk that all parts are pointed at; -1 where that is not known. */
  #selected = -1;

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
    this.#writer = undefined;
    return this.#summary;
  }

  dropSummary(): void {
    this.#summary = undefined;
    this.#writer = undefined;
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

  /** From now on the index follows every change. */
  setIndex(name: string, paths: readonly ColumnPath[], index: ValueIndex): void {
    this.#indexes.set(name, { paths, index });
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

  /** Adds empty columns; from now on changes fill them, older rows are the builder's task. */
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
    this.#writer = undefined;
    return added;
  }

  /**
   * Drops parts in one pass over all that are kept. With lists go the columns of their items: lists
   * filled anew would number the items anew. Queries that read a dropped part keep their reference:
   * nothing they see changes any more.
   */
  drop(columns: readonly ColumnPath[], lists: readonly ColumnPath[]): void {
    for (const path of columns) this.#columns.delete(pathKey(path));
    for (const path of lists) this.#lists.delete(pathKey(path));
    if (lists.length > 0) this.#dropOrphans();
    for (const [name, { paths }] of this.#indexes) {
      // An index without its columns could not follow changes.
      if (!paths.every((path) => this.#columns.has(pathKey(path)))) this.#indexes.delete(name);
    }
    this.#writer = undefined;
  }

  /** Parts of collections whose lists are gone. */
  #dropOrphans(): void {
    const isOrphan = ({ path }: { readonly path: ColumnPath }): boolean => {
      const collection = collectionPath(path);
      return collection !== undefined && !this.#lists.has(pathKey(collection));
    };
    // Outer lists first, so that those within them are orphans when their turn comes.
    const kept = [...this.#lists].sort(([, a], [, b]) => a.path.length - b.path.length);
    for (const [key, part] of kept) if (isOrphan(part)) this.#lists.delete(key);
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
   * same key. Whatever queries see stays as it is.
   */
  append(change: TableChange, sequence: number): void {
    const row = this.rows.find(change.key);
    this.lastChange = Math.max(this.lastChange, sequence);
    if (row !== undefined) this.rows.kill(row, sequence);
    if (change.kind !== 'put') return;
    this.forgetSelection();
    const bytes = this.#encode(change.value);
    this.#write(this.rows.appendBorn(change.key, sequence), { bytes, start: 0 }, 'first');
  }

  /**
   * Writes a row anew, or one for a new key. Rows may be overwritten only without readers. A delta
   * row then goes back to the place of its key, where a scan finds it without a detour.
   */
  overwrite(rowOrKey: number | Uint8Array, value: EncodedValue, sequence: number): void {
    this.lastChange = Math.max(this.lastChange, sequence);
    if (typeof rowOrKey !== 'number') {
      this.#write(this.rows.appendBornBytes(rowOrKey, sequence), value, 'first');
      return;
    }
    const row = this.#goHome(rowOrKey);
    for (const { index } of this.#indexes.values()) index.beginOverwrite(row);
    this.#write(row, value, 'again');
  }

  /** The row itself where it has no other place. */
  #goHome(row: number): number {
    const home = this.rows.homeOf(row);
    if (home === undefined) return row;
    for (const { index } of this.#indexes.values()) index.remove(row);
    this.rows.goHome(row, home);
    return home;
  }

  /** Ends a row, if there is one, that has no readers. */
  remove(row: number | undefined, sequence: number): void {
    this.lastChange = Math.max(this.lastChange, sequence);
    if (row === undefined) return;
    this.rows.forget(row);
    for (const { index } of this.#indexes.values()) index.remove(row);
  }

  /**
   * To be called before the first of several rows is overwritten: builders move the selection of
   * their columns.
   */
  forgetSelection(): void {
    this.#selected = -1;
  }

  /** Changes that indexes have yet to take over before they are read. */
  get pendingEntries(): number {
    let entries = 0;
    for (const { index } of this.#indexes.values()) entries += index.pending;
    return entries;
  }

  /** Lets an index take over some of them; false when there are none. */
  settleStep(): boolean {
    for (const { index } of this.#indexes.values()) {
      if (index.pending === 0) continue;
      index.settle().next();
      return true;
    }
    return false;
  }

  /**
   * True when a rebuild from the store would pay: too many rows are dead or out of order, or steady
   * overwriting left too many items and strings that no row holds any more.
   */
  isStale(): boolean {
    const { size, sortedSize, deadRows } = this.rows;
    if (deadRows + size - sortedSize > Math.max(CHUNK_ROWS, size >> 4)) return true;
    let places = size;
    for (const { part } of this.#lists.values()) {
      const items = part.size();
      if (part.unreachable > Math.max(MUCH_GARBAGE, items >> 1)) return true;
      places += items;
    }
    for (const { part } of this.#columns.values()) {
      const kept = Math.max(part.strings.size, part.texts.size);
      if (kept > MUCH_GARBAGE + 2 * places) return true;
    }
    for (const { index } of this.#indexes.values()) {
      if (index.ownTexts() > MUCH_GARBAGE + 2 * size) return true;
    }
    return false;
  }

  /** Each part knows its size, so this takes time by the number of parts. */
  sizeBytes(): number {
    let bytes = this.rows.sizeBytes();
    for (const { part } of this.#columns.values()) bytes += part.sizeBytes();
    for (const { part } of this.#lists.values()) bytes += part.sizeBytes();
    for (const { index } of this.#indexes.values()) bytes += index.sizeBytes();
    return bytes;
  }

  #encode(value: string): Uint8Array {
    if (value.length * 3 > this.#buffer.length) this.#buffer = new Uint8Array(value.length * 4);
    const { written } = this.#encoder.encodeInto(value, this.#buffer);
    return this.#buffer.subarray(0, written);
  }

  #write(row: number, { bytes, start }: EncodedValue, time: 'first' | 'again'): void {
    const { scanner, rowColumns, rowLists } = this.#selectChunk(row >> CHUNK_BITS);
    const local = row & CHUNK_MASK;
    this.rows.setNull(row, bytes[start] === LOWER_N);
    if (time === 'first') {
      scanner.scan(bytes, start, local);
      for (const { index } of this.#indexes.values()) index.add(row);
      return;
    }
    for (const column of rowColumns) column.beginOverwrite();
    // Their items are left over, reached by nothing.
    for (const lists of rowLists) lists.clear(local);
    scanner.scan(bytes, start, local);
    for (const column of rowColumns) column.endOverwrite(local);
    for (const { index } of this.#indexes.values()) index.endOverwrite(row);
  }

  /** Points all parts at a chunk. */
  #selectChunk(chunk: number): RowWriter {
    if (this.#writer !== undefined && chunk === this.#selected) return this.#writer;
    this.#selected = chunk;
    this.#writer ??= this.#openWriter();
    const { columns, lists } = this.#writer;
    for (const { path, part } of columns) part.select(chunk, capacityFor(path.length));
    for (const { path, part } of lists) part.select(chunk, capacityFor(path.length));
    return this.#writer;
  }

  #openWriter(): RowWriter {
    const columns = [...this.#columns.values()];
    const lists = [...this.#lists.values()];
    const wanted = {
      columns: columns.map(({ path, part }) => [path, part] as const),
      lists: lists.map(({ path, part }) => [path, part] as const),
    };
    return {
      scanner: new JsonScanner(buildPathTree(wanted, this.#summary?.root)),
      columns,
      lists,
      rowColumns: columns.filter(isOfRows).map(({ part }) => part),
      rowLists: lists.filter(isOfRows).map(({ part }) => part),
    };
  }
}

function isOfRows({ path }: { readonly path: ColumnPath }): boolean {
  return path.length === 1;
}

/** Chunks of rows have their full size from the start; chunks of items grow as they come. */
export function capacityFor(segments: number): number {
  return segments === 1 ? CHUNK_ROWS : 64;
}
