// Runs a query at its read point. Rows are held back until the query has ended or its snapshot is open,
// because until then it may have to restart at a later commit.

import {
  type BoundQuery,
  type Catalog,
  type ColumnSource,
  executeQuery,
  type RunContext,
} from '../../oql/index.ts';
import type { ReadPoint } from './read-point.ts';
import { createReadPointSource } from './snapshot-source.ts';

/** Result rows as JSON, joined by commas. */
export type ResultPiece =
  ReturnType<typeof executeQuery> extends AsyncGenerator<infer Piece> ? Piece : never;

/** For a longer result a snapshot is opened, so that rows can be delivered as they are found. */
const HELD_BYTES = 256 * 1024;

export interface QueryAt {
  readonly query: BoundQuery;
  readonly catalog: Catalog;
  readonly readPoint: ReadPoint;
  readonly columns: ColumnSource;
  /** Called with the sequence of the read point before the first row. */
  readonly onOpen: ((sequence: number) => void) | undefined;
}

/** Throws `ReadPointPassed` when the query must restart; nothing was delivered then. */
export async function* runAt(
  { query, catalog, columns, readPoint, onOpen }: QueryAt,
  context: RunContext,
): AsyncGenerator<ResultPiece> {
  const source = createReadPointSource(readPoint, catalog);
  const held: ResultPiece[] = [];
  let heldBytes = 0;
  let isOpen = false;
  for await (const piece of executeQuery(query, { columns, source, context })) {
    held.push(piece);
    heldBytes += piece.json.length;
    if (readPoint.snapshot === undefined) {
      if (heldBytes <= HELD_BYTES) continue;
      await readPoint.openSnapshot('result');
    }
    if (!isOpen) onOpen?.(readPoint.sequence);
    isOpen = true;
    yield* held.splice(0);
  }
  if (!isOpen) onOpen?.(readPoint.sequence);
  yield* held;
}
