// Sorts rows that were joined in another order into the order of nested loops over FROM: by the row
// of the first iterator, then by that of the second, and so on.

import { mergeSort } from '../../../../value/merge-sort.ts';
import type { SourceTable } from '../../../columnar/column-source.ts';
import { QUERY_STEPS } from '../../../reference/sort-in-slices.ts';
import { KeptRows } from '../frames/kept-rows.ts';
import { type Matches, withYieldPoints, YIELD_POINT } from '../predicates/row-filter.ts';
import type { Runtime } from '../runtime.ts';

/** Rows that are ranked between two yield points. */
const RANKED_AT_A_TIME = 4096;

/** `order` gives the position in FROM of each iterator of the frames. */
export function* restoreOrder(
  runtime: Runtime,
  order: readonly number[],
  found: Iterable<Matches>,
): Generator<Matches> {
  const kept = new KeptRows(order.length, runtime.columns);
  for (const { frame, rows } of found) {
    for (const row of rows) kept.add(frame, row);
    runtime.budget.keep(rows.length, runtime.location);
    yield YIELD_POINT;
  }
  const ranks: Float64Array[] = [];
  for (const position of order.keys()) {
    ranks.push(yield* withYieldPoints(rankRows(runtime, order.indexOf(position), kept)));
  }
  const sorting = mergeSort(kept.size, (a, b) => compare(ranks, a, b), QUERY_STEPS);
  const sorted = yield* withYieldPoints(sorting);
  yield* kept.inOrder(sorted);
}

function compare(ranks: readonly Float64Array[], a: number, b: number): number {
  for (const each of ranks) {
    const difference = (each[a] ?? 0) - (each[b] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Numbers that sort as the rows of a region, or the items of a collection, do. */
function* rankRows(
  runtime: Runtime,
  iterator: number,
  kept: KeptRows,
): Generator<void, Float64Array> {
  const ranks = new Float64Array(kept.size);
  const isRegion = runtime.shape.iterators[iterator]?.kind === 'region';
  const delta = isRegion ? yield* deltaRanks(runtime.tableOf(iterator)) : undefined;
  for (let at = 0; at < kept.size; at += 1) {
    const rank = kept.rank(iterator, at);
    ranks[at] = delta?.get(rank) ?? rank;
    if (at % RANKED_AT_A_TIME === RANKED_AT_A_TIME - 1) yield;
  }
  return ranks;
}

/** The rank of a delta row is between those of two sorted rows. */
function* deltaRanks(table: SourceTable): Generator<void, ReadonlyMap<number, number>> {
  const { rows, before } = table.deltaRows();
  const ranks = new Map<number, number>();
  for (let at = 0; at < rows.length; at += 1) {
    ranks.set(rows[at] ?? 0, (before[at] ?? 0) - 1 + (at + 1) / (rows.length + 1));
    if (at % RANKED_AT_A_TIME === RANKED_AT_A_TIME - 1) yield;
  }
  return ranks;
}
