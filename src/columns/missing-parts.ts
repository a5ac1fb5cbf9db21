// The parts that a query needs and a table does not have: columns and indexes to build, and paths
// that no document has.

import { type ColumnPath, pathKey } from './column-path.ts';
import { inputsOf, nestedIn, type PrepareRequest, wantedCollections } from './prepared-table.ts';
import type { RegionTable } from './region-table.ts';

/** A first scan for more parts than these learns all paths of the region on the way. */
const FEW_PARTS = 64;

/** Columns, lists and indexes that a query needs and a table does not have. */
export interface MissingParts {
  /** To be built. */
  readonly columns: readonly ColumnPath[];
  readonly lists: readonly ColumnPath[];
  readonly size: number;
  /** Keys of the paths at which no document has a value. */
  readonly absent: ReadonlySet<string>;
}

export function missingParts(table: RegionTable, request: PrepareRequest): MissingParts {
  const absent = new Set<string>();
  const indexed = indexedPaths(request);
  const isPresent = (path: ColumnPath): boolean => {
    const key = pathKey(path);
    if (indexed.has(key) || table.summary?.mayHave(path) !== false) return true;
    absent.add(key);
    return false;
  };
  const collections = wantedCollections([...request.collections, ...nestedIn(request.paths)]);
  const lists = collections.filter((path) => table.lists(path) === undefined && isPresent(path));
  const columns = distinctPaths(request.paths).filter(
    (path) => table.column(path) === undefined && isPresent(path),
  );
  return { columns, lists, size: columns.length + lists.length, absent };
}

function distinctPaths(paths: readonly ColumnPath[]): ColumnPath[] {
  return [...new Map(paths.map((path) => [pathKey(path), path])).values()];
}

/** Paths whose columns and lists are needed by an index, be they absent or not. */
function indexedPaths({ indexes = [] }: PrepareRequest): ReadonlySet<string> {
  const paths = indexes.filter(({ isOptional }) => isOptional !== true).flatMap(inputsOf);
  return new Set([...paths, ...wantedCollections(nestedIn(paths))].map(pathKey));
}

/**
 * Whether a scan is to learn all paths of the region on the way. The first scan for a few columns is
 * not: most regions are asked for few paths, and learning would make their first query slower. A
 * scan of an older state than the table has would miss paths that came since.
 */
export function isWorthSummary(
  table: RegionTable,
  request: PrepareRequest,
  added: number,
): boolean {
  if (table.lastChange > request.sequence) return false;
  return table.loaded || added > FEW_PARTS;
}

/** Parts that turned out to be empty everywhere are not kept. */
export function dropAbsent(
  table: RegionTable,
  request: PrepareRequest,
  { columns, lists }: MissingParts,
): void {
  const indexed = indexedPaths(request);
  const isAbsent = (path: ColumnPath): boolean =>
    table.summary?.mayHave(path) === false && !indexed.has(pathKey(path));
  const emptyColumns = columns.filter(isAbsent);
  const emptyLists = lists.filter(isAbsent);
  if (emptyColumns.length + emptyLists.length > 0) table.drop(emptyColumns, emptyLists);
}
