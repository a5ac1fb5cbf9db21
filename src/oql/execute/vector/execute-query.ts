// The way every query runs: over columns where it can, by the reference evaluator where it must.

import { printJson } from '../../../value/json-print.ts';
import type { Value } from '../../../value/value.ts';
import { mapChildren } from '../../bind/bound-children.ts';
import type { BoundExpression, BoundQuery } from '../../bind/bound-query.ts';
import { buildPlan, buildRowPlan } from '../../plan/build-plan.ts';
import { chooseAccess, relevantIndexes } from '../../plan/choose-access.ts';
import { type Explanation, explainPlan, type Figures } from '../../plan/explain.ts';
import type { NodeFigures, Plan, PlanNode } from '../../plan/plan-node.ts';
import { executeReference } from '../execute-reference.ts';
import { Pacer } from '../pacer.ts';
import type { QuerySource } from '../query-source.ts';
import { RowBudget } from '../row-budget.ts';
import { DEFAULT_MAX_ROWS_KEPT, type RunContext } from '../run-context.ts';
import type { ColumnSource, IndexFacts } from './column-source.ts';
import { executeVector, type JsonRows, type Meter, type VectorQuery } from './execute-vector.ts';
import { foldSubqueries } from './fold-subqueries.ts';
import { AskReference, Runtime } from './runtime.ts';
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

/**
 * How a query would run, and after `analyze` how it did: then it is run to its end, and its rows
 * are thrown away.
 */
export async function explainQuery(
  query: BoundQuery,
  columns: ColumnSource,
  source: QuerySource,
  context: RunContext,
  mode: 'estimate' | 'analyze',
): Promise<Explanation> {
  const opened = await openVector(query, columns, source, context);
  if (!('shape' in opened)) {
    const plan = buildRowPlan(opened.reason);
    return explainPlan(
      plan,
      mode === 'analyze' ? await measureRows(plan, query, source, context) : undefined,
    );
  }
  const budget = new RowBudget(context.maxRowsKept ?? DEFAULT_MAX_ROWS_KEPT);
  const { parameters } = context;
  const runtime = new Runtime(opened.query, opened.shape, opened.tables, { parameters, budget });
  const plan = buildPlan(runtime, chooseAccess(runtime, opened.indexes), query.text);
  if (mode === 'estimate') return explainPlan(plan);
  const meter = createMeter(opened.shape.iterators.length);
  try {
    for await (const _ of executeVector({ ...opened, meter }));
  } catch (error) {
    if (!(error instanceof AskReference)) throw error;
    const rowPlan = buildRowPlan(error.message);
    return explainPlan(rowPlan, await measureRows(rowPlan, query, source, context));
  }
  return explainPlan(plan, assignFigures(plan, meter));
}

function createMeter(iterators: number): Meter {
  const figures = (): NodeFigures => ({ rows: 0, ms: 0 });
  const stages = Array.from({ length: iterators }, figures);
  return { access: figures(), stages, matches: figures(), result: figures() };
}

/** Steps between those that were measured have no figures of their own. */
function assignFigures(plan: Plan, meter: Meter): Figures {
  const figures = new Map<PlanNode, NodeFigures>([[plan.root, meter.result]]);
  figures.set(plan.matched, meter.matches);
  let stage = meter.stages.length - 1;
  for (let node: PlanNode | undefined = plan.matched; node !== undefined; node = node.input) {
    if (node.kind === 'scan' || node.kind === 'index-lookup') figures.set(node, meter.access);
    if (node.kind !== 'items' && node.kind !== 'hash-join') continue;
    const measured = meter.stages[stage];
    if (measured !== undefined && !figures.has(node)) figures.set(node, measured);
    stage -= 1;
  }
  return figures;
}

async function measureRows(
  plan: Plan,
  query: BoundQuery,
  source: QuerySource,
  context: RunContext,
): Promise<Figures> {
  const begun = context.now();
  let rows = 0;
  for await (const batch of executeReference(query, source, context)) rows += batch.length;
  return new Map([[plan.root, { rows, ms: context.now() - begun }]]);
}

type OpenedVector = VectorQuery & { readonly indexes: readonly IndexFacts[] };

/** The tables a query needs, with the indexes it might use; or why it must read rows. */
async function openVector(
  original: BoundQuery,
  columns: ColumnSource,
  source: QuerySource,
  context: RunContext,
): Promise<OpenedVector | { readonly reason: string }> {
  if (!(await areReadable(original, source))) return { reason: 'a region cannot be read' };
  const query = (await foldIfNeeded(original, source, context)) ?? original;
  const shape = shapeSelect(query.body);
  if (!('select' in shape)) return shape;
  const [first, ...others] = shape.requests;
  if (first === undefined) return { reason: 'no region is read' };
  const indexes = relevantIndexes(shape, columns.indexesOf(first.region));
  const requests = [{ ...first, indexes: indexes.map(({ name }) => name) }, ...others];
  const pacer = new Pacer(context, query.text);
  const tables = await columns.openTables(requests, {
    // The builder asks rarely enough by itself.
    isDue: () => pacer.isSliceOver(),
    pause: () => pacer.pause(),
  });
  if (tables === undefined) return { reason: 'its columns could not be had for this moment' };
  return { query, shape, tables, context, indexes };
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
