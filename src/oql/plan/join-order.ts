// What it takes to join iterators in some order, and the cheapest order there is. Every order begins
// with a region; a collection follows its parent, a region follows one it has an equality with.

import type { BoundComparison, BoundExpression } from '../bind/bound-query.ts';
import { canFollow, iteratorsOf, splitConjuncts } from '../execute/vector/conjuncts.ts';
import type { Runtime } from '../execute/vector/runtime.ts';
import { isSamePath, type PlanFacts, ROWS_PER_LOOKUP } from './draft.ts';
import type { Estimator } from './estimate.ts';

/** Putting a row into a table costs about as much as scanning so many. */
const ROWS_PER_BUILD = 2;
/** Putting a result row back into the order of FROM. */
const ROWS_PER_RESTORE = 20;
/** Where rows must be put back, another order has to be clearly better than that of the text. */
const WORTH_IT = 0.7;

export interface JoinOrder {
  readonly order: readonly number[];
  readonly cost: number;
  /** Rows after each iterator of the order. */
  readonly rows: readonly number[];
}

export class JoinOrders {
  readonly #runtime: Runtime;
  readonly #estimator: Estimator;
  readonly #facts: PlanFacts;
  readonly #conjuncts: readonly BoundExpression[];
  readonly #needsOrder: boolean;
  readonly #shares = new Map<number, number>();

  /** `needsOrder`: rows must come out as nested loops over FROM give them. */
  constructor(
    runtime: Runtime,
    estimator: Estimator,
    facts: PlanFacts,
    needs: { readonly order: boolean },
  ) {
    this.#runtime = runtime;
    this.#estimator = estimator;
    this.#facts = facts;
    this.#conjuncts = splitConjuncts(runtime.shape.select.where);
    this.#needsOrder = needs.order;
  }

