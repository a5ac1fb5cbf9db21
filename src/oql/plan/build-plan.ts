// From what the planner decided to the nodes that explain it. The nodes are the steps the executor
// takes, in its order.

import type { BoundExpression, BoundGrouping, BoundSelect } from '../bind/bound-query.ts';
import { KEY_INDEX } from '../columnar/key-index.ts';
import { isOpen } from './bounds.ts';
import type { Access } from './draft.ts';
import { JoinOrders } from './join-order.ts';
import { namesOf, type OptimizedPlan, usedIndexes } from './optimize.ts';
import type { NodeId, Plan, PlanKind, PlanNode } from './plan-node.ts';
import type { SoughtKeys } from './sought-keys.ts';

/** The parts of the query text that expressions stand for. */
type Excerpt = (expression: {
  readonly span: { readonly start: number; readonly end: number };
}) => string;

export function buildPlan(
  plan: OptimizedPlan,
  text: string,
  subqueries: readonly PlanNode[],
): Plan {
  const builder = new NodeBuilder(plan, text);
  return {
    root: builder.build(),
    subqueries,
    indexes: usedIndexes(plan),
    refused: plan.refused,
    rules: plan.rules,
    reason: undefined,
  };
}

/** The plan of a query that columns do not serve. */
export function buildRowPlan(
  reason: string,
  subqueries: readonly PlanNode[],
  sought?: SoughtKeys,
): Plan {
  const rows = leaf('result', 'rows', 'row by row from the store', undefined);
  const root = sought === undefined ? rows : { ...rows, input: soughtNode(sought) };
  return { root, subqueries, indexes: [], refused: [], rules: [], reason };
}

function soughtNode({ region, ranges, areSingle }: SoughtKeys): PlanNode {
  const kind = areSingle ? 'key-lookup' : 'key-range';
  return leaf('access', kind, `/${region}`, areSingle ? ranges.length : undefined);
}

function leaf(
  id: NodeId,
  kind: PlanKind,
  detail: string,
  estimatedRows: number | undefined,
): PlanNode {
  const rounded = estimatedRows === undefined ? undefined : Math.round(estimatedRows);
  return { id, kind, detail, estimatedRows: rounded, input: undefined };
}

class NodeBuilder {
  readonly #plan: OptimizedPlan;
  readonly #select: BoundSelect;
  readonly #excerpt: Excerpt;

  constructor(plan: OptimizedPlan, text: string) {
    this.#plan = plan;
    this.#select = plan.runtime.shape.select;
    this.#excerpt = ({ span }) => text.slice(span.start, span.end).replace(/\s+/g, ' ');
  }

