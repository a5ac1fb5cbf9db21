// A bound of ORDER BY with LIMIT, from the minima and maxima of chunks, before any row is read: the
// first rows are in the chunks with the lowest minima (or highest maxima). Without it, a sort for
// the latest rows would keep every row for a while if values grow with the keys.

import { CHUNK_ROWS, type SourceColumn } from '../../../../value/column-data.ts';
import type { SourceTable } from '../../../columnar/column-source.ts';

/** Reading more chunks costs more than it saves. */
const MAX_CHUNKS = 32;

/**
 * A number such that `limit` visible rows are not after it in the order of the sort; undefined if
 * it was not found, or the search costs too much. The sign is -1 where the highest come first.
 */
export function boundOf(
  table: SourceTable,
  column: SourceColumn,
  { limit, sign }: { readonly limit: number; readonly sign: 1 | -1 },
): number | undefined {
  if (limit > CHUNK_ROWS || table.size <= CHUNK_ROWS) return undefined;
  const minima = chunkMinima(table, column, sign);
  const order = [...minima.keys()].sort(
    (left, right) => (minima[left] ?? 0) - (minima[right] ?? 0),
  );
  // If each of the first chunks has a row with its minimum, no needed row is after the last of
  // those.
  let bound = minima[order[limit - 1] ?? -1] ?? Number.POSITIVE_INFINITY;
  let firstNumbers: number[] = [];
  for (const chunk of order.slice(0, MAX_CHUNKS)) {
    if (firstNumbers.length === limit && (minima[chunk] ?? 0) >= bound) break;
    collect(table, column, { chunk, bound, sign }, firstNumbers);
    if (firstNumbers.length < limit) continue;
    firstNumbers = firstNumbers.sort((left, right) => left - right).slice(0, limit);
    bound = firstNumbers[limit - 1] ?? bound;
  }
  return firstNumbers.length < limit ? undefined : bound * sign;
}

/** The minimum of each chunk, times the sign; deleted numbers may make it too low. */
function chunkMinima({ size }: SourceTable, column: SourceColumn, sign: 1 | -1): Float64Array {
  return Float64Array.from({ length: Math.ceil(size / CHUNK_ROWS) }, (_, index) => {
    const { lowest, highest } = column.chunk(index);
    return sign > 0 ? lowest : -highest;
  });
}

/** Adds the numbers of visible rows that are not after the bound, times the sign. */
function collect(
  table: SourceTable,
  column: SourceColumn,
  { chunk, bound, sign }: Readonly<Record<'chunk' | 'bound' | 'sign', number>>,
  collected: number[],
): void {
  const { numbers } = column.chunk(chunk);
  const visible = table.visibleRows(chunk);
  const size = Math.min(numbers.length, table.size - chunk * CHUNK_ROWS);
  for (let row = 0; row < size; row += 1) {
    // False for NaN, which rows without a number have.
    const value = (numbers[row] ?? 0) * sign;
    if (value <= bound && visible?.[row] !== 0) collected.push(value);
  }
}