  /** The order of the text, unless another has more equalities or is clearly cheaper. */
  best(): JoinOrder {
    const { iterators } = this.#runtime.shape;
    const textual = this.#costOf(iterators.map((_, iterator) => iterator));
    const others = iterators
      .flatMap(({ kind }, start) => (kind === 'region' ? this.#greedy(start) : []))
      .sort((a, b) => a.cost - b.cost);
    const [cheapest] = others;
    const worth = this.#needsOrder ? WORTH_IT : 1;
    if (cheapest === undefined || (textual && textual.cost * worth <= cheapest.cost)) {
      return textual ?? { order: iterators.map((_, iterator) => iterator), cost: 0, rows: [] };
    }
    return cheapest;
  }

  /** Rows after each iterator of the select as it is. */
  rowsAlong(): readonly number[] {
    return this.#costOf(this.#runtime.shape.iterators.map((_, iterator) => iterator))?.rows ?? [];
  }

  /** From a region on, always the iterator that leaves the fewest rows. */
  #greedy(start: number): readonly JoinOrder[] {
    const { iterators } = this.#runtime.shape;
    const order = [start];
    while (order.length < iterators.length) {
      const placed = new Set(order);
      const next = iterators
        .map((_, iterator) => iterator)
        .filter((each) => !placed.has(each))
        .filter((each) => canFollow(iterators, this.#conjuncts, each, placed))
        .map((each) => ({ each, rows: this.#costOf([...order, each])?.rows.at(-1) ?? 0 }))
        .sort((a, b) => a.rows - b.rows)[0];
      if (next === undefined) return [];
      order.push(next.each);
    }
    const found = this.#costOf(order);
    return found === undefined ? [] : [found];
  }

  /** Undefined if some iterator cannot follow those before it. */
  #costOf(order: readonly number[]): JoinOrder | undefined {
    const { iterators } = this.#runtime.shape;
    const placed = new Set<number>();
    const rows: number[] = [];
    let cost = 0;
    for (const iterator of order) {
      const before = rows.at(-1);
      if (before === undefined) {
        const all = this.#estimator.rows(iterator);
        rows.push(all * this.#localShare(iterator));
        cost += this.#readCost(iterator, all);
      } else {
        if (!canFollow(iterators, this.#conjuncts, iterator, placed)) return undefined;
        const step = this.#step(iterator, before, placed);
        rows.push(step.rows);
        cost += step.cost;
      }
      placed.add(iterator);
    }
    const isTextual = order.every((iterator, place) => iterator === place);
    const found = rows.at(-1) ?? 0;
    if (isTextual) cost = this.#untilEnough(cost, found);
    else if (this.#needsOrder) cost += found * ROWS_PER_RESTORE;
    return { order, cost, rows };
  }

  /** In the order of the text, a plain query ends with its last wanted row. */
  #untilEnough(cost: number, rows: number): number {
    const { select } = this.#runtime.shape;
    const { wanted } = this.#facts;
    const isPlain = select.grouping === undefined && select.orderBy.length === 0;
    return isPlain && wanted < rows ? cost * Math.max(0.5, wanted / rows) : cost;
  }

  #step(iterator: number, before: number, placed: ReadonlySet<number>): Step {
    const share = this.#localShare(iterator);
    if (this.#runtime.shape.iterators[iterator]?.kind === 'items') {
      const rows = before * this.#estimator.itemsPerRow(iterator) * share;
      return { rows, cost: before + rows };
    }
    const inner = this.#estimator.rows(iterator);
    let rows = before * inner * share;
    let isIndexed = false;
    for (const { own, other } of this.#equalities(iterator, placed)) {
      const keys = Math.max(this.#estimator.distinct(own), this.#estimator.distinct(other));
      rows /= Math.max(1, keys);
      isIndexed ||= this.#hasIndex(own);
    }
    const built = this.#readCost(iterator, inner) + inner * share * ROWS_PER_BUILD + before;
    const lookedUp = isIndexed ? before * 4 + (rows / share) * ROWS_PER_LOOKUP : built;
    return { rows, cost: Math.min(built, lookedUp) + rows };
  }

  #equalities(
    iterator: number,
    placed: ReadonlySet<number>,
  ): readonly { readonly own: number; readonly other: number }[] {
    return this.#conjuncts.flatMap((conjunct) => {
      if (!isEquality(conjunct)) return [];
      const { left, right } = conjunct;
      if (left.kind !== 'path' || right.kind !== 'path') return [];
      const [own, other] = left.iterator === iterator ? [left, right] : [right, left];
      if (own.iterator !== iterator || !placed.has(other.iterator)) return [];
      return [{ own: this.#runtime.slotOf(own), other: this.#runtime.slotOf(other) }];
    });
  }

  #localShare(iterator: number): number {
    const known = this.#shares.get(iterator);
    if (known !== undefined) return known;
    const share = this.#estimateShare(iterator);
    this.#shares.set(iterator, share);
    return share;
  }

  #estimateShare(iterator: number): number {
    const local = this.#conjuncts.filter((conjunct) => {
      const used = [...iteratorsOf(conjunct)];
      return used.length > 0 && used.every((each) => each === iterator);
    });
    return this.#estimator.share(iterator, local);
  }

  /** Where a condition has an index, only the rows it leaves are read. */
  #readCost(iterator: number, all: number): number {
    const isFiltered = this.#conjuncts.some((conjunct) => {
      const used = [...iteratorsOf(conjunct)];
      return used.length === 1 && used[0] === iterator && this.#isIndexed(conjunct, iterator);
    });
    return isFiltered ? Math.min(all, all * this.#localShare(iterator) * ROWS_PER_LOOKUP) : all;
  }

  #isIndexed(conjunct: BoundExpression, iterator: number): boolean {
    const { shape } = this.#runtime;
    if (conjunct.kind !== 'comparison') return false;
    return shape.slots.some(
      (slot, index) =>
        slot.iterator === iterator &&
        [conjunct.left, conjunct.right].some((side) => this.#runtime.slotOf(side) === index) &&
        this.#hasIndex(index),
    );
  }

  #hasIndex(slot: number): boolean {
    const { shape } = this.#runtime;
    const found = shape.slots[slot];
    const table = shape.iterators[found?.iterator ?? -1]?.table ?? -1;
    return (this.#facts.indexes[table] ?? []).some(({ path }) => isSamePath(path, found?.path));
  }
}

interface Step {
  readonly rows: number;
  readonly cost: number;
}

function isEquality(conjunct: BoundExpression): conjunct is BoundComparison {
  return conjunct.kind === 'comparison' && conjunct.operator === '=';
}
