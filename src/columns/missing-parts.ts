// Compares the parts that a query needs with those that a table has. A missing part is a column or
// index to build, or a path that no document has.

import { type ColumnPath, pathKey } from '../value/column-path.ts';
import { unitOf } from './part-split.ts';
import {
  inputsOf,
  nestedIn,
  type PrepareRequest,
  requestedCollections,
  withOuterCollections,
} from './prepared-table.ts';
import type { RegionTable } from './region-table.ts';

/** A first scan for more parts than this also collects all paths of the region. */
const FEW_PARTS = 64;

/** Columns, lists and indexes that a query needs and a table does not have. */
export interface MissingParts {
  /** Columns to build. */
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
  const lists = requestedCollections(request).filter(
    (path) => table.lists(path) === undefined && isPresent(path),
  );
  const columns = distinctPaths(request.paths).filter(
    (path) => table.column(path) === undefined && isPresent(path),
  );
  return { columns, lists, size: columns.length + lists.length, absent };
}

function distinctPaths(paths: readonly ColumnPath[]): ColumnPath[] {
  return [...new Map(paths.map((path) => [pathKey(path), path])).values()];
}

/** Paths whose columns and lists an index needs, absent or not. */
function indexedPaths({ indexes = [] }: PrepareRequest): ReadonlySet<string> {
  const paths = indexes.filter(({ isOptional }) => isOptional !== true).flatMap(inputsOf);
  return new Set([...paths, ...withOuterCollections(nestedIn(paths))].map(pathKey));
}

/**
 * Whether a scan should also collect all paths of the region. The first scan for a few columns does
 * not: most regions are queried for few paths, and collecting would slow down their first query. A
 * scan of an older state than the table has would miss newer paths.
 */
export function isWorthSummary(
  table: RegionTable,
  request: PrepareRequest,
  added: number,
): boolean {
  if (table.lastChange > request.sequence) return false;
  return table.loaded || added > FEW_PARTS;
}

/** Drops parts that are empty in all rows. */
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

/** The units that a query needs; undefined if the table has not all of its parts. */
export function neededUnits(
  table: RegionTable,
  request: PrepareRequest,
): ReadonlySet<string> | undefined {
  const { paths, indexes = [] } = request;
  const lists = requestedCollections(request);
  const isComplete =
    paths.every((path) => table.column(path) !== undefined) &&
    lists.every((path) => table.lists(path) !== undefined);
  if (!isComplete) return undefined;
  return table.joinUnits([...paths, ...lists, ...indexes.flatMap(inputsOf)].map(unitOf));
}
