// The conditions of a query, indexed for the rules of the planner: by term, by the iterators they
// refer to, and by whether they may fail. Each index is built when it is first asked for, since a
// text can have thousands of conditions and a region many indexes.

import { memberKey } from '../../value/column-path.ts';
import type { BoundExpression, BoundPath } from '../bind/bound-query.ts';
import { keepsUnknown } from '../bind/where-outcome.ts';
import { onlyIterator, splitConjuncts } from '../columnar/conjuncts.ts';
import { type FindTerm, pathUseOf, termFinder, termKey } from '../columnar/terms.ts';
import { subjectOf } from './lookup.ts';
import type { QueryFacts } from './plan-data.ts';
import { cannotFail } from './safety.ts';
import { usefulTerms } from './useful-indexes.ts';

/** A condition on one term: a path, a member of the map at a path, or a computed value. */
export interface TermCondition {
  readonly condition: BoundExpression;
  readonly iterator: number;
  /** For a member of a map: where the map is. */
  readonly map: BoundPath | undefined;
  readonly key: string;
}

export class Conditions {
  /** The operands of the AND that WHERE is. */
  readonly conjuncts: readonly BoundExpression[];
  /** Whether rows for which WHERE is unknown are in the result. */
  readonly keepsUnknown: boolean;
  readonly #data: QueryFacts;
  readonly #findTerm: FindTerm;
  #byTerm: ReadonlyMap<string, readonly TermCondition[]> | undefined;
  #failing: ReadonlySet<BoundExpression> | undefined;
  #local: ReadonlyMap<number | undefined, readonly BoundExpression[]> | undefined;
  #useful: ReadonlySet<string> | undefined;

  constructor(data: QueryFacts) {
    this.#data = data;
    this.#findTerm = termFinder(data.shape);
    const { where } = data.shape.select;
    this.conjuncts = splitConjuncts(where);
    this.keepsUnknown = keepsUnknown(where);
  }

  /** The `termKey` of a term of the region that an iterator reads, or whose items it reads. */
  keyOf(iterator: number, term: string): string {
    return termKey(this.#data.shape.iterators[iterator]?.table ?? -1, term);
  }

  /** Operands of the AND on a term of the region of an iterator. */
  on(iterator: number, term: string): readonly TermCondition[] {
    this.#byTerm ??= Map.groupBy(
      this.conjuncts.flatMap((conjunct) => this.describe(conjunct) ?? []),
      ({ key }) => key,
    );
    return this.#byTerm.get(this.keyOf(iterator, term)) ?? [];
  }

  /** The term of a condition and its `termKey`; undefined unless it is on one term. */
  describe(condition: BoundExpression): TermCondition | undefined {
    const subject = subjectOf(condition);
    const use = pathUseOf(subject);
    const rowTerm = subject && this.#findTerm(use?.path ?? subject);
    if (rowTerm === undefined) return undefined;
    const { iterator, table, term } = rowTerm;
    const key = termKey(table, term);
    if (use?.key === undefined) return { condition, iterator, map: undefined, key };
    // `e.key['x']`: a key is a text and has no members.
    if (term === '') return undefined;
    return { condition, iterator, map: use.path, key: memberKey(key, use.key) };
  }

  /** The term of an expression, of whatever iterator. */
  termOf(expression: BoundExpression): string | undefined {
    return this.#findTerm(expression)?.term;
  }

  /** Whether no operand of the AND but these can fail for a row. */
  areOthersSafe(served: ReadonlySet<BoundExpression>): boolean {
    this.#failing ??= new Set(
      this.conjuncts.filter((conjunct) => !cannotFail(conjunct, this.#data)),
    );
    if (this.#failing.size > served.size) return false;
    return [...this.#failing].every((conjunct) => served.has(conjunct));
  }

  /** Operands of the AND that refer to one iterator and no other. */
  local(iterator: number): readonly BoundExpression[] {
    this.#local ??= Map.groupBy(this.conjuncts, onlyIterator);
    return this.#local.get(iterator) ?? [];
  }

  /** Whether an index on a term of the region of an iterator may serve the query. */
  mayServe(iterator: number, term: string): boolean {
    this.#useful ??= usefulTerms(this.#data.shape);
    return this.#useful.has(this.keyOf(iterator, term));
  }
}
