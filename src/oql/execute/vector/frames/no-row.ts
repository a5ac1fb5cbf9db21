// The row of a table that a LEFT JOIN without a match shows: the first one after the chunks of the
// table, where every column is missing. Frames, sorting and grouping treat it as any other row.

import { CHUNK_ROWS, type SourceChunk, type SourceColumn } from '../../../../value/column-data.ts';
import { MISSING, TRUE } from '../../../../value/row-tags.ts';
import type { SourceTable } from '../../../columnar/column-source.ts';
import { chunkOf } from './vector.ts';

export function numberOfNoRow({ size }: SourceTable): number {
  return Math.ceil(size / CHUNK_ROWS) * CHUNK_ROWS;
}

/** The column as of its table: rows that are written during a query begin at the same number. */
export function withNoRow(column: SourceColumn, table: SourceTable): SourceColumn {
  const { strings, texts, testResults } = column;
  const end = numberOfNoRow(table) / CHUNK_ROWS;
  const chunk = (index: number): SourceChunk => (index < end ? column.chunk(index) : NOTHING);
  return { strings, texts, testResults, chunk };
}

/** Whether there is a row, which takes no key to read. `strings` are those of any column. */
export function presence({ strings, texts }: SourceColumn): SourceColumn {
  return { strings, texts, testResults: new Map(), chunk: () => ROWS };
}

const ROWS = chunkOf(TRUE, CHUNK_ROWS);
const NOTHING = chunkOf(MISSING, CHUNK_ROWS);
