// The costs of join orders, and the cheapest order. Every order begins with a region; a collection
// follows its parent, and a region follows one that it has an equality with.

import type { BoundExpression } from '../bind/bound-query.ts';
import { iteratorsOf, onlyIterator, toEquiJoins } from '../columnar/conjuncts.ts';
import { indexesOf, isOn, isTextual, type PlannedQuery, ROWS_PER_LOOKUP } from './draft.ts';
import type { Access } from './plan-node.ts';

/** Inserting a row into a hash table costs about as much as scanning so many. */
const ROWS_PER_BUILD = 2;
/** Looking up the key of an outer row in an index costs about as much as scanning so many. */
const ROWS_PER_PROBE = 4;
/** A query that may end early costs at least this share, because build sides are read in full. */
const MIN_EARLY_SHARE = 0.5;
/** Putting a result row back into the order of FROM. */
const ROWS_PER_RESTORE = 20;
/**
 * If rows must be put back, another order may cost at most this share of the order of the text, since
 * costs are estimates.
 */
const MAX_RELATIVE_COST = 0.7;

/** An equality of an iterator with others. A computed side has the column -1. */
interface JoinLink {
  readonly own: number;
  readonly other: number;
  readonly others: readonly number[];
  /** Whether an index is on the own side. */
  readonly isIndexed: boolean;
}

/** Iterators joined so far, with the cost until then. */
interface PartialOrder {
  readonly joined: ReadonlySet<number>;
  /** Rows after each of them. */
  readonly rows: readonly number[];
  readonly cost: number;
}

/**
 * The equalities of each iterator are found once, because a text can have thousands of conditions,
 * and thousands of orders are compared.
 */
export class JoinOrders {
  readonly #query: PlannedQuery;
  /** By iterator: its equalities with others. */
  readonly #links: JoinLink[][];
  /** By iterator: its rows, the share of them that its conditions keep, and what reading costs. */
  readonly #sizes: readonly number[];
  readonly #shares: readonly number[];
  readonly #readCosts: readonly number[];
  /** The share of the rows of an iterator that LEFT JOIN matches; undefined for any other. */
  readonly #matching: readonly (number | undefined)[];

  constructor(query: PlannedQuery) {
    const { conditions, estimator, data } = query;
    const all = [...data.shape.iterators.keys()];
    this.#query = query;
    this.#links = all.map(() => []);
    const joins = data.shape.iterators.map((each) =>
      'leftJoin' in each ? each.leftJoin : undefined,
    );
    const equalities = joins.flatMap((join) => join?.equality.conjunct ?? []);
    for (const conjunct of [...conditions.conjuncts, ...equalities]) this.#addLink(conjunct);
    this.#sizes = all.map((each) => estimator.rows(each));
    this.#shares = all.map((each) => estimator.selectivity(each, conditions.local(each)));
    this.#matching = joins.map((join, each) => join && estimator.selectivity(each, join.build));
    this.#readCosts = all.map((each) => this.#readCost(each));
  }

