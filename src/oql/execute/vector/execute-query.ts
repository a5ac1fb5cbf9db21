// The way every query runs: over columns where it can, by the reference evaluator where it must.

import { printJson } from '../../../value/json-print.ts';
import type { Value } from '../../../value/value.ts';
import type { BoundQuery } from '../../bind/bound-query.ts';
import { executeReference } from '../execute-reference.ts';
import { Pacer } from '../pacer.ts';
import type { QuerySource } from '../query-source.ts';
import type { RunContext } from '../run-context.ts';
import type { ColumnSource } from './column-source.ts';
import { executeVector, type JsonRows } from './execute-vector.ts';
import { AskReference } from './runtime.ts';
import { shapeSelect } from './shape.ts';

/**
 * Runs a query and delivers its rows as JSON, as they are found. Both sources must show the same
 * moment.
 */
export async function* executeQuery(
  query: BoundQuery,
  columns: ColumnSource,
  source: QuerySource,
  context: RunContext,
): AsyncGenerator<JsonRows> {
  const shape = shapeSelect(query.body);
  let delivered = 0;
  if ('select' in shape && (await areReadable(query, source))) {
    const pacer = new Pacer(context, query.text);
    const buildPacer = {
      // The builder asks rarely enough by itself.
      isDue: () => pacer.isSliceOver(),
      pause: () => pacer.pause(),
    };
    const tables = await columns.openTables(shape.requests, buildPacer);
    if (tables !== undefined) {
      try {
        for await (const piece of executeVector({ query, shape, tables, context })) {
          delivered += piece.rows;
          yield piece;
        }
        return;
      } catch (error) {
        if (!(error instanceof AskReference)) throw error;
      }
    }
  }
  yield* executeRows(query, source, context, delivered);
}

/** What is wrong with a region is for the reference evaluator to tell. */
async function areReadable({ regions }: BoundQuery, source: QuerySource): Promise<boolean> {
  for (const name of regions) {
    const region = await source.findRegion(name);
    if (region === undefined || region.type === 'EMPTY') return false;
  }
  return true;
}

/** What columns already delivered is the beginning of the same result, and is passed over. */
async function* executeRows(
  query: BoundQuery,
  source: QuerySource,
  context: RunContext,
  delivered: number,
): AsyncGenerator<JsonRows> {
  const encoder = new TextEncoder();
  let skip = delivered;
  for await (const batch of executeReference(query, source, context)) {
    const rows: readonly Value[] = batch.slice(skip);
    skip = Math.max(0, skip - batch.length);
    if (rows.length === 0) continue;
    yield { rows: rows.length, json: encoder.encode(rows.map(printJson).join(',')) };
  }
}
