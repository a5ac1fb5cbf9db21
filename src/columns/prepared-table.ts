// A query's request for a table, and the table prepared for it.

import type { YieldPoints } from '../value/column-data.ts';
import { type ColumnPath, collectionPath, pathKey } from '../value/column-path.ts';
import type { EntryBytes } from '../value/entry-bytes.ts';
import type { IndexKind } from '../value/region-words.ts';
import { Column } from './column.ts';
import type { Derivation } from './indexes/derived-column.ts';
import type { ValueIndex } from './indexes/value-index.ts';
import { ItemLists, ItemReplay } from './item-lists.ts';
import type { RegionTable } from './region-table.ts';
import type { RowDirectory } from './row-directory.ts';

/** An index on the values at a path, or on computed ones; it is built on first use. */
export interface RequestedIndex {
  /** Identifies the definition: another definition has another name. */
  readonly name: string;
  readonly kind: IndexKind;
  /** Of an index on computed values: the first column they are computed from. */
  readonly path: ColumnPath;
  readonly derivation?: Derivation | undefined;
  /** Not needed if no document has a value at the path. */
  readonly isOptional?: boolean;
}

export interface PrepareRequest {
  /** The commit as of which the query reads. */
  readonly sequence: number;
  readonly paths: readonly ColumnPath[];
  /** Collections that are iterated, by the paths of the collections themselves. */
  readonly collections: readonly ColumnPath[];
  readonly indexes?: readonly RequestedIndex[];
  /** The source of missing parts; absent: only parts in memory are used. */
  readonly load?: TableLoad | undefined;
  readonly pacer: YieldPoints;
}

/** Entries of the region at `sequence`, and a scan of them all. */
export interface TableLoad {
  readonly entryCount: number;
  readonly scan: () => AsyncIterable<EntryBytes>;
}

/** The requested parts. The query keeps them even if the store evicts them in the meantime. */
export interface PreparedTable {
  readonly rows: RowDirectory;
  /** Entries at the sequence of the request. */
  readonly entryCount: number;
  column(path: ColumnPath): Column;
  lists(path: ColumnPath): ItemLists;
  /** Only the requested ones. */
  index(name: string): ValueIndex | undefined;
}

/**
 * The parts at the paths `absent`, which no document has, are empty. Undefined when parts were
 * evicted for another query meanwhile.
 */
export function prepareTable(
  table: RegionTable,
  request: PrepareRequest,
  absent: ReadonlySet<string>,
): PreparedTable | undefined {
  const { paths } = request;
  const indexes = new Map((request.indexes ?? []).map(({ name }) => [name, table.index(name)]));
  const columns = new Map(
    paths.map((path) => [
      pathKey(path),
      table.column(path) ?? (absent.has(pathKey(path)) ? new Column() : undefined),
    ]),
  );
  const lists = new Map(
    requestedCollections(request).map((path) => [
      pathKey(path),
      table.lists(path) ?? (absent.has(pathKey(path)) ? new ItemLists() : undefined),
    ]),
  );
  const parts = [...columns.values(), ...lists.values()];
  if (parts.includes(undefined)) return undefined;
  return {
    rows: table.rows,
    entryCount: request.load?.entryCount ?? table.countEntries(request.sequence),
    column: (path) => columns.get(pathKey(path)) ?? notAskedFor(path),
    lists: (path) => lists.get(pathKey(path)) ?? notAskedFor(path),
    index: (name) => indexes.get(name),
  };
}

/** The columns an index is filled from. */
export function inputsOf({ path, derivation }: RequestedIndex): readonly ColumnPath[] {
  return derivation?.inputs ?? [path];
}

function notAskedFor(path: ColumnPath): never {
  throw new Error(`${pathKey(path)} was not asked for`);
}

export function nestedIn(paths: readonly ColumnPath[]): ColumnPath[] {
  return paths.map(collectionPath).filter((path) => path !== undefined);
}

/** The collections that are iterated, and those that they or the paths are nested in. */
export function requestedCollections({ paths, collections }: PrepareRequest): ColumnPath[] {
  return withOuterCollections([...collections, ...nestedIn(paths)]);
}

/** The collections, and those they are nested in. */
export function withOuterCollections(paths: readonly ColumnPath[]): ColumnPath[] {
  const all = new Map<string, ColumnPath>();
  for (const path of paths) {
    for (let at: ColumnPath | undefined = path; at !== undefined; at = collectionPath(at)) {
      all.set(pathKey(at), at);
    }
  }
  return [...all.values()];
}

/** Collections that contain new parts and were filled by an earlier build. */
export function knownLists(
  table: RegionTable,
  parts: readonly ColumnPath[],
): [ColumnPath, ItemReplay][] {
  return withOuterCollections(nestedIn(parts)).flatMap((path): [ColumnPath, ItemReplay][] => {
    const lists = table.lists(path);
    return lists === undefined ? [] : [[path, new ItemReplay(lists)]];
  });
}
