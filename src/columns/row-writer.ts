// Writes documents into all columns and lists of a table at once, one walk over each document.
//
// A document that replaces another usually has as many items in its lists. Their columns are then
// overwritten item by item, so that steady writes leave no garbage in nested collections either.
// Otherwise the items are added after all others of the chunk, and the old ones stay, unreachable.

import { CHUNK_BITS, CHUNK_MASK } from '../value/column-data.ts';
import { type ColumnPath, collectionPath, pathKey } from '../value/column-path.ts';
import type { Column } from './column.ts';
import type { ItemLists } from './item-lists.ts';
import type { SummaryNode } from './path-summary.ts';
import { buildPathTree } from './path-tree.ts';
import { JsonScanner } from './scan-json.ts';

/** Compact JSON as UTF-8, followed by the end of the bytes or a newline. */
export interface EncodedValue {
  readonly bytes: Uint8Array;
  readonly start: number;
}

interface PartAt<Part> {
  readonly path: ColumnPath;
  readonly part: Part;
}

/** The lists of a member of the rows. */
interface RowLists {
  readonly lists: ItemLists;
  /** True without lists inside of the items: these can be overwritten. */
  readonly isFlat: boolean;
  /** The columns of the items, if these can be overwritten. */
  readonly columns: readonly Column[];
}

export class RowWriter {
  readonly #scanner: JsonScanner;
  readonly #columns: readonly PartAt<Column>[];
  readonly #lists: readonly PartAt<ItemLists>[];
  /** The columns with one value per row, not per item of a row. */
  readonly #rowColumns: readonly Column[];
  readonly #rowLists: readonly RowLists[];
  /** True if documents need not be read. */
  readonly #isEmpty: boolean;
  /** The chunk that all parts have selected; -1 if unknown. */
  #selected = -1;

  constructor(
    columns: readonly PartAt<Column>[],
    lists: readonly PartAt<ItemLists>[],
    summary: SummaryNode | undefined,
  ) {
    this.#isEmpty = columns.length + lists.length === 0 && summary === undefined;
    this.#columns = columns;
    this.#lists = lists;
    this.#rowColumns = columns.filter(isOfRows).map(({ part }) => part);
    this.#rowLists = lists.filter(isOfRows).map(({ path, part }) => {
      const isFlat = !lists.some(isItemOf(path));
      const ofItems = isFlat ? columns.filter(isItemOf(path)) : [];
      return { lists: part, isFlat, columns: ofItems.map(({ part: column }) => column) };
    });
    const requested = {
      columns: columns.map(({ path, part }) => [path, part] as const),
      lists: lists.map(({ path, part }) => [path, part] as const),
    };
    this.#scanner = new JsonScanner(buildPathTree(requested, summary));
  }

  /** Writes a document into a row that has no values. */
  write(row: number, { bytes, start }: EncodedValue): void {
    if (this.#isEmpty) return;
    this.#select(row >> CHUNK_BITS);
    this.#scanner.scan(bytes, start, row & CHUNK_MASK);
  }

  overwrite(row: number, { bytes, start }: EncodedValue): void {
    if (this.#isEmpty) return;
    this.#select(row >> CHUNK_BITS);
    const local = row & CHUNK_MASK;
    for (const column of this.#rowColumns) column.beginOverwrite();
    for (const rowLists of this.#rowLists) beginItems(rowLists, local);
    this.#scanner.scan(bytes, start, local);
    if (!this.#isComplete(local)) {
      for (const rowLists of this.#rowLists) restartItems(rowLists, local);
      this.#scanner.scan(bytes, start, local);
    }
    for (const column of this.#rowColumns) column.endOverwrite(local);
    for (const { lists } of this.#rowLists) lists.endOverwrite(local);
  }

  #isComplete(local: number): boolean {
    for (const { lists, columns } of this.#rowLists) {
      if (lists.isOverfull) return false;
      const count = lists.countAt(local);
      for (const column of columns) if (!column.hasItems(count)) return false;
    }
    return true;
  }

  /**
   * Reads the values that overwriting a row will replace. Call it for several rows first: the
   * processor overlaps their memory accesses, which it cannot while documents are scanned. The
   * result has no meaning.
   */
  prefetch(row: number): number {
    const chunk = row >> CHUNK_BITS;
    const local = row & CHUNK_MASK;
    let read = 0;
    for (let at = 0; at < this.#rowColumns.length; at += 1) {
      const values = this.#rowColumns[at]?.chunks[chunk];
      read += (values?.ids[local] ?? 0) + (values?.numbers[local] ?? 0);
    }
    for (let at = 0; at < this.#rowLists.length; at += 1) {
      const rowLists = this.#rowLists[at];
      const items = rowLists?.lists.chunks[chunk];
      read += items?.counts[local] ?? 0;
      read += items?.starts[local] ?? 0;
    }
    return read;
  }

  /** Call it before the first of several rows: builders change the selection of their columns. */
  begin(): void {
    this.#selected = -1;
  }

  /** Call it after the last of them, so that their documents are not kept. */
  end(): void {
    this.#scanner.release();
  }

  /** Selects a chunk in all parts. */
  #select(chunk: number): void {
    if (chunk === this.#selected) return;
    this.#selected = chunk;
    for (const { part } of this.#columns) part.select(chunk);
    for (const { part } of this.#lists) part.select(chunk);
  }
}

function beginItems({ lists, columns, isFlat }: RowLists, local: number): void {
  if (!isFlat) {
    lists.clear(local);
    return;
  }
  const { start, end, size } = lists.beginOverwrite(local);
  for (const column of columns) column.beginItems(start, end, size);
}

/** Items that are too many are appended; otherwise some had no value for a column. */
function restartItems({ lists, columns, isFlat }: RowLists, local: number): void {
  if (!isFlat || lists.isOverfull) {
    lists.clear(local);
    return;
  }
  const { start, end } = lists.restart(local);
  for (const column of columns) column.clearItems(start, end);
}

function isOfRows({ path }: { readonly path: ColumnPath }): boolean {
  return path.length === 1;
}

function isItemOf(lists: ColumnPath): (part: { readonly path: ColumnPath }) => boolean {
  const key = pathKey(lists);
  return ({ path }) => pathKey(collectionPath(path) ?? []) === key;
}
