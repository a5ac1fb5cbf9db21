// Runs every query: over columns if possible, otherwise by the reference evaluator.

import { Double, type List, type Value } from '../../value/value.ts';
import type { BoundFunction, BoundQuery, BoundSelect } from '../bind/bound-query.ts';
import { leftJoinsOf } from '../bind/left-join.ts';
import { regionsOf } from '../bind/references.ts';
import type { ColumnSource } from '../columnar/column-source.ts';
import { shapeSelect } from '../columnar/shape.ts';
import { OqlError } from '../errors.ts';
import type { ReferenceNode } from '../plan/plan-node.ts';
import { planRows } from '../plan/plan-rows.ts';
import { usefulIndexes } from '../plan/useful-indexes.ts';
import { isRowFailure } from '../reference/environment.ts';
import { Pacer } from '../reference/pacer.ts';
import type { QuerySource } from '../reference/query-source.ts';
import { RowBudget } from '../reference/row-budget.ts';
import type { RunContext } from '../reference/run-context.ts';
import { runRows } from './run-rows.ts';
import { collectValues, executeVector, type VectorQuery } from './vector/execute-vector.ts';
import { type JsonRows, JsonWriter } from './vector/output/json-writer.ts';
import { FailedRow, FallBackToRows } from './vector/runtime.ts';
import { foldSubqueries } from './vector/subqueries/fold-subqueries.ts';
import { splitAttributes } from './vector/subqueries/split-attributes.ts';

/** The data of a query, and how it runs. Both sources must show the same commit. */
export interface QueryInputs {
  readonly columns: ColumnSource;
  readonly source: QuerySource;
  readonly context: RunContext;
}

/**
 * Runs a query and delivers its rows as JSON, as they are found. Subqueries, and the fallback to
 * rows, count against the same time limit.
 */
export async function* executeQuery(
  bound: BoundQuery,
  { context: request, ...sources }: QueryInputs,
): AsyncGenerator<JsonRows> {
  const query = showEmptyAverages(bound, request);
  const context = { ...request, startedAt: request.startedAt ?? request.now() };
  const inputs = { ...sources, context };
  const opened = await openVector(query, inputs);
  let delivered = 0;
  for await (const run of optimizedRuns(query, opened, inputs)) {
    try {
      for await (const piece of run(delivered)) {
        delivered += piece.rows;
        yield piece;
      }
      return;
    } catch (error) {
      const isSure = error instanceof FailedRow && error.isFirst && opened.query === query;
      // Without an entry, the reference evaluator has to find out which one it was.
      if (isSure && error.failure.entry !== undefined) throw error.failure;
      // The folded query may fail where the original does not.
      if (!(error instanceof FallBackToRows || isRowFailure(error))) throw error;
    }
  }
  yield* executeRows(query, inputs, delivered);
}

/** Where results show NaN, an average of no values is NaN, as in Geode; elsewhere it is null. */
function showEmptyAverages(query: BoundQuery, { form }: RunContext): BoundQuery {
  const { body } = query;
  if (form?.nonFinite !== 'text' || body.kind !== 'select') return query;
  if (body.grouping === undefined) return query;
  const aggregates = body.grouping.aggregates.map((each) =>
    each.function === 'avg' ? { ...each, ofNothing: new Double(Number.NaN) } : each,
  );
  return { ...query, body: { ...body, grouping: { ...body.grouping, aggregates } } };
}

/** Runs over columns, or at least without the subqueries that have already run. */
async function* optimizedRuns(
  query: BoundQuery,
  opened: OpenedQuery,
  inputs: QueryInputs,
): AsyncGenerator<(delivered: number) => AsyncGenerator<JsonRows>> {
  if ('shape' in opened) yield () => executeVector(opened);
  const rowQuery = await queryByRows(query, opened, inputs);
  if (rowQuery !== query) yield (delivered) => executeRows(rowQuery, inputs, delivered);
}

/** The query that runs by rows first. What fails over columns also fails without its subqueries. */
export async function queryByRows(
  query: BoundQuery,
  opened: OpenedQuery,
  inputs: QueryInputs,
): Promise<BoundQuery> {
  if (!('shape' in opened)) return opened.query;
  const folded = await foldLeftJoins(opened.query, inputs);
  return folded === opened.query ? query : folded;
}

