// A bound of ORDER BY with LIMIT that is known before any row is read: the first rows lie in the
// chunks whose highest (or lowest) numbers are the first. Without it every row of a region whose
// values grow with its keys would be kept for a while by a sort that wants the latest.

import {
  CHUNK_ROWS,
  type SourceColumn,
  type SourceTable,
} from '../../../columnar/column-source.ts';

interface WantedRows {
  /** How many rows from the front are wanted. */
  readonly wanted: number;
  /** -1 where the highest come first. */
  readonly sign: 1 | -1;
}

/** Reading more chunks would save less than it costs. */
const MOST_CHUNKS = 32;

/**
 * A number that as many visible rows as are wanted do not lie after, in the order of the sort;
 * undefined if it was not found, or is not worth the search.
 */
export function boundOf(
  table: SourceTable,
  column: SourceColumn,
  { wanted, sign }: WantedRows,
): number | undefined {
  if (wanted > CHUNK_ROWS || table.size <= CHUNK_ROWS) return undefined;
  const ends = chunkEnds(table, column, sign);
  const order = [...ends.keys()].sort((left, right) => (ends[left] ?? 0) - (ends[right] ?? 0));
  // If each of the first chunks has one row at its end, the wanted ones are not after the last.
  let bound = ends[order[wanted - 1] ?? -1] ?? Number.POSITIVE_INFINITY;
  let found: number[] = [];
  for (const chunk of order.slice(0, MOST_CHUNKS)) {
    if (found.length === wanted && (ends[chunk] ?? 0) >= bound) break;
    collect(table, column, { chunk, bound, sign }, found);
    if (found.length < wanted) continue;
    found = found.sort((left, right) => left - right).slice(0, wanted);
    bound = found[wanted - 1] ?? bound;
  }
  return found.length < wanted ? undefined : bound * sign;
}

/** The first number of each chunk, times the sign; numbers that are gone may have been before it. */
function chunkEnds({ size }: SourceTable, column: SourceColumn, sign: 1 | -1): Float64Array {
  return Float64Array.from({ length: Math.ceil(size / CHUNK_ROWS) }, (_, index) => {
    const { lowest, highest } = column.chunk(index);
    return sign > 0 ? lowest : -highest;
  });
}

interface ChunkSearch {
  readonly chunk: number;
  readonly bound: number;
  readonly sign: 1 | -1;
}

/** Adds the numbers of visible rows that are not after the bound, times the sign. */
function collect(
  table: SourceTable,
  column: SourceColumn,
  { chunk, bound, sign }: ChunkSearch,
  found: number[],
): void {
  const { numbers } = column.chunk(chunk);
  const visible = table.visibleRows(chunk);
  const size = Math.min(numbers.length, table.size - chunk * CHUNK_ROWS);
  for (let row = 0; row < size; row += 1) {
    // False for NaN, which stands for whatever is no number.
    const value = (numbers[row] ?? 0) * sign;
    if (value <= bound && visible?.[row] !== 0) found.push(value);
  }
}