  #addLink(conjunct: BoundExpression): void {
    const { columnNumberOf } = this.#query.data;
    for (const { inner, outer } of toEquiJoins(conjunct)) {
      this.#links[onlyIterator(inner) ?? 0]?.push({
        own: columnNumberOf(inner),
        other: columnNumberOf(outer),
        others: [...iteratorsOf(outer)],
        isIndexed: this.#hasIndex(inner),
      });
    }
  }

  /**
   * The order of the text, unless another has more equalities or is clearly cheaper. `needsOrder`:
   * rows must come out as nested loops over FROM give them.
   */
  best(needsOrder: boolean): readonly number[] {
    const { iterators } = this.#query.data.shape;
    const textual = this.#join(0, this.#nextInText);
    const [cheapest] = iterators
      .flatMap(({ kind }, start) =>
        kind === 'region' ? (this.#join(start, this.#fewestRows) ?? []) : [],
      )
      .map((partial) => ({ order: [...partial.joined], cost: this.#cost(partial, needsOrder) }))
      .sort((a, b) => a.cost - b.cost);
    const share = needsOrder ? MAX_RELATIVE_COST : 1;
    const keepsText = textual && this.#cost(textual, needsOrder) * share <= (cheapest?.cost ?? 0);
    return cheapest === undefined || keepsText ? [...iterators.keys()] : cheapest.order;
  }

  /** Rows after each iterator of the select as it is. */
  rowsAlong(access: Access): readonly number[] {
    const rows = this.#join(0, ({ joined }) => joined.size)?.rows ?? [];
    const first = rows[0] ?? 0;
    // The count of an index is better than an estimate.
    if (access.kind === 'scan' || access.rows >= first) return rows;
    return rows.map((each) => each * (access.rows / first));
  }

  readonly #nextInText = ({ joined }: PartialOrder): number | undefined =>
    this.#canFollow(joined.size, joined) ? joined.size : undefined;

  /** The iterator that leaves the fewest rows. */
  readonly #fewestRows = (partial: PartialOrder): number | undefined => {
    const { joined } = partial;
    const [next] = [...this.#sizes.keys()]
      .filter((each) => !joined.has(each) && this.#canFollow(each, joined))
      .map((iterator) => ({ iterator, rows: this.#step(iterator, partial).rows }))
      .sort((a, b) => a.rows - b.rows);
    return next?.iterator;
  };

  /** Undefined if no iterator can follow those before it. */
  #join(
    first: number,
    choose: (partial: PartialOrder) => number | undefined,
  ): PartialOrder | undefined {
    const rows = [(this.#sizes[first] ?? 0) * (this.#shares[first] ?? 1)];
    const partial = { joined: new Set([first]), rows, cost: this.#readCosts[first] ?? 0 };
    while (partial.joined.size < this.#sizes.length) {
      const next = choose(partial);
      if (next === undefined) return undefined;
      const step = this.#step(next, partial);
      rows.push(step.rows);
      partial.joined.add(next);
      partial.cost += step.cost;
    }
    return partial;
  }

  #cost({ joined, rows, cost }: PartialOrder, needsOrder: boolean): number {
    const { data, facts } = this.#query;
    const resultRows = rows.at(-1) ?? 0;
    if (!isTextual([...joined])) return needsOrder ? cost + resultRows * ROWS_PER_RESTORE : cost;
    // In the order of the text, a query without ORDER BY and GROUP BY ends with its last row.
    const { grouping, orderBy } = data.shape.select;
    const isPlain = grouping === undefined && orderBy.length === 0;
    const endsEarly = isPlain && facts.neededRows < resultRows;
    return endsEarly ? cost * Math.max(MIN_EARLY_SHARE, facts.neededRows / resultRows) : cost;
  }

  /** A collection follows its parent, a region an equality with those before it. */
  #canFollow(next: number, joined: ReadonlySet<number>): boolean {
    const iterator = this.#query.data.shape.iterators[next];
    if (iterator?.kind === 'items') return joined.has(iterator.parent);
    return (
      this.#links[next]?.some(({ others }) => others.every((each) => joined.has(each))) ?? false
    );
  }

  #step(iterator: number, partial: PartialOrder): { rows: number; cost: number } {
    const { data, estimator } = this.#query;
    const before = partial.rows.at(-1) ?? 0;
    const share = this.#shares[iterator] ?? 1;
    if (data.shape.iterators[iterator]?.kind === 'items') {
      const rows = before * estimator.itemsPerRow(iterator) * share;
      return { rows, cost: before + rows };
    }
    const inner = this.#sizes[iterator] ?? 0;
    const matching = this.#matching[iterator];
    let rows = before * inner * (matching ?? share);
    let isIndexed = false;
    for (const link of this.#links[iterator] ?? []) {
      if (!link.others.every((each) => partial.joined.has(each))) continue;
      rows /= Math.max(1, estimator.distinct(link.own), estimator.distinct(link.other));
      isIndexed ||= link.isIndexed;
    }
    if (matching !== undefined) rows = Math.max(before, rows) * share;
    const built = (this.#readCosts[iterator] ?? 0) + inner * share * ROWS_PER_BUILD + before;
    const lookedUp = isIndexed ? before * ROWS_PER_PROBE + (rows / share) * ROWS_PER_LOOKUP : built;
    return { rows, cost: Math.min(built, lookedUp) + rows };
  }

  /** If a condition has an index, only the rows of the look-up are read. */
  #readCost(iterator: number): number {
    const all = this.#sizes[iterator] ?? 0;
    const share = this.#shares[iterator] ?? 1;
    const isFiltered = this.#query.conditions
      .local(iterator)
      .some((each) => each.kind === 'comparison' && [each.left, each.right].some(this.#hasIndex));
    return isFiltered ? Math.min(all, all * share * ROWS_PER_LOOKUP) : all;
  }

  readonly #hasIndex = (side: BoundExpression): boolean =>
    side.kind === 'path' &&
    indexesOf(this.#query, side.iterator).some((index) => isOn(this.#query, index, side));
}
