// Runs a query at its moment. Rows are held back until the query has ended or its snapshot is open,
// because until then it may have to restart at a later moment.

import {
  type BoundQuery,
  type Catalog,
  type ColumnSource,
  executeQuery,
  type RunContext,
} from '../../oql/index.ts';
import type { QueryMoment } from './query-moment.ts';
import { createMomentSource } from './snapshot-source.ts';

/** Result rows as JSON, joined by commas. */
export type ResultPiece =
  ReturnType<typeof executeQuery> extends AsyncGenerator<infer Piece> ? Piece : never;

/** For a longer result a snapshot is opened, so that rows can be delivered as they are found. */
const HELD_BYTES = 256 * 1024;

export interface QueryAt {
  readonly query: BoundQuery;
  readonly catalog: Catalog;
  readonly moment: QueryMoment;
  readonly columns: ColumnSource;
  /** Called with the sequence of the moment before the first row. */
  readonly onOpen: ((sequence: number) => void) | undefined;
}

/** Throws `MomentPassed` when the query must restart; nothing was delivered then. */
export async function* runAt(
  { query, catalog, columns, moment, onOpen }: QueryAt,
  context: RunContext,
): AsyncGenerator<ResultPiece> {
  const source = createMomentSource(moment, catalog);
  const held: ResultPiece[] = [];
  let heldBytes = 0;
  let isOpen = false;
  for await (const piece of executeQuery(query, columns, source, context)) {
    held.push(piece);
    heldBytes += piece.json.length;
    if (moment.snapshot === undefined) {
      if (heldBytes <= HELD_BYTES) continue;
      await moment.openSnapshot('result');
    }
    if (!isOpen) onOpen?.(moment.sequence);
    isOpen = true;
    yield* held.splice(0);
  }
  if (!isOpen) onOpen?.(moment.sequence);
  yield* held;
}
