// The cost of a query that reads its first region without an index, and of sorting.

import type { Draft } from './draft.ts';

/** Sorting one row among all others; with a small LIMIT, one comparison drops most rows. */
const SORT_ALL = 40;
const SORT_FEW = 0.5;

/** Sorting so many rows, if there is an ORDER BY over rows. */
export function sortCost({ data, facts }: Draft, rows: number): number {
  const { orderBy, grouping } = data.shape.select;
  if (orderBy.length === 0 || grouping !== undefined) return 0;
  return rows * (facts.wanted < rows / 4 ? SORT_FEW : SORT_ALL);
}

/** Rows that a scan reads: a query with only a LIMIT stops at its last row, others read all. */
export function scannedRows(draft: Draft): number {
  const { data, facts } = draft;
  const { size } = data.tableOf(0);
  const { select } = data.shape;
  const endsEarly =
    select.orderBy.length === 0 && select.grouping === undefined && !select.distinct;
  // The cheapest index returns about as many rows as WHERE keeps.
  const looked = draft.candidates.map(({ access }) =>
    access.kind === 'lookup' ? access.rows : size,
  );
  const found = Math.min(size, ...looked);
  if (!endsEarly || facts.wanted >= found) return size;
  return Math.ceil((facts.wanted * size) / Math.max(1, found));
}
