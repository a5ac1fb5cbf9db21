// The last step of the planner: builds the tree from a finished draft.

import type { BoundExpression, BoundGrouping } from '../bind/bound-query.ts';
import { countsWithoutLimit } from '../bind/count-limit.ts';
import { iteratorsOf, neverFails } from '../columnar/conjuncts.ts';
import type { Draft } from './draft.ts';
import type { GroupNode, ResultNode, RootNode, RowsNode } from './plan-node.ts';
import { hasOneOrder } from './safety.ts';

export function buildTree(draft: Draft): RootNode {
  const { facts, data } = draft;
  const { select } = data.shape;
  const { offset, neededRows } = facts;
  const rows = buildRows(draft);
  if (select.shape !== 'count') return { kind: 'project', input: buildResult(draft, rows) };
  const limit = countsWithoutLimit(select) ? Number.POSITIVE_INFINITY : neededRows - offset;
  const input = select.distinct ? ({ kind: 'distinct', input: rows } as const) : rows;
  return { kind: 'count', limit, offset, input };
}

/** FROM and WHERE. */
function buildRows(draft: Draft): RowsNode {
  const { access, order, restoresOrder, data, filters, joins } = draft;
  const first: RowsNode = { kind: 'access', stage: 0, access };
  if (access.kind === 'empty' || access.kind === 'size' || access.kind === 'count') return first;
  let node: RowsNode = first;
  data.shape.iterators.forEach((_, stage) => {
    const join = joins[stage];
    if (join !== undefined) {
      node = { ...join, earlier: filters.slice(0, stage).flat(), input: node };
    } else if (stage > 0) {
      node = { kind: 'items', stage, input: node };
    }
    const conditions = conditionsOn(draft, stage);
    if (conditions.length > 0) node = { kind: 'filter', stage, conditions, input: node };
  });
  return restoresOrder ? { kind: 'restore-order', order, input: node } : node;
}

/** Conditions that the join itself does not decide. */
function conditionsOn({ filters, joins }: Draft, stage: number): readonly BoundExpression[] {
  const join = joins[stage];
  const here = filters[stage] ?? [];
  if (join === undefined) return here;
  const decided = new Set<BoundExpression>('build' in join ? join.build.conditions : []);
  if ('equality' in join) decided.add(join.equality.conjunct);
  return here.filter((conjunct) => !decided.has(conjunct));
}

/** One node for each clause of the select, each on top of the one before. */
function buildResult(draft: Draft, rows: RowsNode): RowsNode | ResultNode {
  const { access, facts, data } = draft;
  const { select } = data.shape;
  const { grouping, orderBy } = select;
  const mayFail = !select.projections.every(({ expression }) => neverFails(expression));
  const { offset, neededRows } = facts;
  let node: RowsNode | ResultNode = rows;
  if (grouping !== undefined) {
    const groups = whatToGroup(draft, grouping, rows);
    node = { kind: 'group', grouping, groups, input: rows };
  }
  if (select.distinct) node = { kind: 'distinct', input: node };
  const comesSorted = access.kind === 'ordered' && access.covers === 'all';
  if (orderBy.length > 0 && !comesSorted) {
    const isWholeRegion = node.kind === 'access' && node.access.kind === 'scan';
    const keys = orderBy.map((key) => ({
      ...key,
      mayFail: !neverFails(key.expression),
      hasOneOrder: hasOneOrder(key.expression, data),
    }));
    node = { kind: 'sort', orderBy: keys, limit: neededRows, isWholeRegion, mayFail, input: node };
  }
  if (select.limit === undefined && select.offset === undefined) return node;
  return { kind: 'limit', offset, limit: neededRows - offset, mayFail, input: node };
}

/**
 * The build side decides the group if all keys are its columns. Aggregates must then be over
 * columns of the probe side, because build rows are not paired with it.
 */
function whatToGroup(
  { data }: Draft,
  { keys, aggregates }: BoundGrouping,
  rows: RowsNode,
): GroupNode['groups'] {
  if (rows.kind !== 'hash-join' || rows.keeps !== 'matching' || keys.length === 0) return 'rows';
  if (rows.equality.keys !== 'columns') return 'rows';
  const { columns } = data.shape;
  const isOfBuild = keys.every((key) => columns[data.columnNumberOf(key)]?.iterator === rows.stage);
  const isOfProbe = aggregates.every(
    ({ argument }) =>
      argument === undefined || [...iteratorsOf(argument)].every((each) => each < rows.stage),
  );
  return isOfBuild && isOfProbe ? 'build-rows' : 'rows';
}
