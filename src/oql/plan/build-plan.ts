// From a select and the chosen access to a plan. The steps are those the executor takes, in its
// order: conditions as early as their iterators allow, joins in the order of FROM, so that rows come
// out as nested loops give them.

import type { BoundExpression, BoundGrouping, BoundSelect } from '../bind/bound-query.ts';
import { findEquiJoin, splitConjuncts, stageOf } from '../execute/vector/conjuncts.ts';
import type { Runtime } from '../execute/vector/runtime.ts';
import type { AccessChoice } from './choose-access.ts';
import type { Plan, PlanNode } from './plan-node.ts';

/** The parts of the query text that expressions stand for. */
type Excerpt = (expression: {
  readonly span: { readonly start: number; readonly end: number };
}) => string;

export function buildPlan(runtime: Runtime, choice: AccessChoice, text: string): Plan {
  const excerpt: Excerpt = ({ span }) => text.slice(span.start, span.end).replace(/\s+/g, ' ');
  const { access } = choice;
  const indexes = access.kind === 'index' ? access.uses.map(({ index }) => index.name) : [];
  let node = accessNode(runtime, choice);
  runtime.shape.iterators.forEach((_, stage) => {
    if (stage > 0) node = joinNode(runtime, stage, node, excerpt);
    node = filterNode(runtime, stage, node, excerpt);
  });
  const root = resultNodes(runtime.shape.select, node, excerpt);
  return { root, matched: node, indexes, refused: choice.refused, reason: undefined };
}

/** The plan of a query that columns do not serve. */
export function buildRowPlan(reason: string): Plan {
  const root: PlanNode = {
    kind: 'rows',
    detail: 'row by row from the store',
    estimatedRows: undefined,
    input: undefined,
  };
  return { root, matched: root, indexes: [], refused: [], reason };
}

function accessNode(runtime: Runtime, { access }: AccessChoice): PlanNode {
  const first = runtime.shape.iterators[0];
  const region = first?.kind === 'region' ? `/${first.region}` : '';
  if (access.kind === 'scan') {
    const estimatedRows = runtime.tableOf(0).entryCount;
    return { kind: 'scan', detail: region, estimatedRows, input: undefined };
  }
  const names = access.uses.map(({ index }) => index.name).join(' and ');
  const detail = `${region} through ${names}`;
  return { kind: 'index-lookup', detail, estimatedRows: access.rows, input: undefined };
}

function joinNode(runtime: Runtime, stage: number, input: PlanNode, excerpt: Excerpt): PlanNode {
  const shape = runtime.shape.iterators[stage];
  const { iterators, where } = runtime.shape.select;
  const name = iterators[stage]?.name ?? '';
  if (shape?.kind === 'items') {
    const path = shape.collection.map((segment) => segment.join('.')).join('[].');
    const estimatedRows = input.estimatedRows && Math.round(input.estimatedRows * ITEMS_PER_ROW);
    return { kind: 'items', detail: `${name}: ${path}`, estimatedRows, input };
  }
  const join = findEquiJoin(
    splitConjuncts(where).filter((each) => stageOf(each) === stage),
    stage,
  );
  const on = join === undefined ? 'no equality' : excerpt(join.conjunct);
  const detail = `${name}: /${shape?.region ?? ''} on ${on}`;
  return { kind: 'hash-join', detail, estimatedRows: input.estimatedRows, input };
}

const ITEMS_PER_ROW = 3;

function filterNode(runtime: Runtime, stage: number, input: PlanNode, excerpt: Excerpt): PlanNode {
  const all = splitConjuncts(runtime.shape.select.where);
  const here = all.filter((conjunct) => stageOf(conjunct) === stage);
  const isRegion = runtime.shape.iterators[stage]?.kind === 'region';
  const join = stage > 0 && isRegion ? findEquiJoin(here, stage) : undefined;
  const conditions = here.filter((conjunct) => conjunct !== join?.conjunct);
  if (conditions.length === 0) return input;
  const isSelected = input.kind === 'index-lookup';
  const share = conditions.reduce((product, each) => product * (isSelected ? 1 : shareOf(each)), 1);
  return {
    kind: 'filter',
    detail: conditions.map(excerpt).join(' AND '),
    estimatedRows:
      input.estimatedRows === undefined ? undefined : Math.ceil(input.estimatedRows * share),
    input,
  };
}

/** How many rows a condition is expected to keep, for want of better knowledge. */
function shareOf(condition: BoundExpression): number {
  if (condition.kind === 'comparison' && condition.operator === '=') return 0.1;
  if (condition.kind === 'comparison' && condition.operator === '<>') return 0.9;
  return 1 / 3;
}

/** Each clause that the select has is one step on top of those before it. */
function resultNodes(select: BoundSelect, matched: PlanNode, excerpt: Excerpt): PlanNode {
  if (select.shape === 'count' && !select.distinct) return countNode(matched);
  let node = matched;
  if (select.grouping !== undefined) node = groupNode(select.grouping, node, excerpt);
  if (select.distinct) {
    node = { kind: 'distinct', detail: '', estimatedRows: node.estimatedRows, input: node };
  }
  if (select.orderBy.length > 0) {
    const detail = select.orderBy
      .map(({ expression, direction }) => `${excerpt(expression)} ${direction}`)
      .join(', ');
    node = { kind: 'sort', detail, estimatedRows: node.estimatedRows, input: node };
  }
  if (select.limit !== undefined || select.offset !== undefined) node = limitNode(select, node);
  if (select.shape === 'count') return countNode(node);
  const names = select.projections.map(({ name }) => name).join(', ');
  return { kind: 'project', detail: names, estimatedRows: node.estimatedRows, input: node };
}

function countNode(input: PlanNode): PlanNode {
  return { kind: 'count', detail: '', estimatedRows: 1, input };
}

function groupNode(grouping: BoundGrouping, input: PlanNode, excerpt: Excerpt): PlanNode {
  const keys = grouping.keys.map(excerpt).join(', ');
  return {
    kind: 'group',
    detail: keys === '' ? 'all rows' : `by ${keys}`,
    estimatedRows: keys === '' ? 1 : undefined,
    input,
  };
}

function limitNode({ limit, offset }: BoundSelect, input: PlanNode): PlanNode {
  const rows = limit?.kind === 'rows' ? limit.rows : undefined;
  const { estimatedRows } = input;
  const skipped = offset?.kind === 'rows' ? ` offset ${offset.rows}` : '';
  return {
    kind: 'limit',
    detail: `${rows ?? 'by parameter'}${skipped}`,
    estimatedRows: rows === undefined ? estimatedRows : Math.min(rows, estimatedRows ?? rows),
    input,
  };
}
