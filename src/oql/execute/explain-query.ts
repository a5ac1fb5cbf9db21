// EXPLAIN, and EXPLAIN ANALYZE.

import { isList } from '../../value/value.ts';
import { forEachChild } from '../bind/bound-children.ts';
import type { BoundExpression, BoundQuery, BoundSelect } from '../bind/bound-query.ts';
import { partText } from '../bind/part-text.ts';
import { describeRowByRow, PlanDescriptions } from '../plan/describe-plan.ts';
import { type Explanation, explainPlan } from '../plan/explain.ts';
import type { ReferenceNode, SubqueryNode } from '../plan/plan-node.ts';
import { planRows } from '../plan/plan-rows.ts';
import { isRowFailure } from '../reference/environment.ts';
import { type OpenedQuery, openVector, type QueryInputs, queryByRows } from './execute-query.ts';
import { Meter } from './meter.ts';
import { runRows } from './run-rows.ts';
import { planVector } from './vector/execute-vector.ts';
import { JsonWriter } from './vector/output/json-writer.ts';
import { runPlan } from './vector/run-plan.ts';
import { FallBackToRows } from './vector/runtime.ts';

/** The plan of a query. With `analyze` the query runs to its end, and its rows are dropped. */
export async function explainQuery(
  query: BoundQuery,
  inputs: QueryInputs,
  mode: 'estimate' | 'analyze',
): Promise<Explanation> {
  const { context } = inputs;
  const meter = mode === 'analyze' ? new Meter(context.now) : undefined;
  const opened = await openVector(query, inputs);
  const folded = foldedSubqueries(query, opened);
  // They ran one after another; only their total time is known.
  for (const node of folded) meter?.addRows(node, node.rows ?? 0, opened.foldingMs / folded.length);
  const isOverColumns = 'shape' in opened;
  const others = isOverColumns ? [] : subqueriesOf(opened.query);
  const subqueries = [...folded, ...others.map((select) => subqueryNode(query, select))];
  const explainRows = async (reason: string): Promise<Explanation> => {
    const rowQuery = await queryByRows(query, opened, inputs);
    const root = await runByRows(rowQuery, query, inputs, meter);
    const plan = { root, rules: [], used: [], refused: [] };
    return { ...explainPlan(plan, subqueries, describeRowByRow, meter?.find), rowsBecause: reason };
  };
  if (!isOverColumns) return explainRows(opened.reason);
  try {
    const plan = planVector(opened);
    if (meter !== undefined) {
      for await (const _ of runPlan(plan, context, new JsonWriter(), meter));
    }
    const { describe } = new PlanDescriptions(plan, query.text);
    return explainPlan(plan, subqueries, describe, meter?.find);
  } catch (error) {
    if (!(error instanceof FallBackToRows)) throw error;
    return explainRows(error.message);
  }
}

/** Runs a query as `executeQuery` does by rows: without its subqueries, unless that fails. */
async function runByRows(
  query: BoundQuery,
  original: BoundQuery,
  inputs: QueryInputs,
  meter: Meter | undefined,
): Promise<ReferenceNode> {
  const { source, context } = inputs;
  const root = planRows(query, context.parameters);
  if (meter === undefined) return root;
  try {
    for await (const _ of runRows(root, source, context, meter));
    return root;
  } catch (error) {
    if (query === original || !isRowFailure(error)) throw error;
    return runByRows(original, original, inputs, meter);
  }
}

/** Subqueries that were replaced by their rows, or by tables of them. */
function foldedSubqueries(original: BoundQuery, opened: OpenedQuery): readonly SubqueryNode[] {
  const rows = new Map<number, number>();
  const visit = (node: BoundExpression): void => {
    const operation = node.kind === 'literal' ? node.operation : undefined;
    const count = operation === undefined ? countFoldedRows(node) : undefined;
    if (count !== undefined) rows.set(node.span.start, count);
    else forEachChild(operation ?? node, visit);
  };
  visit(opened.query.body);
  return subqueriesOf(original).flatMap((select) => {
    const count = rows.get(select.span.start);
    return count === undefined ? [] : [subqueryNode(original, select, count)];
  });
}

/** Rows of the subquery that an expression replaced; undefined for any other expression. */
function countFoldedRows(node: BoundExpression): number | undefined {
  if (node.kind === 'literal') return isList(node.value) ? node.value.length : undefined;
  if (node.kind !== 'rows-by-key') return undefined;
  return [...node.rows.values()].reduce((sum, list) => sum + list.length, 0);
}

function subqueryNode({ text }: BoundQuery, select: BoundSelect, rows?: number): SubqueryNode {
  return { kind: 'subquery', text: partText(text, select.span), rows };
}

/** The outermost queries inside a query. */
function subqueriesOf({ body }: BoundQuery): readonly BoundSelect[] {
  const selects: BoundSelect[] = [];
  forEachChild(body, function visit(node) {
    if (node.kind === 'select') selects.push(node);
    else forEachChild(node, visit);
  });
  return selects;
}
