// The way every query runs: over columns where it can, by the reference evaluator where it must.

import { printJson } from '../../../value/json-print.ts';
import type { Value } from '../../../value/value.ts';
import { mapChildren } from '../../bind/bound-children.ts';
import type { BoundExpression, BoundQuery } from '../../bind/bound-query.ts';
import { wantIndexes } from '../../plan/wanted-indexes.ts';
import { executeReference } from '../execute-reference.ts';
import { Pacer } from '../pacer.ts';
import type { QuerySource } from '../query-source.ts';
import type { RunContext } from '../run-context.ts';
import type { ColumnSource } from './column-source.ts';
import { executeVector, type JsonRows, type VectorQuery } from './execute-vector.ts';
import { foldSubqueries } from './fold-subqueries.ts';
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
  const opened = await openVector(query, columns, source, context);
  let delivered = 0;
  if ('shape' in opened) {
    try {
      for await (const piece of executeVector(opened)) {
        delivered += piece.rows;
        yield piece;
      }
      return;
    } catch (error) {
      if (!(error instanceof AskReference)) throw error;
    }
  }
  yield* executeRows(query, source, context, delivered);
}

export interface OpenedVector extends VectorQuery {
  /** Milliseconds that the subqueries took. */
  readonly foldingMs: number;
}

/** The tables a query needs, with the indexes it might use; or why it must read rows. */
export async function openVector(
  original: BoundQuery,
  columns: ColumnSource,
  source: QuerySource,
  context: RunContext,
): Promise<OpenedVector | { readonly reason: string }> {
  if (!(await areReadable(original, source))) return { reason: 'a region cannot be read' };
  const begun = context.now();
  const query = (await foldIfNeeded(original, source, context)) ?? original;
  const foldingMs = context.now() - begun;
  const shape = shapeSelect(query.body);
  if (!('select' in shape)) return shape;
  if (shape.requests.length === 0) return { reason: 'no region is read' };
  const { indexes, requests } = wantIndexes(shape, columns);
  const pacer = new Pacer(context, query.text);
  const tables = await columns.openTables(requests, {
    // The builder asks rarely enough by itself.
    isDue: () => pacer.isSliceOver(),
    pause: () => pacer.pause(),
  });
  if (tables === undefined) return { reason: 'its columns could not be had for this moment' };
  return { query, shape, tables, context, indexes, foldingMs };
}

/** Running subqueries first pays only if the rest can then run over columns. */
async function foldIfNeeded(
  query: BoundQuery,
  source: QuerySource,
  context: RunContext,
): Promise<BoundQuery | undefined> {
  if ('select' in shapeSelect(query.body) || !isColumnarOtherwise(query.body)) return undefined;
  return foldSubqueries(query, source, context);
}

/** Whether only its uncorrelated subqueries keep a select from running over columns. */
function isColumnarOtherwise(body: BoundExpression): boolean {
  if (body.kind !== 'select') return false;
  const without = (node: BoundExpression): BoundExpression =>
    node.kind === 'select' && node.outerDepths.length === 0
      ? { kind: 'literal', value: [], span: node.span }
      : mapChildren(node, without);
  return 'select' in shapeSelect(mapChildren(body, without));
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