  build(): PlanNode {
    const { runtime, access, restoresOrder } = this.#plan;
    if (access.kind === 'size' || access.kind === 'count')
      return above(this.#access(0, access, 'access'), 'count', '', 1);
    let node = this.#access(0, access, 'access');
    if (access.kind === 'nothing') return this.#result(node);
    const rows = this.#rowsAlong();
    runtime.shape.iterators.forEach((_, stage) => {
      if (stage > 0) node = this.#join(stage, node, rows[stage]);
      node = this.#filter(stage, node, rows[stage]);
    });
    if (restoresOrder) {
      node = above(node, 'restore-order', 'as in FROM', node.estimatedRows);
    }
    return this.#result(node);
  }

  /** Estimates cost a look at some rows, so they are made where something is estimated. */
  #rowsAlong(): readonly number[] {
    const { access } = this.#plan;
    const orders = new JoinOrders({ ...this.#plan, facts: NO_INDEXES }, { order: false });
    const rows = orders.rowsAlong();
    const first = rows[0] ?? 0;
    // An index counts, a sample guesses.
    if (access.kind === 'scan' || access.kind === 'nothing' || first === 0) return rows;
    const share = Math.min(1, access.rows / first);
    return rows.map((each) => each * share);
  }

  #access(stage: number, access: Access, id: NodeId): PlanNode {
    const { runtime } = this.#plan;
    const shape = runtime.shape.iterators[stage];
    const region = shape?.kind === 'region' ? `/${shape.region}` : '';
    if (access.kind === 'nothing') return leaf(id, 'nothing', 'WHERE is never true', 0);
    if (access.kind === 'scan' || access.kind === 'size') {
      const kind = access.kind === 'scan' ? 'scan' : 'region-size';
      return leaf(id, kind, region, runtime.tableOf(stage).entryCount);
    }
    const names = namesOf(access);
    if (names.every((name) => name === KEY_INDEX.name)) {
      return leaf(id, keyAccessKind(access), region, access.rows);
    }
    return leaf(
      id,
      ACCESS_KINDS[access.kind],
      `${region} through ${names.join(' and ')}`,
      access.rows,
    );
  }

  #join(stage: number, input: PlanNode, rows: number | undefined): PlanNode {
    const { runtime, joins } = this.#plan;
    const shape = runtime.shape.iterators[stage];
    const name = this.#select.iterators[stage]?.name ?? '';
    const id: NodeId = `join-${stage}`;
    if (shape?.kind === 'items') {
      const path = shape.collection.map((segment) => segment.join('.')).join('[].');
      const items = (input.estimatedRows ?? 0) * this.#plan.estimator.itemsPerRow(stage);
      return { ...leaf(id, 'items', `${name}: ${path}`, items), input };
    }
    const join = joins[stage];
    const source = `${name}: /${shape?.region ?? ''}`;
    if (join === undefined || join.kind === 'cross') {
      const build = this.#build(stage);
      const all = (input.estimatedRows ?? 0) * (build?.estimatedRows ?? 0);
      return { ...leaf(id, 'cross-join', source, all), input, build };
    }
    const detail = `${source} on ${this.#excerpt(join.equality.conjunct)}`;
    if (join.kind === 'index') {
      return { ...leaf(id, 'index-join', `${detail} through ${join.index.name}`, rows), input };
    }
    return { ...leaf(id, 'hash-join', detail, rows), input, build: this.#build(stage) };
  }

  /** The side of a join that its table is built of, with the conditions on it. */
  #build(stage: number): PlanNode | undefined {
    const join = this.#plan.joins[stage];
    if (join === undefined || join.kind === 'index') return undefined;
    const read = this.#access(stage, join.build, `build-${stage}`);
    const { local } = join;
    const share = this.#plan.estimator.share(stage, local);
    const all = this.#plan.runtime.tableOf(stage).entryCount;
    const rows = Math.min(read.estimatedRows ?? all, Math.ceil(all * share));
    const detail = [...new Set(local.map(this.#excerpt))].join(' AND ');
    return { ...leaf(`built-${stage}`, 'build', detail, rows), input: read };
  }

  #filter(stage: number, input: PlanNode, rows: number | undefined): PlanNode {
    const conditions = this.#conditions(stage);
    if (conditions.length === 0) return input;
    // Both halves of a BETWEEN stand for the same text.
    const detail = [...new Set(conditions.map(this.#excerpt))].join(' AND ');
    const estimated = Math.min(input.estimatedRows ?? 0, Math.ceil(rows ?? 0));
    return { ...leaf(`filter-${stage}`, 'filter', detail, estimated), input };
  }

  /** Conditions that are decided on joined rows. */
  #conditions(stage: number): readonly BoundExpression[] {
    const { filters, joins } = this.#plan;
    const join = joins[stage];
    const here = filters[stage] ?? [];
    if (join === undefined) return here;
    if (join.kind !== 'index') return join.rest;
    return here.filter((conjunct) => conjunct !== join.equality.conjunct);
  }

  /** Each clause that the select has is one step on top of those before it. */
  #result(matched: PlanNode): PlanNode {
    const select = this.#select;
    if (select.shape === 'count' && !select.distinct) return above(matched, 'count', '', 1);
    let node = matched;
    if (select.grouping !== undefined) node = this.#group(select.grouping, node);
    if (select.distinct) node = above(node, 'distinct', '', node.estimatedRows);
    if (this.#plan.sorts) {
      const detail = select.orderBy
        .map(({ expression, direction }) => `${this.#excerpt(expression)} ${direction}`)
        .join(', ');
      node = above(node, 'sort', detail, node.estimatedRows);
    }
    if (select.limit !== undefined || select.offset !== undefined) node = limitNode(select, node);
    if (select.shape === 'count') return above(node, 'count', '', 1);
    const names = select.projections.map(({ name }) => name).join(', ');
    return above(node, 'project', names, node.estimatedRows);
  }

  #group(grouping: BoundGrouping, input: PlanNode): PlanNode {
    const keys = grouping.keys.map(this.#excerpt).join(', ');
    if (keys === '') return above(input, 'group', 'all rows', 1);
    const { runtime, estimator } = this.#plan;
    const groups = grouping.keys.reduce((product, key) => {
      const slot = runtime.slotOf(key);
      return slot < 0 ? Number.POSITIVE_INFINITY : product * estimator.distinct(slot);
    }, 1);
    const rows = Math.min(groups, input.estimatedRows ?? groups);
    return above(input, 'group', `by ${keys}`, Number.isFinite(rows) ? rows : undefined);
  }
}

const NO_INDEXES = { indexes: [], wanted: Number.POSITIVE_INFINITY };

const ACCESS_KINDS = {
  lookup: 'index-lookup',
  ordered: 'index-order',
  heads: 'index-distinct',
  ends: 'index-ends',
  count: 'index-count',
} as const satisfies Readonly<Record<string, PlanKind>>;

/** How the key leads to rows. */
function keyAccessKind(access: Extract<Access, { kind: keyof typeof ACCESS_KINDS }>): PlanKind {
  if (access.kind !== 'lookup') return KEY_KINDS[access.kind];
  const isRange = access.uses.some(({ lookup }) => lookup.possible.strings.some(isOpen));
  return isRange ? 'key-range' : 'key-lookup';
}

const KEY_KINDS = {
  ordered: 'key-order',
  // A key is there once, so that nothing is gained by one row of each.
  heads: 'key-order',
  ends: 'key-ends',
  count: 'key-count',
} as const satisfies Readonly<Record<string, PlanKind>>;

/** Kinds of steps that occur once, so that they are named after themselves. */
type SingleKind = PlanKind & NodeId;

/** A step on top of another. */
function above(
  input: PlanNode,
  kind: SingleKind | 'count' | 'project',
  detail: string,
  rows: number | undefined,
): PlanNode {
  return {
    ...leaf(kind === 'count' || kind === 'project' ? 'result' : kind, kind, detail, rows),
    input,
  };
}

function limitNode({ limit, offset }: BoundSelect, input: PlanNode): PlanNode {
  const rows = limit?.kind === 'rows' ? limit.rows : undefined;
  const { estimatedRows } = input;
  const count = limit === undefined ? 'all' : (rows ?? 'by parameter');
  const skipped = offset === undefined ? undefined : rowsOf(offset);
  const estimated = rows === undefined ? estimatedRows : Math.min(rows, estimatedRows ?? rows);
  const detail = skipped === undefined ? `${count}` : `${count} offset ${skipped}`;
  return above(input, 'limit', detail, estimated);
}

function rowsOf(count: NonNullable<BoundSelect['offset']>): string {
  return count.kind === 'rows' ? String(count.rows) : 'by parameter';
}
