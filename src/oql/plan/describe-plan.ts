// The words and estimates of EXPLAIN for each node of a plan. Estimates read some rows, so they are
// made for EXPLAIN alone.

import type { BoundExpression } from '../bind/bound-query.ts';
import { partText } from '../bind/part-text.ts';
import type { IndexFacts } from '../columnar/column-source.ts';
import { KEY_INDEX } from '../columnar/key-index.ts';
import { isOpen } from './bounds.ts';
import { JoinOrders } from './join-order.ts';
import type { ColumnPlan } from './optimize.ts';
import {
  type Access,
  type AccessNode,
  type BuildNode,
  firstAccess,
  type GroupNode,
  type ItemsNode,
  indexesIn,
  type JoinNode,
  type LimitNode,
  type PlanNode,
} from './plan-node.ts';

export interface StepDescription {
  /** What EXPLAIN calls the step: the kind of its node, or how it reads a region. */
  readonly node: string;
  /** What exactly, in the words of the query. */
  readonly detail: string;
  /** Expected rows of its result, which may be a fraction; null if there is no estimate. */
  readonly estimatedRows: number | null;
}

/** Expected rows of the nodes below a node; null if there is no estimate, or no such node. */
export interface RowsBelow {
  readonly input: number | null;
  readonly build: number | null;
}

export type DescribeNode = (node: PlanNode, below: RowsBelow) => StepDescription;

/** Describes the nodes of a query that reads rows; subqueries are in plans over columns too. */
export function describeRowByRow(node: PlanNode): StepDescription {
  switch (node.kind) {
    case 'reference':
      return { node: 'rows', detail: 'row by row from the store', estimatedRows: null };
    case 'keys': {
      const { region, ranges, areSingle } = node;
      const step = areSingle ? 'key-lookup' : 'key-range';
      const estimatedRows = areSingle ? ranges.length : null;
      return { node: step, detail: `/${region}`, estimatedRows };
    }
    case 'subquery':
      return { node: 'subquery', detail: node.text, estimatedRows: node.rows ?? null };
    default:
      throw new Error(`${node.kind} does not read row by row`);
  }
}

/** Describes the nodes of a plan over columns, whose query has the given text. */
export class PlanDescriptions {
  readonly #plan: ColumnPlan;
  readonly #text: string;
  #rows: readonly number[] | undefined;

  constructor(plan: ColumnPlan, text: string) {
    this.#plan = plan;
    this.#text = text;
  }

  readonly describe: DescribeNode = (node, below) => {
    if ('earlier' in node) return this.#join(node, below);
    switch (node.kind) {
      case 'access':
        return this.#access(node);
      case 'filter': {
        const most = below.input ?? 0;
        const estimatedRows = Math.min(most, Math.ceil(this.#rowsAfter(node.stage)));
        return { node: 'filter', detail: this.#conjunction(node.conditions), estimatedRows };
      }
      case 'items':
        return this.#items(node, below);
      case 'build':
        return this.#build(node, below);
      case 'restore-order':
        return { node: node.kind, detail: 'as in FROM', estimatedRows: below.input };
      case 'group':
        return this.#group(node, below);
      case 'distinct':
        return { node: node.kind, detail: '', estimatedRows: below.input };
      case 'sort': {
        const keys = node.orderBy.map((key) => `${this.#excerpt(key.expression)} ${key.direction}`);
        return { node: 'sort', detail: keys.join(', '), estimatedRows: below.input };
      }
      case 'limit':
        return this.#limit(node, below);
      case 'project': {
        const { projections } = this.#plan.data.shape.select;
        const detail = projections.map(({ name }) => name).join(', ');
        return { node: 'project', detail, estimatedRows: below.input };
      }
      case 'count':
        return { node: 'count', detail: '', estimatedRows: 1 };
      default:
        return describeRowByRow(node);
    }
  };

  /** Rows left when an iterator was joined and its conditions were applied. */
  #rowsAfter(stage: number): number {
    this.#rows ??= new JoinOrders(this.#plan).rowsAlong(firstAccess(this.#plan.root).access);
    return this.#rows[stage] ?? 0;
  }

  #access({ access, stage }: AccessNode): StepDescription {
    if (access.kind === 'empty') {
      return { node: 'nothing', detail: 'WHERE is never true', estimatedRows: 0 };
    }
    const region = this.#regionOf(stage);
    if (access.kind === 'scan' || access.kind === 'size') {
      const step = access.kind === 'scan' ? 'scan' : 'region-size';
      const estimatedRows = this.#plan.data.tableOf(stage).entryCount;
      return { node: step, detail: region, estimatedRows };
    }
    const indexes = indexesIn(access);
    const estimatedRows = access.rows;
    if (indexes.every((index) => index === KEY_INDEX)) {
      return { node: keyStep(access), detail: region, estimatedRows };
    }
    const detail = `${region} through ${indexes.map(indexWords).join(' and ')}`;
    return { node: `index-${INDEX_STEPS[access.kind]}`, detail, estimatedRows };
  }

  #items({ stage }: ItemsNode, { input }: RowsBelow): StepDescription {
    const shape = this.#plan.data.shape.iterators[stage];
    if (shape?.kind !== 'items') throw new Error('not a nested collection');
    const path = shape.collection.map((segment) => segment.join('.')).join('[].');
    const estimatedRows = (input ?? 0) * this.#plan.estimator.itemsPerRow(stage);
    return { node: 'items', detail: `${this.#nameOf(stage)}: ${path}`, estimatedRows };
  }

