// Runs a select over columns for its values instead of their JSON: for subqueries, whose rows the
// query around them computes with.

import { parseJson } from '../../../value/json-parse.ts';
import { type List, Struct, type Value } from '../../../value/value.ts';
import { Pacer } from '../../reference/pacer.ts';
import { isWait, PAUSE } from '../../reference/steps.ts';
import type { Matches } from './conditions/judge.ts';
import { planVector, type VectorQuery } from './execute-vector.ts';
import type { Frame } from './frames/frame.ts';
import { readAccess } from './frames/read-access.ts';
import { readValue } from './frames/read-value.ts';
import { DistinctFilter } from './groups/distinct.ts';
import { finishGroups } from './groups/finish-groups.ts';
import { Grouper } from './groups/grouper.ts';
import { restoreOrder } from './joins/restore-order.ts';
import { type Projection, Projector } from './output/projection.ts';
import { Pipeline } from './pipeline.ts';
import { createSteps } from './run-parts.ts';
import { columnPace, computedPace, inSlices } from './slices.ts';
import type { VectorPlan } from './vector-plan.ts';

/** All rows; undefined for a select whose clauses are not worth a way of their own here. */
export async function collectValues(opened: VectorQuery): Promise<List | undefined> {
  const { select } = opened.shape;
  const isCut = select.limit !== undefined || select.offset !== undefined;
  if (select.shape === 'count' || isCut) return undefined;
  if (select.grouping === undefined && select.orderBy.length > 0) return undefined;
  const plan = planVector(opened);
  plan.runtime.requireAllEntries();
  const pacer = new Pacer(opened.context, opened.query.text);
  pacer.check();
  return select.grouping === undefined ? collectRows(plan, pacer) : collectGroups(plan, pacer);
}

function findMatches(plan: VectorPlan, pacer: Pacer): Generator<Matches> {
  const { runtime, access, order, restoresOrder } = plan;
  const scan = { table: runtime.tableOf(0), slots: runtime.slots, before: [] };
  const found = new Pipeline(plan, 'rows', { pacer }).run(readAccess(scan, access));
  return restoresOrder ? restoreOrder(runtime, order, found) : found;
}

async function collectGroups(plan: VectorPlan, pacer: Pacer): Promise<List> {
  const { runtime } = plan;
  const grouper = new Grouper(runtime);
  const pace = grouper.isComputed ? computedPace() : columnPace();
  for (const { frame, rows } of findMatches(plan, pacer)) {
    for await (const some of inSlices(rows, pacer, pace)) grouper.add(frame, some);
    if (pacer.isSliceOver()) await pacer.pause();
  }
  const steps = createSteps(runtime, pacer);
  const values: Value[] = [];
  for (const step of finishGroups(runtime, grouper, Number.POSITIVE_INFINITY, steps)) {
    if (!isWait(step)) values.push(step);
    else if (step === PAUSE) await pacer.pause();
    else await step;
  }
  return values;
}

async function collectRows(plan: VectorPlan, pacer: Pacer): Promise<List> {
  const { runtime } = plan;
  const { select } = runtime.shape;
  const names = select.projections.map(({ name }) => name);
  const projector = new Projector(runtime);
  const distinct = select.distinct ? new DistinctFilter(runtime, projector) : undefined;
  const values: Value[] = [];
  const add = async (frame: Frame, rows: Uint32Array): Promise<void> => {
    let left = distinct?.filter(frame, rows) ?? rows;
    runtime.budget.keep(left.length, runtime.place);
    while (left.length > 0) {
      const texts = projector.isFromColumns ? undefined : await projector.readTexts(frame, left);
      const some = left.subarray(0, texts?.rows ?? left.length);
      some.forEach((row, index) => {
        const parts = projector.projections.map((projection, at) =>
          read(projector, projection, frame, row, texts?.byProjection[at]?.[index]),
        );
        values.push(select.shape === 'struct' ? new Struct(names, parts) : (parts[0] ?? null));
      });
      left = left.subarray(some.length);
    }
  };
  // Every value is made anew, so that each row counts.
  const pace = computedPace();
  for (const { frame, rows } of findMatches(plan, pacer)) {
    for await (const some of inSlices(rows, pacer, pace)) await add(frame, some);
    if (pacer.isSliceOver()) await pacer.pause();
  }
  return values;
}

function read(
  projector: Projector,
  projection: Projection,
  frame: Frame,
  row: number,
  text: string | undefined,
): Value {
  switch (projection.kind) {
    case 'column':
      return readValue(frame.vector(projection.slot), row, projection.column);
    case 'whole':
      return parseJson(text ?? 'null');
    case 'computed':
      return projector.compute(projection, frame, row);
  }
}
