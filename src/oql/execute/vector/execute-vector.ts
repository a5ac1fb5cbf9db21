// Runs a select over columns, batch by batch. The result equals the reference evaluator's, row for
// row; where columns cannot decide it, `FallBackToRows` is thrown, and the rows delivered so far
// are a prefix of the reference's result.

import type { List, Value } from '../../../value/value.ts';
import type { BoundQuery } from '../../bind/bound-query.ts';
import type { ColumnSource, IndexFacts, SourceTable } from '../../columnar/column-source.ts';
import { withKeyIndex } from '../../columnar/key-index.ts';
import type { VectorShape } from '../../columnar/shape.ts';
import { mayHideFailure } from '../../plan/choose-joins.ts';
import { optimize } from '../../plan/optimize.ts';
import { Pacer } from '../../reference/pacer.ts';
import { RowBudget } from '../../reference/row-budget.ts';
import type { RunContext } from '../../reference/run-context.ts';
import { limitsOf } from '../../reference/select-rows.ts';
import { type JsonRows, JsonWriter } from './output/json-writer.ts';
import { ValueSink } from './output/row-sink.ts';
import { runPlan } from './run-plan.ts';
import { FallBackToRows, Runtime, type VectorPlan } from './runtime.ts';

export interface VectorQuery extends Pick<ColumnSource, 'onIndexUsed'> {
  readonly query: BoundQuery;
  readonly shape: VectorShape;
  readonly tables: readonly SourceTable[];
  readonly context: RunContext;
  /** Indexes of the regions, by table; only those requested with the tables can be used. */
  readonly indexes?: readonly (readonly IndexFacts[])[];
}

/** Plans and runs a query, and yields in between if planning took long. */
export async function* executeVector(vectorQuery: VectorQuery): AsyncGenerator<JsonRows> {
  const { context } = vectorQuery;
  yield* runPlan(await planInTurn(vectorQuery), context, new JsonWriter(context.form));
}

export async function collectValues(vectorQuery: VectorQuery): Promise<List> {
  const plan = await planInTurn(vectorQuery);
  const collected: Value[] = [];
  const sink = new ValueSink(plan.runtime);
  for await (const { values } of runPlan(plan, vectorQuery.context, sink)) {
    for (const value of values) collected.push(value);
  }
  return collected;
}

async function planInTurn(vectorQuery: VectorQuery): Promise<VectorPlan> {
  const pacer = new Pacer(vectorQuery.context, vectorQuery.query.text);
  const plan = planVector(vectorQuery);
  for (const index of plan.used) vectorQuery.onIndexUsed?.(index);
  if (pacer.isSliceOver()) await pacer.pause();
  return plan;
}

/** Plans the query over its open tables; throws `FallBackToRows` if columns cannot join them. */
export function planVector({ query, shape, tables, context, indexes }: VectorQuery): VectorPlan {
  const { parameters } = context;
  const budget = new RowBudget(context.maxRowsKept);
  const runtime = new Runtime(query, shape, tables, { parameters, budget });
  if (mayHideFailure(runtime)) throw new FallBackToRows('ON of a LEFT JOIN may fail');
  const { limit, offset } = limitsOf(shape.select, parameters, query.text);
  const plan = optimize(runtime, {
    indexes: withKeyIndex(shape, indexes ?? []),
    neededRows: limit + offset,
    offset,
  });
  // The planner may have rewritten the select.
  const { shape: planned } = plan.data;
  return { ...plan, runtime: planned === shape ? runtime : runtime.withShape(planned) };
}