/** A query without the subqueries that have run: with open tables, or why it must read rows. */
export type OpenedQuery = (
  | VectorQuery
  | { readonly query: BoundQuery; readonly reason: string }
) & {
  /** Milliseconds that the subqueries took. */
  readonly foldingMs: number;
};

/** Opens the tables of a query, with the indexes that it may use; or says why it must read rows. */
export async function openVector(original: BoundQuery, inputs: QueryInputs): Promise<OpenedQuery> {
  const { columns, context } = inputs;
  // The reference evaluator reports errors about regions.
  const areReadable = original.regions.every((name) => columns.isReadable(name));
  if (!areReadable) return { reason: 'a region cannot be read', query: original, foldingMs: 0 };
  const foldingStartedAt = context.now();
  const query = await prepareQuery(original, inputs, 'kept');
  const foldingMs = context.now() - foldingStartedAt;
  const byRows = async (reason: string): Promise<OpenedQuery> => {
    const foldedAt = context.now();
    const folded = await foldLeftJoins(query, inputs);
    return { reason, query: folded, foldingMs: foldingMs + context.now() - foldedAt };
  };
  const shape = shapeSelect(query.body);
  if (!('select' in shape)) return byRows(shape.reason);
  if (shape.requests.length === 0) return byRows('no region is read');
  if (query === original && seeksFewKeys(planRows(query, context.parameters))) {
    return byRows('it seeks few keys');
  }
  const { indexes, requests } = usefulIndexes(shape, columns);
  const tables = await columns.openTables(requests, new Pacer(context, query.text));
  const { onIndexUsed } = columns;
  if (tables === undefined) return byRows('its columns are not available for this snapshot');
  return { query, shape, tables, context, indexes, foldingMs, onIndexUsed };
}

/** Reading so many entries by their keys costs less than opening columns. */
const FEW_KEYS = 64;

function seeksFewKeys({ input }: ReferenceNode): boolean {
  return input?.areSingle === true && input.ranges.length <= FEW_KEYS;
}

/** The query without the subqueries that could be run before it; LEFT JOINs of regions may stay. */
export async function prepareQuery(
  query: BoundQuery,
  inputs: QueryInputs,
  leftJoins: 'kept' | 'folded',
): Promise<BoundQuery> {
  const run = async (body: BoundSelect | BoundFunction): Promise<List | undefined> => {
    const subquery = { ...query, body, regions: regionsOf(body) };
    try {
      return await runSubquery(subquery, inputs);
    } catch (error) {
      // The whole query decides whether the failure of a subquery matters.
      const isTooLarge = error instanceof OqlError && error.code === 'oql/too-many-rows';
      if (isTooLarge || isRowFailure(error)) return undefined;
      throw error;
    }
  };
  return splitAttributes(await foldSubqueries(query, run, leftJoins));
}

/** A prepared query as it runs by rows: a LEFT JOIN that was kept would run again for each row. */
async function foldLeftJoins(query: BoundQuery, inputs: QueryInputs): Promise<BoundQuery> {
  const areKept = leftJoinsOf(query.body).length > 0;
  return areKept ? prepareQuery(query, inputs, 'folded') : query;
}

async function runSubquery(query: BoundQuery, inputs: QueryInputs): Promise<List> {
  const opened = await openVector(query, inputs);
  if ('shape' in opened) {
    try {
      return await collectValues(opened);
    } catch (error) {
      if (!(error instanceof FallBackToRows)) throw error;
    }
  }
  const { source, context } = inputs;
  const rows: Value[] = [];
  const budget = new RowBudget(context.maxRowsKept);
  const location = { text: query.text, span: query.body.span };
  for await (const batch of runRows(planRows(query, context.parameters), source, context)) {
    budget.keep(batch.length, location);
    for (const row of batch) rows.push(row);
  }
  return rows;
}

/** Skips the rows that were delivered from columns: they are the beginning of the same result. */
async function* executeRows(
  query: BoundQuery,
  { source, context }: QueryInputs,
  delivered: number,
): AsyncGenerator<JsonRows> {
  const sink = new JsonWriter(context.form);
  let skip = delivered;
  for await (const batch of runRows(planRows(query, context.parameters), source, context)) {
    for (const row of batch.slice(skip)) sink.writeValue(row);
    skip = Math.max(0, skip - batch.length);
    const piece = sink.take();
    if (piece !== undefined) yield piece;
  }
}
