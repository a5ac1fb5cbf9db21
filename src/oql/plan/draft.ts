// A plan that is being optimized. Each rule takes a draft and returns a better one. A draft has
// everything that rules may use: the query with its columns, the indexes, the number of rows
// needed.

import type { SourceIndex } from '../../value/column-data.ts';
import type { BoundExpression } from '../bind/bound-query.ts';
import type { IndexFacts } from '../columnar/column-source.ts';
import { openTableIndex } from '../columnar/key-index.ts';
import type { VectorShape } from '../columnar/shape.ts';
import { termsOf } from '../columnar/terms.ts';
import { Conditions } from './conditions.ts';
import type { Estimator } from './estimate.ts';
import type { PlanData } from './plan-data.ts';
import type { Access, JoinMethod, RefusedIndex } from './plan-node.ts';

/** The parts of a draft that costs depend on. */
export interface PlannedQuery {
  /** The select in it has its iterators in the order in which they are joined. */
  readonly data: PlanData;
  readonly estimator: Estimator;
  /** Of the select in `data`. */
  readonly conditions: Conditions;
  readonly facts: PlanFacts;
}

export interface Draft extends PlannedQuery {
  /** The position in FROM of each iterator of the select. */
  readonly order: readonly number[];
  /** Whether joined rows go back into the order of FROM, because the result shows that order. */
  readonly restoresOrder: boolean;
  /** The operands of WHERE by the iterator whose step decides them. */
  readonly filters: readonly (readonly BoundExpression[])[];
  /** Ways to read the first region that rules have found so far. */
  readonly candidates: readonly AccessCandidate[];
  readonly access: Access;
  /** How each further region is joined, by iterator; undefined for nested collections. */
  readonly joins: readonly (JoinMethod | undefined)[];
  readonly refused: readonly RefusedIndex[];
}

/** Facts that no rule changes. */
export interface PlanFacts {
  /** By table of the shape. */
  readonly indexes: readonly (readonly IndexFacts[])[];
  /** Result rows that are needed, those that OFFSET skips included; infinite without LIMIT. */
  readonly neededRows: number;
  readonly offset: number;
}

export interface AccessCandidate {
  readonly access: Access;
  /** Of reading the rows, and of sorting them if they are not in order, in rows scanned. */
  readonly cost: number;
}

/** One step of the planner; returns the same draft if it has nothing to do. */
export interface Rule {
  readonly name: string;
  apply(draft: Draft): Draft;
}

/** The draft with the candidates and refusals of a rule added. */
export function withFound(
  draft: Draft,
  { candidates = [], refused = [] }: Partial<Pick<Draft, 'candidates' | 'refused'>>,
): Draft {
  return {
    ...draft,
    candidates: [...draft.candidates, ...candidates],
    refused: [...draft.refused, ...refused],
  };
}

export function withShape(draft: Draft, shape: VectorShape): Draft {
  const data = draft.data.withShape(shape);
  const estimator = draft.estimator.withData(data);
  return { ...draft, data, estimator, conditions: new Conditions(data) };
}

/** Reading a row through an index costs about as much as scanning so many. */
export const ROWS_PER_LOOKUP = 6;
/** Sorting one row among all others; with a small LIMIT, one comparison drops most rows. */
const SORT_ALL = 40;
const SORT_FEW = 0.5;
/** A LIMIT is small below this share of the rows. */
const SMALL_LIMIT = 1 / 4;

/** Sorting so many rows, if there is an ORDER BY over rows. */
export function sortCost({ data, facts }: Draft, rows: number): number {
  const { orderBy, grouping } = data.shape.select;
  if (orderBy.length === 0 || grouping !== undefined) return 0;
  return rows * (facts.neededRows < rows * SMALL_LIMIT ? SORT_FEW : SORT_ALL);
}

/**
 * The cost of using a hinted index: negative, so that it is always cheapest, and lowest for the
 * index named first; undefined without a hint. Of two ways to use it, the one with more `merit`
 * wins.
 */
export function hintedCost({ data }: Draft, name: string, merit: number): number | undefined {
  const { hints } = data.shape.select;
  const hint = hints.indexOf(name);
  return hint < 0 ? undefined : hint - hints.length - merit;
}

/** A candidate that serves more than the conditions: preferred to a look-up in the same index. */
export function indexCandidate(
  draft: Draft,
  access: AccessCandidate['access'] & { readonly index: IndexFacts },
  cost: number,
): AccessCandidate {
  // Hints differ by 1, so half of that decides only between uses of one index.
  return { access, cost: hintedCost(draft, access.index.name, 0.5) ?? cost };
}

/** Whether iterators are joined in the order of FROM. */
export function isTextual(order: readonly number[]): boolean {
  return order.every((iterator, position) => iterator === position);
}

/** Indexes of the region that an iterator reads, or whose collections it unnests. */
export function indexesOf({ data, facts }: PlannedQuery, iterator: number): readonly IndexFacts[] {
  return facts.indexes[data.shape.iterators[iterator]?.table ?? -1] ?? [];
}

export function openIndex(draft: Draft, iterator: number, name: string): SourceIndex | undefined {
  return openTableIndex(draft.data.tableOf(iterator), name);
}

/** Whether the keys of an index are exactly the values of an expression. */
export function isOn(query: PlannedQuery, index: IndexFacts, expression: BoundExpression): boolean {
  const [term, second] = termsOf(index);
  return term !== undefined && second === undefined && query.conditions.termOf(expression) === term;
}
