// Fills an index from the columns of a table, in slices.

import type { YieldPoints } from '../../value/column-data.ts';
import type { Column } from '../column.ts';
import { inputsOf, type RequestedIndex } from '../prepared-table.ts';
import type { RegionTable } from '../region-table.ts';
import { DerivedColumn } from './derived-column.ts';
import type { IndexSource } from './indexed-values.ts';
import { ValueIndex } from './value-index.ts';

/** Does nothing if the index exists, or a column that it needs is missing. */
export async function buildIndex(
  table: RegionTable,
  request: RequestedIndex,
  pacer: YieldPoints,
): Promise<void> {
  const { name, kind } = request;
  const paths = inputsOf(request);
  const columns = paths.map((path) => table.column(path)).filter((column) => column !== undefined);
  if (columns.length < paths.length || table.index(name) !== undefined) return;
  const source = openSource(table, request, columns);
  if (source === undefined) return;
  const index = new ValueIndex(kind, source);
  const { size } = table.rows;
  for (const _ of index.build(size)) if (pacer.isSliceOver()) await pacer.pause();
  if (paths.some((path, at) => table.column(path) !== columns[at])) return;
  // The table is pinned, so rows were only added meanwhile.
  for (let row = size; row < table.rows.size; row += 1) index.add(row);
  table.setIndex(name, paths, index);
}

function openSource(
  table: RegionTable,
  { path, derivation }: RequestedIndex,
  columns: readonly Column[],
): IndexSource | undefined {
  const keyOf = (row: number): string => table.rows.keyOf(row);
  if (derivation !== undefined) {
    const derived = new DerivedColumn(derivation.open(columns));
    return { column: derived.column, lists: [], keyOf, derived };
  }
  const lists = path.slice(1).map((_, depth) => table.lists(path.slice(0, depth + 1)));
  const known = lists.filter((list) => list !== undefined);
  const [column] = columns;
  if (column === undefined || known.length < lists.length) return undefined;
  return { column, lists: known, keyOf };
}