  #join(node: JoinNode, { input, build }: RowsBelow): StepDescription {
    const { kind: step, stage } = node;
    const source = `${this.#nameOf(stage)}: ${this.#regionOf(stage)}`;
    if (!('equality' in node)) {
      const estimatedRows = (input ?? 0) * (build ?? 0);
      return { node: step, detail: source, estimatedRows };
    }
    if (step === 'left-join') {
      const on = this.#conjunction([node.equality.conjunct, ...node.conditions]);
      // A filter above decides WHERE.
      const estimatedRows = Math.max(input ?? 0, this.#rowsAfter(stage));
      return { node: step, detail: `${source} on ${on}`, estimatedRows };
    }
    const through = 'index' in node ? ` through ${indexWords(node.index)}` : '';
    const detail = `${source} on ${this.#excerpt(node.equality.conjunct)}${through}`;
    return { node: step, detail, estimatedRows: this.#rowsAfter(stage) };
  }

  #build({ conditions, stage }: BuildNode, { input }: RowsBelow): StepDescription {
    const { estimator, data } = this.#plan;
    const all = data.tableOf(stage).entryCount;
    const share = estimator.selectivity(stage, conditions);
    const estimatedRows = Math.min(input ?? all, Math.ceil(all * share));
    return { node: 'build', detail: this.#conjunction(conditions), estimatedRows };
  }

  #group({ grouping, groups: grouped }: GroupNode, { input }: RowsBelow): StepDescription {
    const { data, estimator } = this.#plan;
    const keys = grouping.keys.map((key) => this.#excerpt(key)).join(', ');
    if (keys === '') return { node: 'group', detail: 'all rows', estimatedRows: 1 };
    const groups = grouping.keys.reduce((product, key) => {
      const columnNumber = data.columnNumberOf(key);
      return columnNumber < 0
        ? Number.POSITIVE_INFINITY
        : product * estimator.distinct(columnNumber);
    }, 1);
    const rows = Math.min(groups, input ?? groups);
    const estimatedRows = Number.isFinite(rows) ? rows : null;
    const detail = grouped === 'rows' ? `by ${keys}` : `by ${keys}, once per build row`;
    return { node: 'group', detail, estimatedRows };
  }

  #limit({ limit }: LimitNode, { input: all }: RowsBelow): StepDescription {
    const { limit: given, offset } = this.#plan.data.shape.select;
    // The estimate must not depend on the parameters of one run.
    const rows = given?.kind === 'rows' ? limit : undefined;
    const count = given === undefined ? 'all' : (rows ?? 'by parameter');
    const skipped = offset?.kind === 'rows' ? offset.rows : 'by parameter';
    const detail = offset === undefined ? `${count}` : `${count} offset ${skipped}`;
    const estimatedRows = rows === undefined ? all : Math.min(rows, all ?? rows);
    return { node: 'limit', detail, estimatedRows };
  }

  #regionOf(stage: number): string {
    const shape = this.#plan.data.shape.iterators[stage];
    return shape?.kind === 'region' ? `/${shape.region}` : '';
  }

  #nameOf(stage: number): string {
    return this.#plan.data.shape.select.iterators[stage]?.name ?? '';
  }

  /** Both halves of a BETWEEN have the same text. */
  #conjunction(conditions: readonly BoundExpression[]): string {
    const isOne = conditions.length === 1;
    const texts = conditions.map((each) => {
      const text = this.#excerpt(each);
      return isOne || each.kind !== 'or' ? text : `(${text})`;
    });
    return [...new Set(texts)].join(' AND ');
  }

  #excerpt({ span }: BoundExpression): string {
    return partText(this.#text, span);
  }
}

function indexWords({ name, unique }: IndexFacts): string {
  return unique === true ? `unique ${name}` : name;
}

const INDEX_STEPS = {
  lookup: 'lookup',
  ordered: 'order',
  'distinct-keys': 'distinct',
  'min-max': 'min-max',
  count: 'count',
};

/** The step that reads rows by their keys. */
function keyStep(access: Extract<Access, { kind: keyof typeof INDEX_STEPS }>): string {
  // Every key has one row.
  if (access.kind === 'distinct-keys') return 'key-order';
  if (access.kind !== 'lookup') return `key-${INDEX_STEPS[access.kind]}`;
  const isRange = access.uses.some(({ lookup }) => lookup.possible.strings.some(isOpen));
  return isRange ? 'key-range' : 'key-lookup';
}
